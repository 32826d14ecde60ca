#!/usr/bin/env bash
# usage: tests/packaging/library.sh BUILD_DIR
#
# The library of a build: installed, it lets the program of `examples` be built, which prints what examples/README.md says.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?usage: tests/packaging/library.sh BUILD_DIR}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --component library --prefix "$work/prefix" >/dev/null
cmake -S examples -B "$work/examples" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/examples" >/dev/null
"$work/examples/decide" examples/kubelet.yaml examples/pods.yaml examples/summary.json |
  diff -Z <(sed -n '/^\$ .*decide .*summary.json$/,/^```$/p' examples/README.md | sed '1d;$d') -
