// Questions that threads of long work ask Python code. The thread that called answers them, so that
// no Python code runs on a thread that Python does not know; the one that asked waits.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace bootfold::python {

class Questions {
 public:
  /// From a thread of the work: runs `question` on the thread that called, with the GIL. False if
  /// it was not run, because the call ends.
  bool ask(const std::function<void()>& question) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return question_ == nullptr || closed_; });
    if (closed_) return false;
    question_ = &question;
    lock.unlock();
    wake_();
    lock.lock();
    changed_.wait(lock, [&] { return question_ != &question || closed_; });
    return question_ != &question;
  }

  [[nodiscard]] bool waiting() {
    const std::scoped_lock lock(mutex_);
    return question_ != nullptr && !closed_;
  }

  /// From the thread that called: answers the question that waits, if there is one.
  void answer() {
    const std::function<void()>* question = nullptr;
    {
      const std::scoped_lock lock(mutex_);
      if (closed_) return;
      question = question_;
    }
    if (question == nullptr) return;
    (*question)();
    {
      const std::scoped_lock lock(mutex_);
      question_ = nullptr;
    }
    changed_.notify_all();
  }

  /// No question is answered any more.
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  /// What wakes the thread that called.
  void on_question(std::function<void()> wake) { wake_ = std::move(wake); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* question_ = nullptr;
  bool closed_ = false;
  std::function<void()> wake_;
};

}  // namespace bootfold::python
