// cli/ending.h: how an exception ends the program.
#pragma once

#include <string>

namespace bootfold::cli {

/// An exit code and what a person reads.
struct Ending {
  int code = 0;
  std::string text;
};

/// That of the exception that is being handled.
[[nodiscard]] Ending ending() noexcept;

}  // namespace bootfold::cli
