#!/bin/sh
# Each headline of a run of petvet as a test: prints what still fails, and exits with 1 if any does.
failed=0
say() { printf '%s\n' "$1"; }
fails() { failed=1; say "FAIL $1"; say "     expected $2"; }
send() { answer=$("$@"); status=$(say "$answer" | sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p'); }
in_head() { say "$answer" | sed '/^.\{0,1\}$/q' | grep -qi "^$1:"; }
target=${1:-http://127.0.0.1:8080/v1}

# An invalid key gets 401.
petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' --key 'free=$PETVET_KEY' --allow none --only check-0 --seed 7 >/dev/null 2>&1 || fails 'An invalid key gets 401.' 'no failure'

# Every response has X-RateLimit-Remaining.
petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' --key 'free=$PETVET_KEY' --allow none --only check-1 --seed 7 >/dev/null 2>&1 || fails 'Every response has X-RateLimit-Remaining.' 'no failure'

# An invalid key gets 401.
petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' --key 'free=$PETVET_KEY' --allow none --only check-2 --seed 7 >/dev/null 2>&1 || fails 'An invalid key gets 401.' 'no failure'

# An invalid key gets 401.
petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' --key 'free=$PETVET_KEY' --allow none --only check-3 --seed 7 >/dev/null 2>&1 || fails 'An invalid key gets 401.' 'no failure'

# animals.purr
petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' --key 'free=$PETVET_KEY' --allow none --only check-4 --seed 7 >/dev/null 2>&1 || fails animals.purr 'no failure'

# An invalid key gets 401.
petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' --key 'free=$PETVET_KEY' --allow none --only check-5 --seed 7 >/dev/null 2>&1 || fails 'An invalid key gets 401.' 'no failure'

# An invalid key gets 401.
petvet check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY' --key 'free=$PETVET_KEY' --allow none --only auth-key-changed-401 --seed 7 >/dev/null 2>&1 || fails 'An invalid key gets 401.' 'no failure'

exit $failed
