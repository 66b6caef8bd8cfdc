#!/usr/bin/env bash
# Runs petvet as the inputs of the action say, and gives its verdict on; ends as petvet ended.
set -uo pipefail

refuse() {
  echo "petvet: $1" >&2
  exit 2
}

case "$PETVET_TARGET" in -*) refuse 'the target is no address' ;; esac
# A second line would be an output of its own.
case "$PETVET_OUT" in *[$'\n\r']*) refuse 'the folder of the run is one line' ;; esac
# The verdict of another run is none of this one.
[ -e "$PETVET_OUT/run.json" ] && refuse 'the folder of the run holds one already'

words=(check "--out=$PETVET_OUT" "--report=$PETVET_REPORT")
[ -n "$PETVET_TARGET" ] && words+=("$PETVET_TARGET")
[ -n "$PETVET_CONFIG" ] && words+=("--config=$PETVET_CONFIG")
[ -n "$PETVET_KNOWN" ] && words+=("--known=$PETVET_KNOWN")
while IFS= read -r word; do
  [ -n "$word" ] && words+=("$word")
  # A key belongs into a secret; one that is written out is at least kept out of what follows.
  if [[ $word =~ ^(--key[= ])?(free|pro|business|enterprise)=([^\$].*)$ ]]; then
    echo "::add-mask::${BASH_REMATCH[3]//%/%25}"
  fi
done <<<"$PETVET_FLAGS"

node "$GITHUB_ACTION_PATH/bin/petvet.js" "${words[@]}"
code=$?

write_report() {
  [ -f "$PETVET_OUT/$2" ] && echo "$1=$PETVET_OUT/$2" >>"${GITHUB_OUTPUT:-/dev/null}"
}

if write_report run run.json; then
  # What was done before an interruption may be sound, and is no verdict about all that was asked.
  read_verdict='run = JSON.parse(require("node:fs").readFileSync(process.argv[1]));
    run.interrupted ? "interrupted" : run.verdict'
  verdict=$(node -p "$read_verdict" -- "$PETVET_OUT/run.json")
  echo "verdict=$verdict" >>"${GITHUB_OUTPUT:-/dev/null}"
  write_report junit junit.xml
  write_report badge badge.json
elif [ "$code" -eq 0 ]; then
  # What did not run, as with --help among the flags, is never green.
  code=3
fi
exit "$code"
