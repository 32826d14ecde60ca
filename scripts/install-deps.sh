#!/usr/bin/env bash
# Installs the Debian packages that building and testing need; says nothing when all are there.
# With --fuzz also what the fuzz targets and the sanitized builds need (clang).
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
[ "${1:-}" = --fuzz ] && packages+=(clang-19 libclang-rt-19-dev)

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
