// Work on another thread while this one goes on: the next batch is drawn while one is evaluated.
#pragma once

#include <exception>
#include <thread>
#include <utility>

namespace bootfold {

/// Runs work on another thread from the start; join() throws what it threw.
class Ahead {
 public:
  template <class Work>
  explicit Ahead(Work work)
      : thread_([this, work = std::move(work)] {
          try {
            work();
          } catch (...) {
            error_ = std::current_exception();
          }
        }) {}

  void join() {
    thread_.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
  std::jthread thread_;
};

}  // namespace bootfold
