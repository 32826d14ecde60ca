#!/bin/sh
# usage: scripts/version.sh
#
# The version of the project, from the one place that has it: CMakeLists.txt.
sed -n 's/^project(jettison VERSION \([0-9.]*\).*/\1/p' "$(dirname "$0")/../CMakeLists.txt"
