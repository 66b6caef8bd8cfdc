#!/usr/bin/env bash
# Installs the dependencies before any step that has keys: npm gets no variables of the
# job but these, and runs no install script.
set -euo pipefail

words=()
for name in PATH HOME TMPDIR RUNNER_TEMP \
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy \
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE NPM_CONFIG_REGISTRY NPM_CONFIG_USERCONFIG; do
  [ -z "${!name-}" ] || words+=("$name=${!name}")
done

# The action is a checkout of petvet, so petvet itself is not downloaded.
env -i "${words[@]}" npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error \
  --prefix "$GITHUB_ACTION_PATH" || exit 3
