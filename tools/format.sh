#!/bin/sh
# clang-format over all C and C++ sources that git knows or could add.
#
#   tools/format.sh            rewrite them
#   tools/format.sh --check    change nothing, fail and name the places that would change
set -eu
cd "$(dirname "$0")/.."

case ${1:-} in
  "") mode=-i ;;
  --check) mode="--dry-run --Werror" ;;
  *)
    echo "format: unknown option '$1'; there is --check" >&2
    exit 2
    ;;
esac

files=
for file in $(git ls-files --cached --others --exclude-standard -- '*.c' '*.cpp' '*.h'); do
  if [ -e "$file" ]; then files="$files $file"; fi # git also lists what was just deleted
done
# shellcheck disable=SC2086  # lists of words
[ -z "$files" ] || clang-format $mode $files
