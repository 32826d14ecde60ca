#!/usr/bin/env bash
# usage: scripts/release-artifacts.sh [--sign KEY] BUILD_DIR OUT_FOLDER
#
# Makes what a release consists of, from a release build and the last commit:
#
#   jettison_VERSION-1_ARCHITECTURE.deb      for Debian 12 (scripts/deb.sh)
#   jettison-VERSION.tar.gz                  the sources, as they are committed
#   jettison-VERSION-linux-ARCHITECTURE.tar.xz   for other distributions: unpacked below /opt it needs nothing of the host but its kernel
#   jettison-VERSION-linux-ARCHITECTURE.spdx.json   what the programs are made of (SPDX)
#   SHA256SUMS                               of all of them
#
# The same build and the same commit give the same bytes.
#
# --sign KEY   also a detached signature beside each of these files. KEY is a secret key of minisign, a file (FILE.minisig; minisign
#              asks for its password), or else names a secret key of gpg (FILE.asc). A key that is not there is a fault before
#              anything is made.
#
# Environment: SOURCE_DATE_EPOCH (default: the time of the last commit).
# Exit status: 0 when all is made, 1 when something is missing or fails, 2 after wrong usage.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin  # ldconfig is there, and an ordinary user of Debian has neither
here=$(cd "$(dirname "$0")/.." && pwd)

case "${1:-}" in
  --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
  --sign) key=${2:-}; shift "$(($# < 2 ? $# : 2))" ;;
esac
if [ $# -ne 2 ] || [ ! -x "$1/jettison" ] || [ "${key-unset}" = "" ]; then
  sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
  echo "BUILD_DIR must hold a release build: make release" >&2
  exit 2
fi
sign=
if [ -f "${key:-}" ]; then
  sign=minisign key=$(realpath "$key")
elif [ -n "${key:-}" ]; then
  sign=gpg
fi
if [ -n "$sign" ]; then
  command -v "$sign" >/dev/null || { echo "no $sign; Debian: apt-get install gpg minisign" >&2; exit 1; }
  [ "$sign" = minisign ] || gpg --batch --list-secret-keys "$key" >/dev/null || exit 1
fi
for tool in cmake git patchelf strip python3 tar xz ldd; do
  command -v "$tool" >/dev/null || { echo "no $tool; Debian: apt-get install binutils cmake git patchelf python3 xz-utils" >&2; exit 1; }
done
build=$(cd "$1" && pwd)
out=$(mkdir -p "$2" && cd "$2" && pwd)
version=$("$here/scripts/version.sh")
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct)}
umask 022
if [ -n "$(git -C "$here" status --porcelain)" ]; then
  echo "release-artifacts: there are changes that are not committed; they are not in the source archive" >&2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of the loader: "name => path (address)", or its own path.
libraries_of() {
  ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && $2 ~ /^\(0x/ { print $1 }' | sort -u
}

# The licenses of what is put beside the program, as its packages have them.
copy_licenses() {  # copy_licenses FOLDER LIBRARY...
  local folder=$1 library path package
  shift
  mkdir -p "$folder"
  for library in "$@"; do
    path=$(realpath "$library")
    # dpkg knows some as /lib/..., which is /usr/lib/... by now.
    package=$(dpkg -S "$path" 2>/dev/null || dpkg -S "${path#/usr}")
    package=${package%%:*}
    cp "/usr/share/doc/$package/copyright" "$folder/$package"
  done
}

make_source_archive() {
  git -C "$here" archive --format=tar --prefix="jettison-$version/" HEAD | gzip -9n >"$out/jettison-$version.tar.gz"
}

make_portable_archive() {
  local root=$work/portable library loader libraries name
  local prefix=$root/opt/jettison
  name=jettison-$version-linux-$(dpkg --print-architecture)
  DESTDIR=$root cmake --install "$build" --prefix /opt/jettison --component program >/dev/null
  strip --strip-unneeded --remove-section=.comment --remove-section=.note "$prefix"/bin/*
  libraries=$(libraries_of "$build/jettison")
  for library in $libraries; do
    install -m 755 "$(realpath "$library")" "$prefix/lib/${library##*/}"
  done
  loader=$(patchelf --print-interpreter "$build/jettison")
  # RPATH and not RUNPATH: it counts for what libraries need, too. $ORIGIN would need /proc.
  # The shim is static.
  patchelf --set-interpreter "/opt/jettison/lib/${loader##*/}" --force-rpath --set-rpath /opt/jettison/lib \
    "$prefix/bin/jettison"
  python3 "$here/scripts/spdx.py" "$build" >"$out/$name.spdx.json"
  install -m 644 "$out/$name.spdx.json" "$prefix/share/doc/jettison/jettison.spdx.json"
  # shellcheck disable=SC2086
  copy_licenses "$prefix/share/doc/jettison/licenses" $libraries
  install -m 644 "$here/CHANGELOG.md" "$here/packaging/portable.md" "$prefix/share/doc/jettison/"
  tar --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    -C "$root/opt" -cf - jettison | xz -T1 -6 >"$out/$name.tar.xz"
}

sign_all() {  # sign_all FILE...
  local file
  for file in "$@"; do
    case $sign in
      minisign) minisign -S -s "$key" -m "$file" -x "$file.minisig" ;;
      gpg) gpg --batch --yes --local-user "$key" --armor --output "$file.asc" --detach-sign "$file" ;;
    esac
  done
}

"$here/scripts/deb.sh" "$build" "$out" >/dev/null
make_source_archive
make_portable_archive
cd "$out"
made=("jettison_$version"-*.deb "jettison-$version.tar.gz" "jettison-$version"-linux-*.tar.xz "jettison-$version"-linux-*.spdx.json)
LC_ALL=C sha256sum "${made[@]}" >SHA256SUMS
sign_all "${made[@]}" SHA256SUMS
cat SHA256SUMS
