#!/bin/bash
# Makes a root folder of Debian trixie with PyTorch 2 for the rivals torch2 and torch2-compiled of `steps`:
#
#   bench/torch/trixie_root.sh DIR        as root; about 1.5 GB; then: steps MODEL --rival torch2 --root DIR
#   bench/torch/trixie_root.sh --unmount DIR
#
# Uses the Debian mirror of this machine. Mounts the temporary folder and this working tree at the same paths in DIR, where
# PyTorch reads its task.
set -eu
unmount=
if [ "${1:-}" = --unmount ]; then unmount=1; shift; fi
if [ $# -ne 1 ] || [ "$1" = -h ] || [ "$1" = --help ]; then sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; fi
root=$(realpath -m "$1")
tree=$(cd "$(dirname "$0")/../.." && pwd)
temporary=$(realpath "${TMPDIR:-/tmp}")

if [ -n "$unmount" ]; then
  for folder in "$tree" "$temporary" /proc; do
    if mountpoint -q "$root$folder"; then umount "$root$folder"; fi
  done
  exit
fi

if ! command -v debootstrap > /dev/null; then
  echo "error: debootstrap is not installed: apt-get install debootstrap" >&2
  exit 1
fi
# The first mirror of this machine: deb lines, or the newer form with URIs.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2> /dev/null |
         sed -n -E 's/^deb (\[[^]]*\] )?(https?:[^ ]+) .*/\2/p; s/^URIs: *(https?:[^ ]+).*/\1/p' | head -n 1)
if [ ! -x "$root/usr/bin/python3" ]; then
  debootstrap --variant=minbase trixie "$root" "$mirror"
fi
# Settings of apt that this machine needs to reach its mirror.
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
chroot "$root" apt-get update -qq
# torch.compile needs g++, setuptools and the headers of Python and PyTorch.
DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -qq --no-install-recommends \
  python3-torch python3-numpy python3-setuptools python3-dev libtorch-dev g++ libjemalloc2 libblis4-openmp
for folder in "$tree" "$temporary"; do
  mkdir -p "$root$folder"
  mountpoint -q "$root$folder" || mount --bind "$folder" "$root$folder"
done
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
chroot "$root" python3 -c 'import torch; print("PyTorch", torch.__version__)'
