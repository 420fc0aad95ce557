// Threads that train one network together, for ensembles with fewer members than threads.
//
// A step takes a fraction of a millisecond and has several phases, so threads wait for each other
// in a loop that looks; only one that waits for long, because the machine is busy, sleeps.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include "ensemble/simd/kernels.h"

namespace bootfold::ensemble {

/// Where a fixed number of threads meet, any number of times.
class Barrier {
 public:
  explicit Barrier(std::size_t threads) : threads_(threads) {}
  void wait() noexcept;

 private:
  std::size_t threads_;
  std::atomic<std::size_t> arrived_ = 0;
  std::atomic<unsigned> round_ = 0;
};

class Team {
 public:
  /// The calling thread and threads - 1 others; fewer if the system has no more.
  explicit Team(std::size_t threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] std::size_t threads() const noexcept { return helpers_.size() + 1; }

  /// Calls body(share) on every thread, each with its own share, and returns when all have
  /// returned; or on this thread alone, with all of the work. The body must not throw.
  template <class Body>
  void run(bool together, Body&& body) {
    if (helpers_.empty() || !together) return body(simd::Share{});
    body_ = &body;
    call_ = [](const void* that, const simd::Share& share) {
      (*static_cast<const std::remove_reference_t<Body>*>(that))(share);
    };
    run_all();
  }

 private:
  void run_all() noexcept;
  void work(std::size_t thread) noexcept;
  [[nodiscard]] simd::Share share_of(std::size_t thread) noexcept;

  std::atomic<bool> begun_ = false;  // their number is known
  bool done_ = false;
  const void* body_ = nullptr;
  void (*call_)(const void* body, const simd::Share& share) = nullptr;
  std::optional<Barrier> start_;  // of a run
  std::optional<Barrier> end_;
  std::optional<Barrier> within_;
  std::vector<std::jthread> helpers_;
};

/// Whether steps are faster together or alone. On a machine that is busy with other work a team may
/// wait for threads that do not run; the steps of one thread then take less time.
class TeamChoice {
 public:
  [[nodiscard]] bool together() const noexcept { return together_; }
  /// The next step took so long.
  void took(double seconds) noexcept;

 private:
  bool together_ = false;
  std::size_t steps_left_ = 2;  // until times are compared
  std::size_t steps_ = 0;
  double sum_ = 0;
  double alone_ = 0;  // mean time of a step
};

}  // namespace bootfold::ensemble
