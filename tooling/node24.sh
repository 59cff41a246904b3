#!/bin/sh
# Starts a TypeScript file with the Node.js 24 that npm ci brought, or with one of this machine's if it is new enough.
here=$(cd "$(dirname "$0")/.." && pwd)
# Compiled once, not by each thread of each start: half the time until ready and 18 MB a thread less (docs/performance.md).
# Where the folder cannot be written, Node.js goes on without it. Whoever else can write there decides what runs here: it is made
# so that only this user can, and left alone where it is another's than this user's or root's, or others can write it.
# The umask holds for all that the program writes: what the service keeps is nobody else's to change.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$here/node_modules/.cache/node-compile}"
umask go-w
mkdir -p "$NODE_COMPILE_CACHE" 2>/dev/null
if [ -n "$(find -H "$NODE_COMPILE_CACHE" -maxdepth 1 \( ! -user "$(id -u)" ! -user 0 -o -perm -020 -o -perm -002 \) 2>/dev/null)" ]; then
  echo "tocsin: compiled code is not kept: $NODE_COMPILE_CACHE is another user's, or others can write it;" \
    "right is a NODE_COMPILE_CACHE that belongs to this user and that nobody else can write." >&2
  unset NODE_COMPILE_CACHE
fi
# What is known about a folder of modules is not looked up for each of them. Where a path has these characters, Node.js would take
# it for another one.
case $here in
  *[%#?]*) ;;
  *) set -- --import "$here/tooling/quick-modules.ts" "$@" ;;
esac
# V8 compiles and clears memory away in threads beside: four by default, also where they share two processors with all else, and are in
# each other's way. 0 stands for one less than there are processors, and one where there is one. A container may have a part of them.
processors=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 8)
if [ -r /sys/fs/cgroup/cpu.max ] && read -r quota period </sys/fs/cgroup/cpu.max && [ "$quota" != max ] && [ "${period:-0}" -gt 0 ]; then
  [ $((quota / period)) -lt "$processors" ] && processors=$((quota / period))
fi
[ "$processors" -lt 5 ] && set -- --v8-pool-size=0 "$@"
for node in "$here/node_modules/.bin/node" "$(command -v node)"; do
  [ -x "$node" ] || continue
  version=$("$node" --version 2>/dev/null) || continue
  major=${version#v}
  major=${major%%.*}
  [ "${major:-0}" -ge 24 ] && exec "$node" "$@"
done
echo "tocsin: Node.js 24 or newer is needed; run 'npm ci' in $here (it brings one), or install one." >&2
exit 1
