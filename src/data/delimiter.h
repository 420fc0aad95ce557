// data/delimiter.h: the character between the fields of a text file, by its first lines.
#pragma once

#include <optional>
#include <string_view>

#include "bootfold/data.h"

namespace bootfold::data {

/// The delimiter of a file that begins with `start`, which is the whole file if `complete`: of
/// comma, semicolon, tab and pipe the one of which most of the first lines have as many as the
/// first line. Among equals it is the one that leaves fewer fields that are no numbers, then the
/// comma. If none of them is in the first two lines alike, it is a space if all lines have as many
/// runs of blanks as the first, and numbers between them; otherwise a comma. Characters in quotes
/// do not count, nor does a comma if `options` make it the decimal separator.
[[nodiscard]] char find_delimiter(std::string_view start, bool complete,
                                  const ReadOptions& options);

/// The semicolon, tab, pipe or comma in `field` that may be the delimiter in place of `delimiter`.
[[nodiscard]] std::optional<char> other_delimiter(std::string_view field, char delimiter,
                                                  std::optional<char> decimal);

}  // namespace bootfold::data
