// cli/timer.h: seconds since it was made.
#pragma once

#include <chrono>

namespace bootfold::cli {

class Timer {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace bootfold::cli
