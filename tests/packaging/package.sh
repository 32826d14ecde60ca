#!/usr/bin/env bash
# usage: tests/packaging/package.sh BUILD_DIR
#
# The Debian package of a release build: made twice it is the same bytes, and lintian, where it is installed, finds no
# error. With mmdebstrap (and a mirror) also: it is installed, upgraded, removed and purged in a fresh system, and what
# pods have written stays.
cd "$(dirname "$0")/../.."
. tests/packaging/checks.sh

scripts/deb.sh "$build" "$work/one" >/dev/null
scripts/deb.sh "$build" "$work/two" >/dev/null
package=$(ls "$work"/one/*.deb)
check "the same build gives the same bytes" cmp "$package" "$work/two/${package##*/}"
dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/share/doc/jettison/jettison.spdx.json >"$work/spdx"
check "every license is known" sh -c "! grep -q 'licenseConcluded.*NOASSERTION' '$work/spdx'"
if command -v lintian >/dev/null; then
  check "lintian finds no error" lintian --fail-on error "$package"
else
  skip "no lintian; Debian: apt-get install lintian"
fi

# In the fresh system: nothing is left of the package but what pods have written.
in_fresh_system() {
  cat >"$work/steps" <<'END'
set -e
dpkg -i /package.deb | tee /said
grep -q 'observes this host and evicts nothing yet' /said
jettison --version
jettison check-config /etc/jettison/jettison.yaml | grep -q 'dry run  *yes'
printf 'apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\ndryRun: false\n' >/etc/jettison/conf.d/10-act.yaml
jettison check-config /etc/jettison/jettison.yaml --config-dir /etc/jettison/conf.d | grep -q 'dry run  *no'
mkdir -p /var/lib/jettison/pods/of-somebody /etc/systemd/system/jettison.service.d
echo old >/etc/systemd/system/jettison.service.d/runs-pods.conf
dpkg -i /package.deb | grep -q 'runs-pods.conf is not the file that belongs to this version'
ln -sf /usr/lib/jettison/runs-pods.conf /etc/systemd/system/jettison.service.d/runs-pods.conf
dpkg -i /package.deb >/said
if grep -q 'is not the file' /said; then exit 1; fi
rm -r /etc/systemd/system/jettison.service.d
dpkg -r jettison
test -e /etc/jettison/jettison.yaml
test -e /etc/jettison/conf.d/10-act.yaml
dpkg -P jettison
test -d /var/lib/jettison/pods/of-somebody
dpkg -i /package.deb >/said
grep -q 'evicts what the files in /etc/jettison let it evict' /said
rm /etc/jettison/conf.d/10-act.yaml
rmdir /var/lib/jettison/pods/of-somebody
dpkg -P jettison
left=$(find / -xdev -name '*jettison*' ! -path '/proc/*')
test -z "$left" || { echo "left behind: $left"; exit 1; }
END
  depends=$(dpkg-deb -f "$package" Depends | sed 's/ *([^)]*)//g; s/, */,/g')
  mmdebstrap --variant=apt --include="$depends,init-system-helpers" \
    --customize-hook="cp $work/steps \"\$1/steps\"" --customize-hook="cp '$package' \"\$1/package.deb\"" \
    --customize-hook='chroot "$1" sh -x /steps' bookworm /dev/null
}
if [ "$(id -u)" = 0 ] && command -v mmdebstrap >/dev/null; then
  check "it comes and goes in a fresh system" in_fresh_system
else
  skip "no root or no mmdebstrap; Debian: apt-get install mmdebstrap"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
