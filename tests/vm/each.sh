#!/bin/sh
# Runs each of its arguments as a command of the shell, one after the other, and fails when one did.
failed=0
for command; do
  echo "vm: $command"
  sh -c "$command" || failed=1
done
exit $failed
