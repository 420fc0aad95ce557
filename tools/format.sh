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

# Versions differ in details. The house format is that of version 14, which Debian 12 has.
tool=clang-format
if command -v clang-format-14 > /dev/null 2>&1; then tool=clang-format-14; fi
version=$($tool --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" != 14 ]; then
  echo "format: this is clang-format $version, but the house format is that of version 14;" \
    "'pip install clang-format==14.0.6' gives it. Nothing was checked or changed." >&2
  exit 77 # skipped
fi

files=
for file in $(git ls-files --cached --others --exclude-standard -- '*.c' '*.cpp' '*.h'); do
  if [ -e "$file" ]; then files="$files $file"; fi # git also lists what was just deleted
done
# shellcheck disable=SC2086  # lists of words
[ -z "$files" ] || $tool $mode $files
