#!/usr/bin/env bash
# Installs the Debian packages that building and testing need; says nothing when all are there.
# With --fuzz also what the fuzz targets and the sanitized builds need (clang), with --browser what the
# dashboard's tests need (Chromium, half a gigabyte).
set -euo pipefail

packages=(
  g++ lld cmake ninja-build ccache pkg-config xz-utils
  libfmt-dev libexpected-dev libyaml-cpp-dev libsimdjson-dev nlohmann-json3-dev libcli11-dev
  libsystemd-dev libboost-dev libgtest-dev libgmock-dev libbenchmark-dev
  libgrpc++-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libabsl-dev libc-ares-dev
  libre2-dev zlib1g-dev libmicrohttpd-dev libgnutls28-dev containerd runc
  qemu-system-x86 busybox-static
  e2fsprogs util-linux python3 clang-format git
)
# The dashboard is built with node and npm; those of another source than Debian do as well.
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)
for part in "$@"; do
  case "$part" in
    --fuzz) packages+=(clang-19 libclang-rt-19-dev) ;;
    --browser) packages+=(chromium) ;;
    *)
      echo "usage: scripts/install-deps.sh [--fuzz] [--browser]" >&2
      exit 2
      ;;
  esac
done

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "These packages are missing; install them and try again:" >&2
  echo "  sudo apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "Installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
