#!/usr/bin/env bash
# Runs petvet with the inputs of the action, outputs its verdict, and exits with its exit code.
set -uo pipefail

refuse() {
  echo "petvet: $1" >&2
  exit 2
}

case "$PETVET_TARGET" in -*) refuse 'the target is no address' ;; esac
# A second line would be read as another output.
case "$PETVET_OUT" in *[$'\n\r']*) refuse 'the folder of the run is one line' ;; esac
# Removes the results of an earlier run.
[ -e "$PETVET_OUT/run.json" ] && refuse 'the folder of the run holds one already'

words=(check)
if [ -n "$PETVET_DOMAINS" ]; then
  [ -z "$PETVET_TARGET$PETVET_CONFIG" ] || refuse 'domains have no target and no configuration'
  words=(domains check "--domains=$PETVET_DOMAINS")
fi
words+=("--out=$PETVET_OUT" "--report=$PETVET_REPORT")
[ -n "$PETVET_TARGET" ] && words+=("$PETVET_TARGET")
[ -n "$PETVET_CONFIG" ] && words+=("--config=$PETVET_CONFIG")
[ -n "$PETVET_KNOWN" ] && words+=("--known=$PETVET_KNOWN")
while IFS= read -r word; do
  [ -n "$word" ] && words+=("$word")
  # A key belongs in a secret; one given as text is at least masked in the log from here on.
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
  # An interrupted run may have a verdict, but not about all selected checks.
  read_verdict='run = JSON.parse(require("node:fs").readFileSync(process.argv[1]));
    run.interrupted ? "interrupted" : run.verdict'
  verdict=$(node -p "$read_verdict" -- "$PETVET_OUT/run.json")
  echo "verdict=$verdict" >>"${GITHUB_OUTPUT:-/dev/null}"
  write_report junit junit.xml
  write_report badge badge.json
elif [ "$code" -eq 0 ]; then
  # A run that did not take place, as with --help in the flags, is never green.
  code=3
fi
exit "$code"
