#!/bin/sh
# Runs in namespaces of its own, as root there: builds a file system that holds only what a script needs, gives up every
# right and executes the rest of its words (docs/decisions/0081).
# Words: <empty folder> <folder of the script> <folder of the runtime> <Node.js> <folder inside/> <folder of the gateway's socket> <folder of a browser, or -> <folder of compiled code, or -> <rw or ro> <user id, or - to stay> <command>…
set -e
root=$1 home=$2 runtime=$3 node=$4 inside=$5 gateway=$6 browser=$7 code=$8 mode=$9
shift 9
user=$1
shift

show() {
  mount --bind "$1" "$2"
  mount -o remount,bind,ro "$2"
}

# The network holds nothing but its own loopback, which some program has to switch on: whichever is there.
ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || busybox ip link set lo up 2>/dev/null ||
  perl -e 'my $s; my $r = pack("a16 s x22", "lo", 1); socket($s, 2, 2, 0) && ioctl($s, 0x8914, $r) || exit 1' 2>/dev/null || {
  echo 'the loopback of its network cannot be switched on: install iproute2' >&2
  exit 1
}

mount -t tmpfs -o size=4m,mode=755 tmpfs "$root"
cd "$root"
# Few programs for much: each that is started here is time before the first line of every script.
folders='' links='' files=''
for name in usr bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$name" ]; then links="$links /$name"; elif [ -d "/$name" ]; then folders="$folders $name"; fi
done
for name in ssl ca-certificates pki fonts alternatives; do
  if [ -d "/etc/$name" ]; then folders="$folders etc/$name"; fi
done
for name in hosts resolv.conf nsswitch.conf host.conf gai.conf services protocols localtime ld.so.cache; do
  if [ -f "/etc/$name" ]; then files="$files /etc/$name"; fi
done
mkdir -p proc dev/shm etc tmp home/check tocsin/inside tocsin/runtime tocsin/gateway old $folders
if [ -n "$links" ]; then cp -P $links .; fi
if [ -n "$files" ]; then cp -L $files etc; fi
for name in $folders; do show "/$name" "$name"; done
touch dev/null dev/zero dev/full dev/random dev/urandom tocsin/node
for name in null zero full random urandom; do mount --bind "/dev/$name" "dev/$name"; done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
mount -t tmpfs -o size=64m,mode=1777,nosuid,nodev tmpfs dev/shm
mount -t proc -o nosuid,nodev,noexec proc proc
mount --bind "$home" home/check
mount --bind "$home/tmp" tmp
show "$inside" tocsin/inside
show "$runtime" tocsin/runtime
show "$gateway" tocsin/gateway
if [ "$browser" != - ]; then
  mkdir tocsin/browser
  show "$browser" tocsin/browser
fi
if [ "$code" != - ]; then
  mkdir tocsin/code
  if [ "$mode" = rw ]; then mount --bind "$code" tocsin/code; else show "$code" tocsin/code; fi
fi
show "$node" tocsin/node

pivot_root . old
cd /home/check
umount -l /old
rmdir /old
mount -o remount,bind,ro /

if [ "$user" = - ]; then
  exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs --pdeathsig KILL "$@"
fi
exec setpriv --reuid="$user" --regid="$user" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
  --pdeathsig KILL "$@"
