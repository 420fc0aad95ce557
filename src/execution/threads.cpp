// Runs chunks of work on the threads of this process.
#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "execution/monitor.h"
#include "text/concat.h"

namespace bootfold::execution {

namespace {

constexpr unsigned kMostThreads = 1024;

}  // namespace

void Worker::check() const {
  if (monitor_->stopping()) throw Cancelled();
}

void Worker::advance(double units) const { monitor_->advance(units); }

unsigned hardware_threads() noexcept {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    const int count = CPU_COUNT(&allowed);
    if (count > 0) return static_cast<unsigned>(count);
  }
#endif
  const unsigned count = std::thread::hardware_concurrency();
  return count > 0 ? count : 1;
}

unsigned thread_count(const Execution& execution) {
  if (execution.threads > kMostThreads)
    throw InvalidArgument(text::concat("threads is ", execution.threads, " but can be at most ",
                                       kMostThreads, "; 0 uses all cores"));
  return execution.threads != 0 ? execution.threads : std::min(hardware_threads(), kMostThreads);
}

void detail::run_chunks(std::size_t chunks, double total, const Execution& execution,
                        const std::function<void(const Worker&, std::size_t)>& body) {
  Monitor monitor(total, execution);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](unsigned index) {
    const Worker worker(index, monitor);
    try {
      while (!monitor.stopping()) {
        const std::size_t chunk = next.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= chunks) break;
        body(worker, chunk);
      }
    } catch (...) {
      // Everything, also a Cancelled from check(): the first error is the one the caller sees.
      monitor.fail(std::current_exception());
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t workers = std::min<std::size_t>(thread_count(execution), chunks);
    try {
      for (std::size_t index = 1; index < workers; ++index)
        helpers.emplace_back(work, static_cast<unsigned>(index));
    } catch (const std::system_error&) {
      // The system has no more threads: those there are do the work.
    }
    work(0);
  }
  monitor.finish();
}

}  // namespace bootfold::execution
