#!/usr/bin/env bash
# usage: scripts/image.sh OUT.tar [REFERENCE]
#
# Makes a container image of the release program, without a registry and without a container engine: a tar file that
# is both an OCI image layout and what `docker load` takes. In it are the program, the libraries that it is linked
# with or loads, the certificate authorities that this system trusts, for hooks with https://, and nothing else: no shell.
# The same files give the same bytes.
#
#   ctr -n k8s.io image import OUT.tar      on each node, for a kubelet on containerd
#   podman load -i OUT.tar                  to push it to a registry from there
#
# Environment: JETTISON_BUILD (default build/release), SOURCE_DATE_EPOCH (default 0).
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin  # ldconfig is there, and an ordinary user of Debian has neither
here=$(cd "$(dirname "$0")/.." && pwd)

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
  exit 2
fi
version=$("$here/scripts/version.sh")
out=$(realpath -m "$1")
reference=${2:-jettison.local/jettison:$version}
build=${JETTISON_BUILD:-$here/build/release}
epoch=${SOURCE_DATE_EPOCH:-0}
if [ ! -x "$build/jettison" ]; then
  echo "$build/jettison is missing; make release" >&2
  exit 1
fi
case "$(uname -m)" in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
  *) architecture=$(uname -m) ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
install -D "$build/jettison" "$root/usr/bin/jettison"

# Each library is put where the loader found it. "name => path (address)", or the loader's own path.
libraries() {
  ldd "$build/jettison" | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && $2 ~ /^\(0x/ { print $1 }'
}
libraries | sed 's/:$//' | sort -u | while read -r library; do
  install -D -m 755 "$(realpath "$library")" "$root$library"
done

# Where libcurl and GnuTLS look for them.
authorities=/etc/ssl/certs/ca-certificates.crt
if [ ! -s "$authorities" ]; then
  echo "$authorities is missing; Debian: apt-get install ca-certificates" >&2
  exit 1
fi
install -D -m 644 "$(realpath "$authorities")" "$root$authorities"

# A user's name is looked up for `socketGroup`; the rest are places where something is mounted.
mkdir -p "$root"/{etc/jettison,proc,sys/fs/cgroup,tmp,run/jettison,var/lib/jettison,var/lib/kubelet,var/log/pods}
chmod 1777 "$root/tmp"
echo 'root:x:0:0:root:/:/usr/sbin/nologin' >"$root/etc/passwd"
echo 'root:x:0:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"

digest() { sha256sum "$1" | cut -d' ' -f1; }
size() { stat -c %s "$1"; }
pack() {  # pack FOLDER OUT ENTRY...
  tar --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mtime="@$epoch" \
    -C "$1" -cf "$2" "${@:3}"
}
blobs=$work/image/blobs/sha256
mkdir -p "$blobs"
keep() {  # keep FILE: as a blob; tells its digest
  local name
  name=$(digest "$1")
  mv "$1" "$blobs/$name"
  echo "$name"
}

chmod -R u=rwX,go=rX "$root"
chmod 1777 "$root/tmp"
pack "$root" "$work/layer" .
layer=$(keep "$work/layer")
created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
cat >"$work/config" <<END
{"architecture":"$architecture","os":"linux","created":"$created","config":{"Entrypoint":["/usr/bin/jettison"],"Env":["PATH=/usr/bin"],"WorkingDir":"/","Labels":{"org.opencontainers.image.title":"jettison","org.opencontainers.image.version":"$version"}},"rootfs":{"type":"layers","diff_ids":["sha256:$layer"]},"history":[{"created":"$created","created_by":"scripts/image.sh"}]}
END
config=$(keep "$work/config")
cat >"$work/manifest" <<END
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:$config","size":$(size "$blobs/$config")},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":"sha256:$layer","size":$(size "$blobs/$layer")}]}
END
manifest=$(keep "$work/manifest")

cd "$work/image"
echo '{"imageLayoutVersion":"1.0.0"}' >oci-layout
cat >index.json <<END
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:$manifest","size":$(size "$blobs/$manifest"),"annotations":{"io.containerd.image.name":"$reference","org.opencontainers.image.ref.name":"${reference##*:}"}}]}
END
cat >manifest.json <<END
[{"Config":"blobs/sha256/$config","RepoTags":["$reference"],"Layers":["blobs/sha256/$layer"]}]
END
chmod -R u=rwX,go=rX .
pack . "$work/out" blobs index.json manifest.json oci-layout
install -D -m 644 "$work/out" "$out"
echo "$out: $reference, $(($(size "$out") / 1048576)) MiB, manifest sha256:$manifest"
