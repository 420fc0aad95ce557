// text/separator.h: separators of fields and digits, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bootfold::text {

/// "comma", "semicolon", "tab", ..., or the character itself if it has no name.
[[nodiscard]] std::string separator_name(char separator);

/// The character that `word` is or names: ";", "semicolon", "tab", "\t" (also as two characters).
/// Nothing if it is neither.
[[nodiscard]] std::optional<char> parse_separator(std::string_view word);

}  // namespace bootfold::text
