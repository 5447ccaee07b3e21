#!/bin/sh
# Checks the image for containers: builds it with podman from the Debian package and a bare Debian 12, and runs a job, a
# master and an executor in it.
# Usage: test_image.sh PACKAGE ROOT. ROOT is a folder with a bare Debian 12, which is not changed. It becomes the base
# image, so that no registry is needed. Needs root, podman and 3 GB of free space in TMPDIR. Images and containers of
# the user are not touched.
set -eu
package=${1:?a package} root=${2:?a folder with a bare Debian 12}
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
expect() { "$@" || { echo "test_image: failed: $*" >&2; exit 1; }; }

# Containers share the network of this machine and have its limits, because a container in which this test runs may not
# give more. For the same reason runc is preferred: crun needs one version of control groups.
runtime=$(command -v runc || command -v crun)
pod() { podman --root "$work/storage" --runroot "$work/run" --storage-driver vfs --cgroup-manager cgroupfs "$@"; }
start() {
  pod --runtime "$runtime" run --network host --pull never --ulimit "nofile=$(ulimit -n)" --ulimit nproc=4096 "$@"
}
cleanup() {
  pod rm --all --force --time 5 >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

mkdir "$work/context"
cp "$package" "$work/context/paravane.deb"
tar -C "$root" --one-file-system -c . | pod import - localhost/debian:12-slim >/dev/null
expect pod build --quiet --pull=never --layers=false --isolation chroot --network host -f "$source/deploy/container/Containerfile" \
  -t paravane "$work/context" >/dev/null

expect start --rm paravane version
[ "$(start --rm --entrypoint id paravane -un)" = paravane ] || { echo "test_image: does not run as paravane" >&2; exit 1; }

# A single run, with the data of a volume.
mkdir "$work/data"
printf 'x,y,label\n1,2,a\n2,1,b\n1,3,a\n3,1,b\n1,4,a\n4,1,b\n' >"$work/data/rows.csv"
chmod -R a+rX "$work/data" "$work"
job="mlp --train /data/rows.csv --epochs 2 --quiet"
# shellcheck disable=SC2086
alone=$(expect start --rm -v "$work/data:/data:ro" -v paravane-alone:/var/lib/paravane paravane run --master 'local[1]' $job)

# A master and an executor in containers of their own. All read the token in the volume of the master.
port=$((20000 + $$ % 20000))
url=dl://127.0.0.1:$port token=/var/lib/paravane/token
client() { start --rm -v "$work/data:/data:ro" -v paravane-master:/var/lib/paravane paravane "$@" --master "$url" --token-file $token; }
wait_for() {  # CONTAINER TEXT: waits until the status of the cluster has the text, while the container runs
  until client status --json 2>/dev/null | grep -q "$2"; do
    [ "$(pod inspect --format '{{.State.Running}}' "$1")" = true ] || { pod logs "$1" >&2; exit 1; }
  done
}
expect start -d --name master -v paravane-master:/var/lib/paravane paravane master --port "$port" >/dev/null
wait_for master '"term"'
expect start -d --name executor -v paravane-master:/var/lib/paravane paravane executor --master "$url" \
  --token-file $token --cache-dir /tmp/cache >/dev/null
wait_for executor '"executor":'
# shellcheck disable=SC2086
shared=$(expect client submit $job)

state() { sed -n 's/.*"state_sha256":"\([0-9a-f]*\)".*/\1/p' | head -n 1; }
of_run=$(start --rm -v paravane-alone:/var/lib/paravane paravane status "$alone" --json | state)
of_cluster=$(client status "$shared" --json | state)
[ -n "$of_run" ] && [ "$of_run" = "$of_cluster" ] ||
  { echo "test_image: the states differ: $of_run, $of_cluster" >&2; exit 1; }
# SIGTERM ends the master cleanly.
expect pod stop --time 30 master >/dev/null
[ "$(pod inspect --format '{{.State.ExitCode}}' master)" = 0 ] || { pod logs master >&2; exit 1; }
echo "test_image: the image trains, alone and as a cluster, with the same bits"
