#!/usr/bin/env bash
# usage: tests/packaging/machine.sh BUILD_DIR
#
# The life of the Debian package of a release build in a virtual machine: a fresh Debian that is started by its own systemd
# (tests/vm/package_life.sh). Needs root, mmdebstrap with a mirror, and qemu; where one is missing it is skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?usage: tests/packaging/machine.sh BUILD_DIR}

skip() {
  echo "skipped: $1"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}
[ "$(id -u)" = 0 ] || skip "a system of its own needs root"
command -v mmdebstrap >/dev/null || skip "no mmdebstrap; Debian: apt-get install mmdebstrap"
command -v qemu-system-x86_64 >/dev/null || skip "no qemu; scripts/install-deps.sh installs it"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package=$(scripts/deb.sh "$build" "$work")
# The same programs under a later version: what is tried is dpkg's way from one to the other.
dpkg-deb -R "$package" "$work/newer"
sed -i 's/^Version: .*/&.1/' "$work/newer/DEBIAN/control"
newer=$work/newer.deb
dpkg-deb --build --root-owner-group "$work/newer" "$newer" >/dev/null

# What apt would install with it: what it depends on and what it recommends.
depends=$(dpkg-deb -f "$package" Depends Recommends | sed 's/^[A-Z][a-z]*: //; s/ *([^)]*)//g; s/, */,/g' | paste -s -d,)
mmdebstrap --quiet --variant=minbase --include="$depends,init-system-helpers,systemd-sysv" bookworm "$work/root"
echo 0123456789abcdef0123456789abcdef >"$work/root/etc/machine-id"

cp "$package" "$work/package.deb"
if tests/vm/run.py --deadline 900 --memory 1024 --disk 1024 --root "$work/root" --file "$work/package.deb" \
  --file "$newer" --file tests/vm/checks.sh tests/vm/package_life.sh package.deb newer.deb; then
  echo "1 passed, 0 failed, 0 skipped"
else
  status=$?
  [ "$status" != 77 ] || skip "this machine cannot run a virtual one"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi
