// text/quoted.h: text from outside, made safe for a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace bootfold::text {

/// `text` in single quotes. Control characters and bytes that are not UTF-8 become \xNN, and what
/// is longer than about 40 bytes is cut, so a hostile file cannot break or flood a message.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace bootfold::text
