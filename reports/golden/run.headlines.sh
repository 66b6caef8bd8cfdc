#!/bin/sh
# Each headline of a run of petvet as a test: prints what still fails, and exits with 1 if any does.
failed=0
say() { printf '%s\n' "$1"; }
fails() { failed=1; say "FAIL $1"; say "     expected $2"; }
send() { answer=$("$@"); status=$(say "$answer" | sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p'); }
in_head() { say "$answer" | sed '/^.\{0,1\}$/q' | grep -qi "^$1:"; }
target=${1:-http://127.0.0.1:8080/v1}


exit $failed
