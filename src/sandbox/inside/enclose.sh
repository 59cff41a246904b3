#!/bin/sh
# Runs in namespaces of its own, as root there: builds a file system that holds only what a script needs, gives up every
# right and executes the rest of its words (docs/decisions/0081).
# Words: <empty folder> <mounts, as lines of fstab> <folders to make> <files to make> <links to copy> <files to copy to etc>
# <places to be mounted, read-only> <and others> <user id, or - to stay> <command>…
set -e
root=$1 mounts=$2 folders=$3 files=$4 links=$5 copies=$6 shown=$7 others=$8 user=$9
shift 9

# The network holds nothing but its own loopback, which some program has to switch on: whichever is there.
ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || busybox ip link set lo up 2>/dev/null ||
  perl -e 'my $s; my $r = pack("a16 s x22", "lo", 1); socket($s, 2, 2, 0) && ioctl($s, 0x8914, $r) || exit 1' 2>/dev/null || {
  echo 'the loopback of its network cannot be switched on: install iproute2' >&2
  exit 1
}

# Few programs for much: each that is started here is time before the first line of every script.
mount -t tmpfs -o size=4m,mode=755 tmpfs "$root"
cd "$root"
mkdir -p old $folders
for name in $files; do : >"$name"; done
if [ -n "$links" ]; then cp -P $links .; fi
if [ -n "$copies" ]; then cp -L $copies etc; fi
printf '%s\n' "$mounts" >old/mounts
# What is said of it counts where something is missing: see below.
said=$(mount -a -T "$root/old/mounts" 2>&1) || true
rm old/mounts
refuse() {
  echo "$1 cannot be mounted: $said" >&2
  exit 1
}
# Without these nothing can be looked at. A container mostly covers parts of its /proc, and then nobody but root mounts another; nor does
# anybody else mount a folder alone in which something is mounted.
[ -e proc/self ] || refuse /proc
[ -d usr/bin ] || refuse /usr
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr

pivot_root . old
cd /home/check
umount -l /old
rmdir /old
# Not every mount makes what it binds read-only at once, and in a user's own namespace none does it with what is mounted with
# more options than these: what is there is looked at, and the rest done one by one.
there=' '
while read -r _ _ _ _ place options _; do
  there="$there$place "
  case " $shown " in *" $place "*) case ,$options, in *,ro,*) ;; *) mount -o remount,bind,ro "$place" ;; esac ;; esac
done </proc/self/mountinfo
for place in $shown $others; do
  case $there in *" $place "*) ;; *) refuse "$place" ;; esac
done
mount -o remount,bind,ro /

if [ "$user" = - ]; then
  exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs --pdeathsig KILL "$@"
fi
exec setpriv --reuid="$user" --regid="$user" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
  --pdeathsig KILL "$@"
