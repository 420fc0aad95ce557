// cli/progress.h: one line on standard error that says how far the work is.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "bootfold/execution.h"

namespace bootfold::cli {

/// A bar with rate and time left, drawn over itself and erased at the end. Shows nothing unless
/// `terminal`, which is standard error by default, is one, nor in the first moments of the work, so
/// short runs do not flicker. Work that falls back to its beginning is another pass, with a time of
/// its own.
class ProgressBar {
 public:
  /// `unit` is what Progress counts; `note`, if given, what else there is to say.
  explicit ProgressBar(bool quiet, std::string unit = "rows x replicates",
                       std::function<std::string()> note = {}, int terminal = 2);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// For Execution::progress; empty when nothing would be shown. The bar must outlive the work.
  [[nodiscard]] std::function<void(execution::Progress)> callback();

 private:
  using Clock = std::chrono::steady_clock;
  void show(execution::Progress progress);

  std::string unit_;
  std::function<std::string()> note_;
  int terminal_;
  bool enabled_;
  bool shown_ = false;
  double last_ = 0;  // work done at the last call
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace bootfold::cli
