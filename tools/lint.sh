#!/bin/sh
# clang-tidy over the sources that differ from the main branch (committed, staged, edited or new).
#
#   tools/lint.sh [--all]
#
# Needs build/dev/compile_commands.json: cmake --preset dev. LINT_BASE names another commit to compare with.
set -eu
cd "$(dirname "$0")/.."

database=build/dev/compile_commands.json
[ -e "$database" ] || {
  echo "lint: there is no $database; run: cmake --preset dev" >&2
  exit 1
}

base=${LINT_BASE:-}
if [ -z "$base" ] && [ "${1:-}" != --all ]; then
  for name in origin/main main; do
    if git rev-parse -q --verify "$name" > /dev/null; then
      base=$(git merge-base HEAD "$name")
      break
    fi
  done
fi

if [ "${1:-}" = --all ] || [ -z "$base" ]; then
  files=$(git ls-files --cached --others --exclude-standard -- '*.cpp')
else
  files=$({
    git diff --name-only --diff-filter=d "$base" -- '*.cpp'
    git ls-files --others --exclude-standard -- '*.cpp'
  } | sort -u)
fi

# Only what this build compiles: a source of another platform or preset has no command.
known=$(for file in $files; do
  if grep -q "/$file\"" "$database"; then echo "$file"; fi
done)
if [ -z "$known" ]; then
  echo "lint: no changed sources; --all checks all" >&2
  exit 0
fi
echo "$known" | xargs -n 1 -P "$(nproc 2> /dev/null || echo 2)" \
  clang-tidy -p build/dev --quiet --warnings-as-errors='*'
