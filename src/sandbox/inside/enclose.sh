#!/bin/sh
# Runs in its own namespaces, as root there. Builds a file system with only what a script needs, drops all privileges
# and executes the remaining arguments (docs/decisions/0081). Arguments: <empty folder> <mounts as lines of fstab>
# <folders to create> <files to create> <links to copy> <files to copy to etc> <read-only mount points> <other mount
# points> <user id, or - to stay> <command>…
set -e
root=$1 mounts=$2 folders=$3 files=$4 links=$5 copies=$6 shown=$7 others=$8 user=$9
shift 9

# The network has only a loopback, which must be brought up by whichever program is available.
ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || busybox ip link set lo up 2>/dev/null ||
  perl -e 'my $s; my $r = pack("a16 s x22", "lo", 1); socket($s, 2, 2, 0) && ioctl($s, 0x8914, $r) || exit 1' 2>/dev/null || {
  echo 'cannot bring up the loopback interface: install iproute2' >&2
  exit 1
}

# Few programs for everything: each one started here delays every script.
mount -t tmpfs -o size=4m,mode=755 tmpfs "$root"
cd "$root"
mkdir -p old $folders
for name in $files; do : >"$name"; done
if [ -n "$links" ]; then cp -P $links .; fi
if [ -n "$copies" ]; then cp -L $copies etc; fi
printf '%s\n' "$mounts" >old/mounts
# The error matters only if something is missing, see below.
said=$(mount -a -T "$root/old/mounts" 2>&1) || true
rm old/mounts
refuse() {
  echo "$1 cannot be mounted: $said" >&2
  exit 1
}
# Required mounts. In most containers, parts of /proc are covered, and then only root can mount another /proc. Other
# users also cannot bind a folder without the mounts inside it.
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
# Not every mount makes a bind read-only at once; in a user namespace none does if the source has more options. Check
# each one and remount the rest.
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
