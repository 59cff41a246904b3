// A receiver of Tocsin's webhooks: verifies, answers at once, acts on each delivery once and on none that is late.
// Go 1.19 or newer, no modules: SECRET='…' PORT=8080 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// How far the clocks may be apart, and how long an attempt may be on its way.
	toleranceMs = 5 * 60_000
	// Ids that are remembered.
	idsMost  = 10_000
	bodyMost = 1_000_000
)

var encoded = regexp.MustCompile(`^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))$`)

// Verify says whether one of our secrets signed this body, with its id and the time of the attempt, and not too long ago.
func Verify(headers http.Header, body []byte, secrets []string, nowMs int64) string {
	seconds := headers.Get("webhook-timestamp")
	signed := append([]byte(headers.Get("webhook-id")+"."+seconds+"."), body...)
	isSigned := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, keyOf(secret))
		mac.Write(signed)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Split(headers.Get("webhook-signature"), " ") {
			// Compares in constant time.
			isSigned = hmac.Equal([]byte(given), []byte(expected)) || isSigned
		}
	}
	if !isSigned {
		return "forged"
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || nowMs-at*1000 > toleranceMs || at*1000-nowMs > toleranceMs {
		return "expired"
	}
	return "genuine"
}

// A secret written whsec_ and base64 stands for the decoded bytes, any other text for itself.
func keyOf(secret string) []byte {
	if found := encoded.FindStringSubmatch(secret); found != nil {
		if key, err := base64.StdEncoding.DecodeString(found[1]); err == nil {
			return key
		}
	}
	return []byte(secret)
}

// Inbox holds what has come. In production keep this in your database: it has to outlive a restart.
type Inbox struct {
	secrets []string
	lock    sync.Mutex
	ids     map[string]bool
	order   []string
	newest  map[string]int64
}

func NewInbox(secrets []string) *Inbox {
	return &Inbox{secrets: secrets, ids: map[string]bool{}, newest: map[string]int64{}}
}

func (inbox *Inbox) Take(headers http.Header, body []byte, nowMs int64) string {
	if verdict := Verify(headers, body, inbox.secrets, nowMs); verdict != "genuine" {
		return verdict
	}
	inbox.lock.Lock()
	defer inbox.lock.Unlock()
	id := headers.Get("webhook-id")
	if inbox.ids[id] {
		return "repeated"
	}
	inbox.ids[id] = true
	inbox.order = append(inbox.order, id)
	if len(inbox.order) > idsMost {
		delete(inbox.ids, inbox.order[0])
		inbox.order = inbox.order[1:]
	}
	// A replay tells of the past: it moves nothing.
	if headers.Get("x-service-replay-of") != "" {
		return "replay"
	}
	// Set by the channel: {"key": "x-check-id", "value": "{{CHECK_ID}}"}.
	check := headers.Get("x-check-id")
	createdMs, _ := strconv.ParseInt(headers.Get("x-service-timestamp"), 10, 64)
	if createdMs < inbox.newest[check] {
		return "late"
	}
	inbox.newest[check] = createdMs
	return "accepted"
}

// What you do about an alert. It runs after the answer: Tocsin waits 30 s at most, and then sends again.
func act(outcome string, headers http.Header, body []byte) {
	fmt.Printf("{\"outcome\":%q,\"id\":%q,\"bytes\":%d}\n", outcome, headers.Get("webhook-id"), len(body))
}

func main() {
	inbox := NewInbox(strings.Fields(os.Getenv("SECRET")))
	waiting := make(chan func(), 1000)
	go func() {
		for work := range waiting {
			work()
		}
	}()
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bodyMost))
		if err != nil {
			http.Error(response, "too much", http.StatusRequestEntityTooLarge)
			return
		}
		outcome := inbox.Take(request.Header, body, time.Now().UnixMilli())
		if outcome == "forged" || outcome == "expired" {
			response.WriteHeader(http.StatusBadRequest)
		}
		waiting <- func() { act(outcome, request.Header, body) }
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	fmt.Println("listening")
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
