// Prints what docs/receivers/receiver.go says of each line on stdin: now, secrets, headers and body, apart by tabs, in base64;
// each header a line "name: value". Built in the place of that file's own main.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
)

func decoded(field string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(field)
	if err != nil {
		panic(err)
	}
	return bytes
}

func vectors() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		now, _ := strconv.ParseInt(string(decoded(fields[0])), 10, 64)
		headers := http.Header{}
		for _, header := range strings.Split(string(decoded(fields[2])), "\n") {
			name, value, _ := strings.Cut(header, ": ")
			headers.Set(name, value)
		}
		fmt.Println(Verify(headers, decoded(fields[3]), strings.Fields(string(decoded(fields[1]))), now))
	}
}
