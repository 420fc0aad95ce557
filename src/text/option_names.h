// text/option_names.h: options in the words of a front end.
//
// The library names options by their keys (docs/options.md): "nan=omit leaves such rows out",
// "confidence is 2 but must be below 1". The command line and Python have words of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bootfold::text {

/// An option, and what a front end calls it.
struct OptionName {
  std::string_view key;
  std::string_view name;
};

/// How a front end sets an option: "--nan omit" or "nan='omit'".
using WriteOption = std::string (*)(std::string_view name, std::string_view value);

/// `message` with every "key=value", and a "key is" at its beginning, in the words of a front end.
/// Keys that `names` does not have stay as they are.
[[nodiscard]] std::string with_option_names(std::string_view message,
                                            std::span<const OptionName> names, WriteOption write);

}  // namespace bootfold::text
