// cli/interrupt.h: Ctrl-C and SIGTERM end a run cleanly.
//
// The signals are blocked in every thread and one thread waits for them, so no handler ever runs in
// the middle of other code. Outside a Work there is nothing to clean up (a file is being read, say)
// and the process ends at once. Inside, the first signal asks the stop token and the second does
// not wait for the answer.
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <string>
#include <thread>

namespace bootfold::cli {

class Interrupt {
 public:
  /// Blocks the signals: make it before any thread starts. Signals that the caller of the program
  /// ignores (nohup, a shell's background jobs) stay ignored.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

  /// The exit code after a signal, as shells report it: 130 for SIGINT (Ctrl-C), 143 for SIGTERM.
  [[nodiscard]] static int exit_code();

  /// Signals that come outside a Work end the program without a word.
  void be_silent() { silent_ = true; }

  /// While it lives, a signal is answered by whoever holds the token.
  class Work {
   public:
    explicit Work(Interrupt& interrupt) : working_(interrupt.working_) { working_ = true; }
    ~Work() { working_ = false; }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    std::atomic<bool>& working_;
  };

 private:
  void watch();

  sigset_t signals_{};
  std::stop_source stop_;
  std::atomic<bool> working_ = false;
  std::atomic<bool> silent_ = false;
  std::atomic<bool> ending_ = false;
  std::thread watcher_;
};

/// What a person reads after Ctrl-C. `kept`: what a checkpoint holds; empty if there is none.
[[nodiscard]] std::string interrupted_text(const std::string& kept = "");

}  // namespace bootfold::cli
