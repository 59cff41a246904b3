#!/bin/sh
# Runs a program with the Node.js 24 that npm installed with Tocsin, or with one of this machine if it is new enough.
here=$(cd "$(dirname "$0")/.." && pwd)
# Only this user may change what the program writes.
umask go-w
# In a clone; where npm installed Tocsin as a package, beside it.
for node in "$here/node_modules/.bin/node" "$here/../.bin/node" "$(command -v node)"; do
  [ -x "$node" ] || continue
  version=$("$node" --version 2>/dev/null) || continue
  major=${version#v}
  major=${major%%.*}
  [ "${major:-0}" -ge 24 ] && exec "$node" "$@"
done
echo "tocsin: Node.js 24 or newer is required; run 'npm ci' in $here, which installs it, or install it yourself." >&2
exit 1
