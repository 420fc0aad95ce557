// State shared by all workers of a run: failure, cancellation and progress.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include "bootfold/error.h"
#include "bootfold/execution.h"

namespace bootfold::execution::detail {

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

  /// Adds to the progress. One worker at a time reports it, at most ten times per second; the
  /// others continue to work.
  void advance(double units) {
    if (!execution_.progress) return;
    done_.fetch_add(units, std::memory_order_relaxed);
    const std::unique_lock lock(telling_, std::try_to_lock);
    if (!lock || std::chrono::steady_clock::now() - told_ < std::chrono::milliseconds(100)) return;
    execution_.progress({std::min(done_.load(std::memory_order_relaxed), total_), total_});
    told_ = std::chrono::steady_clock::now();  // after it, so that a slow listener stops nobody
  }

  /// Call it after the workers have joined. Rethrows the exception that ended the work early, or
  /// reports that all work is done.
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
  std::atomic<double> done_ = 0;
  std::mutex telling_;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

}  // namespace bootfold::execution::detail
