#!/bin/sh
# Each headline of a run of petvet as a test: prints what still fails, and exits with 1 if any does.
failed=0
say() { printf '%s\n' "$1"; }
fails() { failed=1; say "FAIL $1"; say "     expected $2"; }
send() { answer=$("$@"); status=$(say "$answer" | sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p'); }
in_head() { say "$answer" | sed '/^.\{0,1\}$/q' | grep -qi "^$1:"; }
target=${1:-https://www.zoo.example}

# A subdomain has a CNAME record whose value is the platform host.
petvet domains check >/dev/null 2>&1 || fails 'A subdomain has a CNAME record whose value is the platform host.' 'no failure'

# The name has no conflicting record.
petvet domains check >/dev/null 2>&1 || fails 'The name has no conflicting record.' 'no failure'

exit $failed
