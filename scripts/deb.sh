#!/usr/bin/env bash
# usage: scripts/deb.sh BUILD_DIR OUT_FOLDER
#
# Makes the Debian package of a release build: what `cmake --install` puts below /usr, the configuration of
# packaging/debian, and a list of what is linked in (SPDX). The same build gives the same bytes.
# Environment: SOURCE_DATE_EPOCH (default: the time of the last commit).
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)

if [ $# -ne 2 ] || [ ! -x "$1/jettison" ]; then
  sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
  echo "BUILD_DIR must hold a release build: make release" >&2
  exit 2
fi
for tool in dpkg-deb dpkg-shlibdeps cmake strip python3; do
  command -v "$tool" >/dev/null || { echo "no $tool; Debian: apt-get install dpkg-dev binutils cmake python3" >&2; exit 1; }
done
build=$(cd "$1" && pwd)
out=$(mkdir -p "$2" && cd "$2" && pwd)
debian=$here/packaging/debian
version=$("$here/scripts/version.sh")-1
architecture=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct)}
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
DESTDIR=$root cmake --install "$build" --prefix /usr --component program >/dev/null
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root"/usr/bin/*

# What a package has beside the files that are installed by hand.
doc=$root/usr/share/doc/jettison
rm "$doc/LICENSE"  # named in `copyright`, and on every Debian
install -m 644 "$debian/copyright" "$doc/copyright"
install -D -m 644 "$debian/jettison.yaml" "$root/etc/jettison/jettison.yaml"
install -d -m 755 "$root/etc/jettison/conf.d"
install -D -m 644 "$debian/lintian-overrides" "$root/usr/share/lintian/overrides/jettison"
python3 "$here/scripts/spdx.py" "$build" >"$doc/jettison.spdx.json"
install -m 644 "$here/CHANGELOG.md" "$doc/changelog"
cat >"$doc/changelog.Debian" <<END
jettison ($version) bookworm; urgency=medium

  * What has changed is in changelog.gz.

 -- $(sed -n 's/^Maintainer: //p' "$debian/control.in")  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
find "$root/usr/share/man" "$doc"/changelog* -type f -exec gzip -9n {} +

# Which packages the libraries come from, and in which version.
mkdir -p "$work/debian" "$root/DEBIAN"
printf 'Source: jettison\n\nPackage: jettison\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O root/usr/bin/jettison 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
sed -e "s|@VERSION@|$version|" -e "s|@ARCHITECTURE@|$architecture|" \
  -e "s|@SIZE@|$(du -k -s --apparent-size "$root" | cut -f1)|" -e "s|@DEPENDS@|$depends|" \
  "$debian/control.in" >"$root/DEBIAN/control"
install -m 644 "$debian/conffiles" "$root/DEBIAN/conffiles"
install -m 755 "$debian"/{preinst,postinst,prerm,postrm} "$root/DEBIAN/"
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | LC_ALL=C sort |
  grep -v -x -F -f <(sed 's|^/||' "$debian/conffiles") | tr '\n' '\0' | xargs -0 md5sum) >"$work/md5sums"
install -m 644 "$work/md5sums" "$root/DEBIAN/md5sums"

# A file says nothing of when it was packed.
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
package=$out/jettison_${version}_$architecture.deb
dpkg-deb --build --root-owner-group -Zxz "$root" "$package" >/dev/null
echo "$package"
