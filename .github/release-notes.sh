#!/usr/bin/env bash
# Prints what CHANGELOG.md says of the version of a tag; fails where tag, manifest, changelog and
# repository differ, or the version has no date yet.
set -euo pipefail

tag=${1:?the tag is missing}
version=${tag#v}
of_manifest() {
  node -p 'JSON.stringify(JSON.parse(require("node:fs").readFileSync("package.json"))[process.argv[1]])' "$1"
}
manifest=$(of_manifest version | tr -d '"')

if [ "$tag" != "v$manifest" ]; then
  echo "the tag is $tag, and package.json has $manifest" >&2
  exit 1
fi
if ! grep -qE "^## \[${version//./\\.}\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md; then
  echo "CHANGELOG.md has no section of $version with a date" >&2
  exit 1
fi
# npm takes no provenance of a package that names another repository, or none.
if [ -n "${GITHUB_REPOSITORY:-}" ] && ! of_manifest repository | grep -qF "$GITHUB_REPOSITORY"; then
  echo "package.json does not name the repository $GITHUB_REPOSITORY" >&2
  exit 1
fi
awk -v head="## [$version] " 'index($0, "## ") == 1 { on = index($0, head) == 1; next } on' CHANGELOG.md
