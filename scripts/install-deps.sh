#!/usr/bin/env bash
# Installs the Debian packages that building and testing need; prints nothing when all are installed.
# --fuzz also installs what the fuzz targets and the sanitized builds need, --browser what the
# dashboard's tests need (Chromium, half a gigabyte), --lint clang-tidy.
set -euo pipefail

packages=(
  g++ clang-19 lld cmake ninja-build ccache pkg-config xz-utils patchelf dpkg-dev
  libfmt-dev libexpected-dev libyaml-cpp-dev libsimdjson-dev nlohmann-json3-dev libcli11-dev
  libsystemd-dev libgtest-dev libgmock-dev libbenchmark-dev
  libgrpc++-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libabsl-dev libc-ares-dev
  libre2-dev zlib1g-dev libmicrohttpd-dev libgnutls28-dev libcurl4-gnutls-dev libzstd-dev libxxhash-dev
  containerd runc
  qemu-system-x86 busybox-static systemd
  e2fsprogs xfsprogs btrfs-progs util-linux python3 python3-yaml clang-format git mandoc zsh fish jq curl openssl
  ca-certificates
)
# The dashboard is built with node and npm; those of another source than Debian do as well.
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)
for part in "$@"; do
  case "$part" in
    --fuzz) packages+=(libclang-rt-19-dev) ;;
    --browser) packages+=(chromium) ;;
    --lint) packages+=(clang-tidy-19) ;;
    *)
      echo "usage: scripts/install-deps.sh [--fuzz] [--browser] [--lint]" >&2
      exit 2
      ;;
  esac
done

# Tests alone need Prometheus, and its package would start it as a service, now and after each boot. So
# its two programs are taken out of the package and put here, where CMake finds them.
prometheus=/usr/local/lib/jettison-tests
install_prometheus() {
  local folder
  folder=$(mktemp -d)
  (
    cd "$folder"
    apt-get download -qq -o APT::Sandbox::User=root prometheus >/dev/null
    dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/prometheus ./usr/bin/promtool
  )
  install -D -t "$prometheus" "$folder/usr/bin/prometheus" "$folder/usr/bin/promtool"
  rm -rf "$folder"
}
has_prometheus() {
  [ -x "$prometheus/promtool" ] || command -v promtool >/dev/null
}

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && has_prometheus && exit 0

if [ "$(id -u)" -ne 0 ]; then
  has_prometheus || missing+=("prometheus (its two programs, for tests)")
  printf 'These packages are missing:\n' >&2
  printf '  %s\n' "${missing[@]}" >&2
  echo "Install them and try again: sudo $0 $*" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
if [ ${#missing[@]} -gt 0 ]; then
  echo "Installing ${missing[*]}"
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
has_prometheus || install_prometheus
