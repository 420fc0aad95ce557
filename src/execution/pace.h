// How often to do something costly beside the work, such as writing a checkpoint.
#pragma once

#include <chrono>

namespace bootfold::execution {

/// Keeps the cost below 1 % of the time: at least half a second between two times, and more if they
/// take long.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool due() const {
    const auto now = Clock::now();
    return now - last_ >= kShortest && (now - start_) >= 100 * (spent_ + cost_);
  }

  /// Does it, and measures what it costs.
  template <class Work>
  void run(Work&& work) {
    const auto begin = Clock::now();
    work();
    last_ = Clock::now();
    cost_ = last_ - begin;
    spent_ += cost_;
  }

  /// Whether the last time is so long ago that another is worth its cost.
  [[nodiscard]] bool worth() const { return Clock::now() - last_ >= kShortest; }

 private:
  static constexpr Clock::duration kShortest = std::chrono::milliseconds(500);

  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  Clock::duration cost_ = std::chrono::milliseconds(5);  // of the next, by that of the last
  Clock::duration spent_{0};
};

}  // namespace bootfold::execution
