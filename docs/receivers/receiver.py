"""A receiver of Tocsin's webhooks: verifies, answers at once, acts on each delivery once and on none that is late.

Python 3.8 or newer, no packages: SECRET='...' PORT=8080 python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import queue
import re
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# How far the clocks may be apart, and how long an attempt may be on its way.
TOLERANCE_MS = 5 * 60_000
# Ids that are remembered.
IDS_MOST = 10_000
BODY_MOST = 1_000_000
ENCODED = re.compile(r"whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))")


def key_of(secret):
    """A secret written whsec_ and base64 stands for the decoded bytes, any other text for itself."""
    encoded = ENCODED.fullmatch(secret)
    return base64.b64decode(encoded[1]) if encoded else secret.encode()


def verify(headers, body, secrets, now_ms):
    """Whether one of our secrets signed this body, with its id and the time of the attempt, and not too long ago.

    headers: names in lower case; body: bytes; answers genuine, forged or expired.
    """
    seconds = headers.get("webhook-timestamp", "")
    given = headers.get("webhook-signature", "").split(" ")
    signed = f"{headers.get('webhook-id', '')}.{seconds}.".encode() + body
    is_signed = False
    for secret in secrets:
        digest = hmac.new(key_of(secret), signed, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(digest)
        is_signed |= any(hmac.compare_digest(each.encode(), expected) for each in given)
    if not is_signed:
        return "forged"
    return "genuine" if abs(now_ms - int(seconds) * 1000) <= TOLERANCE_MS else "expired"


class Inbox:
    """What has come. In production keep this in your database: it has to outlive a restart."""

    def __init__(self, secrets):
        self.secrets = secrets
        self.ids = OrderedDict()
        self.newest = {}
        self.lock = threading.Lock()

    def take(self, headers, body, now_ms):
        verdict = verify(headers, body, self.secrets, now_ms)
        if verdict != "genuine":
            return verdict
        with self.lock:
            if headers["webhook-id"] in self.ids:
                return "repeated"
            self.ids[headers["webhook-id"]] = True
            if len(self.ids) > IDS_MOST:
                self.ids.popitem(last=False)
            # A replay tells of the past: it moves nothing.
            if "x-service-replay-of" in headers:
                return "replay"
            # Set by the channel: {"key": "x-check-id", "value": "{{CHECK_ID}}"}.
            check = headers.get("x-check-id", "")
            created_ms = int(headers["x-service-timestamp"])
            if created_ms < self.newest.get(check, 0):
                return "late"
            self.newest[check] = created_ms
            return "accepted"


def act(outcome, headers, body):
    """What you do about an alert. It runs after the answer: Tocsin waits 30 s at most, and then sends again."""
    print(json.dumps({"outcome": outcome, "id": headers.get("webhook-id"), "bytes": len(body)}), flush=True)


def main():
    inbox = Inbox(os.environ.get("SECRET", "").split())
    waiting = queue.Queue()

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def do_POST(self):
            size = int(self.headers.get("content-length", 0))
            if size > BODY_MOST:
                self.close_connection = True
                return self.answer(413)
            body = self.rfile.read(size)
            headers = {name.lower(): value for name, value in self.headers.items()}
            outcome = inbox.take(headers, body, time.time() * 1000)
            self.answer(400 if outcome in ("forged", "expired") else 200)
            waiting.put((outcome, headers, body))

        def answer(self, status):
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    def work():
        while True:
            act(*waiting.get())

    threading.Thread(target=work, daemon=True).start()
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Door)
    print("listening", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
