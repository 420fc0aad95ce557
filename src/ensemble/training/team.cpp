#include "ensemble/training/team.h"

#include <system_error>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bootfold::ensemble {

namespace {

void pause_processor() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void Barrier::wait() noexcept {
  constexpr int kLooks = 4000;  // some tens of microseconds
  const unsigned round = round_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
    return;
  }
  for (int look = 0; look < kLooks; ++look) {
    if (round_.load(std::memory_order_acquire) != round) return;
    pause_processor();
  }
  round_.wait(round, std::memory_order_acquire);
}

Team::Team(std::size_t threads) {
  try {
    for (std::size_t thread = 1; thread < threads; ++thread)
      helpers_.emplace_back([this, thread] { work(thread); });
  } catch (const std::system_error&) {
    // The system has no more threads: those there are do the work.
  }
  for (auto* barrier : {&start_, &end_, &within_}) barrier->emplace(this->threads());
  begun_ = true;
  begun_.notify_all();
}

Team::~Team() {
  if (helpers_.empty()) return;
  done_ = true;
  start_->wait();
}

simd::Share Team::share_of(std::size_t thread) noexcept {
  return {thread, threads(), [](void* barrier) { static_cast<Barrier*>(barrier)->wait(); },
          &*within_};
}

void Team::run_all() noexcept {
  start_->wait();
  call_(body_, share_of(0));
  end_->wait();
}

void Team::work(std::size_t thread) noexcept {
  begun_.wait(false);
  while (true) {
    start_->wait();
    if (done_) return;
    call_(body_, share_of(thread));
    end_->wait();
  }
}

void TeamChoice::took(double seconds) noexcept {
  constexpr std::size_t kTogether = 32;
  constexpr std::size_t kAlone = 256;
  sum_ += seconds;
  ++steps_;
  if (--steps_left_ > 0) return;
  const double mean = sum_ / static_cast<double>(steps_);
  if (!together_) alone_ = mean;
  together_ = !together_ || mean <= alone_;
  steps_left_ = together_ ? kTogether : kAlone;
  sum_ = 0;
  steps_ = 0;
}

}  // namespace bootfold::ensemble
