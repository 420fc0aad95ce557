#include "interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include "console.h"

namespace bootfold::cli {
namespace {

std::atomic<int> first_signal = 0;

}  // namespace

int Interrupt::exit_code() {
  const int signal = first_signal;
  return 128 + (signal == 0 ? SIGINT : signal);
}

std::string interrupted_text(const std::string& kept) {
  if (kept.empty()) return "interrupted; nothing was written";
  return "interrupted; " + kept + "; the same command goes on";
}

Interrupt::Interrupt() {
  sigemptyset(&signals_);
  bool any = false;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction current {};
    if (sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN) continue;
    sigaddset(&signals_, signal);
    any = true;
  }
  if (!any) return;
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  watcher_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  if (!watcher_.joinable()) return;
  ending_ = true;
  // Wakes the watcher by one of its own signals; it sees that this one is no request.
  pthread_kill(watcher_.native_handle(), sigismember(&signals_, SIGTERM) == 1 ? SIGTERM : SIGINT);
  watcher_.join();
}

void Interrupt::watch() {
  for (;;) {
    int signal = 0;
    if (sigwait(&signals_, &signal) != 0) continue;
    if (ending_) return;
    int none = 0;
    first_signal.compare_exchange_strong(none, signal);
    if (!working_ || stop_.stop_requested()) {
      if (!silent_) complain(working_ ? "interrupted" : interrupted_text());
      _exit(exit_code());
    }
    stop_.request_stop();
  }
}

}  // namespace bootfold::cli
