// cli/number.h: numbers as people type them.
//
// Every function takes the option's name, so that the message of the InvalidArgument it throws
// names the option, the value, the rule and the remedy.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace bootfold::cli {

/// A whole number from `least` to `most`: "1000000", "1_000_000", "1e6", "2.5e6". `hint` ends the
/// message of a number that is too large or too small, " (leave it out to use all cores)", and
/// `words` that of something else: " (or auto)".
[[nodiscard]] std::uint64_t parse_whole(
    std::string_view option, const std::string& text, std::uint64_t least,
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max(), std::string_view hint = {},
    std::string_view words = {});

/// A number strictly between `low` and `high`; `example` is shown to who writes something else.
[[nodiscard]] double parse_between(std::string_view option, const std::string& text, double low,
                                   double high, std::string_view example);

/// A size in bytes, as text::parse_bytes() reads it: "268435456", "256M", "64KiB", "1.5GB". Empty
/// text is 0, which stands for the library's default.
[[nodiscard]] std::uint64_t parse_size(std::string_view option, const std::string& text);

}  // namespace bootfold::cli
