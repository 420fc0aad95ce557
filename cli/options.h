// cli/options.h: what the library calls an option, as the command line spells it.
#pragma once

#include <string>
#include <string_view>

namespace bootfold::cli {

/// A message of the library, whose options are named by key ("nan=omit", "confidence is 2"), with
/// the options of the command line in their place ("--nan omit", "--confidence is 2").
[[nodiscard]] std::string with_command_options(std::string_view message);

}  // namespace bootfold::cli
