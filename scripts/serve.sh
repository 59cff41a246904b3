#!/bin/sh
# Starts the service as it is meant to run. A young generation of 8 MB, because V8 would take 130 MB for it on a machine
# with much memory, and be no faster (docs/performance.md).
exec sh "$(dirname "$0")/node24.sh" --max-semi-space-size=8 "$@" src/main.ts
