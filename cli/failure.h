// cli/failure.h: how a run can end badly, and the exit code that says so.
#pragma once

#include <stdexcept>

namespace bootfold::cli {

inline constexpr int kFailed = 1;   // the run failed: full disk, no memory
inline constexpr int kMisused = 2;  // the command or its input cannot be right

/// The command was right but could not be carried out.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace bootfold::cli
