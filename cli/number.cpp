#include "number.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "bootfold/error.h"
#include "text/quantity.h"

namespace bootfold::cli {

std::uint64_t parse_whole(std::string_view option, const std::string& text, std::uint64_t least,
                          std::uint64_t most, std::string_view hint, std::string_view words) {
  const std::optional<std::uint64_t> value = text::parse_whole(text);
  if (value && *value >= least && *value <= most) return *value;
  const std::optional<double> number = text::parse_real(text);
  if (number && *number < static_cast<double>(least))
    throw InvalidArgument(
        fmt::format("{} is {} but must be at least {}{}", option, text, least, hint));
  if (number && *number > static_cast<double>(most))
    throw InvalidArgument(
        fmt::format("{} is {} but must be at most {}{}", option, text, most, hint));
  throw InvalidArgument(
      fmt::format("{} is '{}' but must be a whole number, such as 10000, 1e6 or 1_000_000{}",
                  option, text, words));
}

double parse_between(std::string_view option, const std::string& text, double low, double high,
                     std::string_view example) {
  const std::optional<double> value = text::parse_real(text);
  if (value && *value > low && *value < high) return *value;
  if (std::isinf(high))
    throw InvalidArgument(fmt::format("{} is '{}' but must be a number above {}, such as {}",
                                      option, text, low, example));
  throw InvalidArgument(fmt::format("{} is '{}' but must lie between {} and {}, such as {}", option,
                                    text, low, high, example));
}

std::uint64_t parse_size(std::string_view option, const std::string& text) {
  if (text.empty()) return 0;
  if (const std::optional<std::uint64_t> bytes = text::parse_bytes(text)) return *bytes;
  throw InvalidArgument(text::bad_bytes(option, text));
}

}  // namespace bootfold::cli
