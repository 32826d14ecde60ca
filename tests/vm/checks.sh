#!/bin/sh
# Sourced by the scripts that run in a machine: what they expect, and what they wait for. `failed` is 1
# when something was not as expected.
failed=0

expect() { # expect WHAT COMMAND...
  what=$1
  shift
  if "$@" >/tmp/out 2>&1; then
    echo "ok: $what"
  else
    echo "FAILED: $what"
    tail -n 30 /tmp/out
    failed=1
  fi
}

await() { # await SECONDS COMMAND...
  left=$(($1 * 5))
  shift
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    [ $left -gt 0 ] || return 1
    sleep 0.2
  done
}
