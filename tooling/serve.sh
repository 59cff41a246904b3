#!/bin/sh
# Starts the service as it is meant to run. A young generation of 8 MB, because V8 would take 130 MB for it on a machine
# with much memory, and be no faster. Old objects are looked through when they have grown by two fifths, not fourfold: what
# a flood of hostile receivers left behind is given back (docs/performance.md).
# With --compile alone nothing is served: what a start loads is compiled and kept, under the same settings, because V8 reads
# no code that was compiled under others.
entry=src/main.ts
[ "$*" = --compile ] && set -- && entry=tooling/compile.ts
exec sh "$(dirname "$0")/node24.sh" --max-semi-space-size=8 "$@" "$entry"
