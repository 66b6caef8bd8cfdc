#!/bin/sh
# Each headline of a run of petvet as a test: prints what still fails, and exits with 1 if any does.
failed=0
say() { printf '%s\n' "$1"; }
fails() { failed=1; say "FAIL $1"; say "     expected $2"; }
send() { answer=$("$@"); status=$(say "$answer" | sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p'); }
in_head() { say "$answer" | sed '/^.\{0,1\}$/q' | grep -qi "^$1:"; }
target=${1:-http://127.0.0.1:8080/v1}

# `GET /pets` without a key: 200 instead of 401
petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' --key 'free=$PETVET_KEY' --allow none --only check-0 --seed 7 >/dev/null 2>&1 || fails '`GET /pets` without a key: 200 instead of 401' 'no failure'

# A 401 has no </code><script>alert(1)</script> `x` [a](http://x) @team #\u{23}[error]b \u{202e}\u{1b}[2J
petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' --key 'free=$PETVET_KEY' --allow none --only check-3 --seed 7 >/dev/null 2>&1 || fails 'A 401 has no </code><script>alert(1)</script> `x` [a](http://x) @team #\u{23}[error]b \u{202e}\u{1b}[2J' 'no failure'

# An invalid key gets 401.
petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' --key 'free=$PETVET_KEY' --allow none --only auth-key-changed-401 --seed 7 >/dev/null 2>&1 || fails 'An invalid key gets 401.' 'no failure'

exit $failed
