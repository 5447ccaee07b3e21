#!/bin/sh
# Checks the Debian package: lintian, and then its installation, use and removal in a copy of a bare Debian 12.
# Usage: test_package.sh PACKAGE ROOT. ROOT is a folder with a bare Debian 12, which is not changed. Needs root.
set -eu
package=${1:?a package} root=${2:?a folder with a bare Debian 12}
expect() { "$@" || { echo "test_package: failed: $*" >&2; exit 1; }; }

expect lintian --allow-root --fail-on error,warning "$package"

copy=$(mktemp -d)
cleanup() {
  umount "$copy/proc" 2>/dev/null || true
  rm -rf --one-file-system "$copy"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
cp -a --reflink=auto "$root/." "$copy"
mount -t proc proc "$copy/proc"
cp "$package" "$copy/tmp/paravane.deb"
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive chroot "$copy" "$@"; }

inside apt-get -q update
expect inside apt-get -q install -y --no-install-recommends /tmp/paravane.deb
expect inside dl-submit version
printf 'x,y,label\n1,2,a\n2,1,b\n1,3,a\n3,1,b\n1,4,a\n4,1,b\n' >"$copy/tmp/rows.csv"
expect inside dl-submit run --master 'local[1]' mlp --train /tmp/rows.csv --epochs 2 --data-dir /tmp/data --quiet
expect inside bash -c 'source /usr/share/bash-completion/completions/dl-submit; complete -p dl-master >/dev/null'
expect inside getent passwd paravane
for unit in paravane-master paravane-executor; do
  expect inside grep -q ExecStart=/usr/bin/dl-submit "/usr/lib/systemd/system/$unit.service"
done
for page in dl-submit dl-submit-run dl-master; do expect inside test -e "/usr/share/man/man1/$page.1.gz"; done

expect inside apt-get -q purge -y paravane
for file in $(inside sh -c 'ls -d /usr/bin/dl-* /usr/share/doc/paravane /usr/share/man/man1/dl-* \
    /usr/lib/systemd/system/paravane* /usr/share/bash-completion/completions/dl-* 2>/dev/null || true'); do
  echo "test_package: $file is left after the removal" >&2
  exit 1
done
echo "test_package: $package is clean, trains, and leaves no file"
