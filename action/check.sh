#!/usr/bin/env bash
# Runs petvet as the inputs of the action say, and gives its verdict on; ends as petvet ended.
set -uo pipefail

case "$PETVET_TARGET" in
-*)
  echo 'petvet: the target is no address' >&2
  exit 2
  ;;
esac

words=(check --out "$PETVET_OUT" --report "$PETVET_REPORT")
[ -n "$PETVET_TARGET" ] && words+=("$PETVET_TARGET")
[ -n "$PETVET_CONFIG" ] && words+=(--config "$PETVET_CONFIG")
while IFS= read -r word; do
  [ -n "$word" ] && words+=("$word")
done <<<"$PETVET_FLAGS"

# The action is its own checkout: nothing is fetched by the name of petvet.
npm ci --omit=dev --no-audit --no-fund --loglevel=error --prefix "$GITHUB_ACTION_PATH" || exit 3
node "$GITHUB_ACTION_PATH/bin/petvet.js" "${words[@]}"
code=$?

run="$PETVET_OUT/run.json"
if [ -f "$run" ]; then
  verdict=$(node -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1])).verdict' "$run")
  printf 'verdict=%s\nrun=%s\n' "$verdict" "$run" >>"${GITHUB_OUTPUT:-/dev/null}"
fi
exit "$code"
