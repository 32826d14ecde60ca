#!/usr/bin/env bash
# usage: tests/packaging/artifacts.sh BUILD_DIR
#
# What a release consists of (scripts/release-artifacts.sh): made twice it is the same bytes, each file is in SHA256SUMS and
# signed if a key is given, the version is the same everywhere, the sources are all that is committed. As root also: the archive for other
# distributions runs in a root that holds nothing else: no shell, no library, no file of a distribution.
cd "$(dirname "$0")/../.."
. tests/packaging/checks.sh

scripts/release-artifacts.sh "$build" "$work/one" >/dev/null 2>&1
make_signed() {
  mkdir -m 700 "$work/keys"
  GNUPGHOME=$work/keys gpg --batch --quiet --passphrase '' --quick-generate-key releases@example.org default default never &&
    GNUPGHOME=$work/keys scripts/release-artifacts.sh --sign releases@example.org "$build" "$work/two"
}
signatures_hold() {
  local file signed=0
  for file in "$work"/two/*.asc; do
    GNUPGHOME=$work/keys gpg --batch --verify "$file" "${file%.asc}" && signed=$((signed + 1))
  done
  [ "$signed" -eq 5 ]
}
refuses_a_key_that_is_not_there() {
  local status=0
  GNUPGHOME=$work/keys scripts/release-artifacts.sh --sign nobody@example.org "$build" "$work/three" || status=$?
  [ "$status" -eq 1 ] && [ ! -e "$work/three" ]
}
if command -v gpg >/dev/null; then
  check "a release is signed" make_signed
  check "each file has a signature that holds" signatures_hold
  check "a key that is not there is a fault before anything is made" refuses_a_key_that_is_not_there
  GNUPGHOME=$work/keys gpgconf --kill all
  rm -f "$work"/two/*.asc
else
  skip "signatures need gpg"
  scripts/release-artifacts.sh "$build" "$work/two" >/dev/null 2>&1
fi
version=$(scripts/version.sh)
check "the same build gives the same bytes" diff -r "$work/one" "$work/two"
check "every file is in SHA256SUMS, and as it says there" sh -c "cd '$work/one' && sha256sum --check --strict SHA256SUMS &&
  [ \"\$(wc -l <SHA256SUMS)\" -eq 4 ] && [ \"\$(ls | wc -l)\" -eq 5 ]"

one_version() {
  "$build/jettison" --version | grep -q -w "$version" &&
    grep -q "^appVersion: $version\$" packaging/kubernetes/chart/Chart.yaml &&
    grep -q "image: jettison.local/jettison:$version\$" packaging/kubernetes/base/daemonset.yaml &&
    grep -q "^## \[$version\]" CHANGELOG.md
}
check "the version is the same everywhere" one_version

all_sources() {
  diff <(tar -tzf "$work/one/jettison-$version.tar.gz" | sed -n "s|^jettison-$version/\(.*[^/]\)\$|\1|p" | sort) \
    <(git -c core.quotePath=false ls-tree -r --name-only HEAD | sort)
}
check "the sources are what is committed" all_sources

root=$work/root
mkdir -p "$root/opt"
tar -C "$root/opt" -xf "$work/one/jettison-$version-linux-$(dpkg --print-architecture).tar.xz"
check "each library beside the program has its license" sh -c \
  "! find '$root/opt/jettison/share/doc/jettison/licenses' -type f -empty | grep . &&
   test -s '$root/opt/jettison/share/doc/jettison/licenses/libc6'"

alone=/opt/jettison/bin/jettison
in_a_bare_root() {
  chroot "$root" "$alone" --version &&
    chroot "$root" "$alone" check-config /opt/jettison/share/doc/jettison/jettison.yaml
}
# Loaded when it is wanted, and then missing for the first time: where nobody listens, it says that and nothing else.
speaks_https() {
  chroot "$root" "$alone" status --server https://127.0.0.1:1 2>"$work/said" || true
  cat "$work/said"
  grep -q -i 'connect' "$work/said" && ! grep -q -i 'librar' "$work/said"
}
# The whole of it: an agent with pods, under pressure, with what a kernel offers and nothing of a distribution.
runs_the_demo() {
  mkdir -p "$root"/{run,tmp,var/lib}
  timeout 120 tests/packaging/bare_root.py "$root" "$alone" demo
}
if [ "$(id -u)" = 0 ]; then
  check "the archive runs in a root that holds nothing else" in_a_bare_root
  check "it speaks HTTPS there" speaks_https
  check "it evicts there" runs_the_demo
else
  skip "a root of its own needs root"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
