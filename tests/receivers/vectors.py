"""Prints what docs/receivers/receiver.py says of each line on stdin: now, secrets, headers and body, apart by tabs, in base64;
each header a line "name: value".
"""

import base64
import sys

sys.path.insert(0, sys.argv[1])
from receiver import verify  # noqa: E402

for line in sys.stdin:
    now, secrets, headers, body = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    named = dict(header.split(": ", 1) for header in headers.decode().split("\n"))
    print(verify(named, body, secrets.decode().split(), int(now)))
