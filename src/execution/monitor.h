// What all workers of one run share: whether to go on, and how far the work is.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include "bootfold/error.h"
#include "bootfold/execution.h"

namespace bootfold::execution {

class Monitor {
 public:
  Monitor(double total, const Execution& execution) : total_(total), execution_(execution) {}

  [[nodiscard]] bool stopping() const noexcept {
    return failed_.load(std::memory_order_relaxed) || execution_.stop.stop_requested();
  }

  /// Keeps the first exception; the other workers stop at their next check.
  void fail(std::exception_ptr error) {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::move(error);
    failed_.store(true, std::memory_order_relaxed);
  }

  void advance(double units) {
    if (!execution_.progress) return;
    const std::unique_lock lock(mutex_);
    done_ += units;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::milliseconds(100)) return;
    told_ = now;
    execution_.progress({std::min(done_, total_), total_});
  }

  /// After the workers have joined: throws what ended the work early, tells that all is done.
  void finish() {
    if (error_) std::rethrow_exception(error_);
    if (execution_.stop.stop_requested()) throw Cancelled();
    if (execution_.progress) execution_.progress({total_, total_});
  }

 private:
  double total_;
  const Execution& execution_;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
  double done_ = 0;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

}  // namespace bootfold::execution
