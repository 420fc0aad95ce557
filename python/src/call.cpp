#include "call.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "bootfold/error.h"
#include "modules.h"

// g++ 12 takes the members of std::stop_source for uninitialised when it compiles for size.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace bootfold::python {

namespace {

using std::chrono::milliseconds;

std::atomic<int> active_calls = 0;
std::atomic<bool> interpreter_ends = false;

/// Before the interpreter ends: a thread that came back to Python after that would take the whole
/// process down. Calls at work stop; nobody waits longer than a few seconds for them.
void close_calls() {
  interpreter_ends = true;
  if (active_calls <= 0) return;  // nobody to wait for: the GIL stays, it may be the end of all
  const nb::gil_scoped_release released;
  for (int wait = 0; wait < 500 && active_calls > 0; ++wait)
    std::this_thread::sleep_for(milliseconds(10));
}

/// The work of one call, and what the waiting thread may know of it.
class Work {
 public:
  Work(const Execution& given, bool tells, Questions* questions,
       const std::function<void(const Execution&)>& function)
      : execution_(given), function_(function), questions_(questions) {
    if (questions_ != nullptr)
      questions_->on_question([this] {
        { const std::scoped_lock lock(mutex_); }
        done_waiting_.notify_all();
      });
    execution_.stop = stop_.get_token();
    execution_.note = [this](const execution::Note& note) {
      const std::scoped_lock lock(mutex_);
      if (note.warning) warnings_.push_back(note.text);
    };
    if (tells)
      execution_.progress = [this](execution::Progress progress) {
        done_.store(progress.done, std::memory_order_relaxed);
        total_.store(progress.total, std::memory_order_relaxed);
      };
  }

  /// Begins it if it has not begun, and waits without the GIL, at most so long, or until a question
  /// is asked; is it finished?
  bool wait_for(milliseconds time) {
    const nb::gil_scoped_release released;
    std::unique_lock lock(mutex_);
    if (!thread_.joinable()) thread_ = std::jthread([this] { run(); });
    done_waiting_.wait_for(lock, time, [this] {
      return finished_ || (questions_ != nullptr && questions_->waiting());
    });
    return finished_;
  }

  void stop() {
    stop_.request_stop();
    const nb::gil_scoped_release released;
    if (thread_.joinable()) thread_.join();
  }

  void finish() {
    {
      const nb::gil_scoped_release released;
      thread_.join();
    }
    if (error_) std::rethrow_exception(error_);
  }

  /// What went wrong while the work was done.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  [[nodiscard]] double done() const { return done_.load(std::memory_order_relaxed); }
  [[nodiscard]] double total() const { return total_.load(std::memory_order_relaxed); }

 private:
  void run() {
    // Not before the caller sleeps: its core is then free for the first thread that the work
    // starts, which would otherwise wait on this one for milliseconds.
    { const std::scoped_lock lock(mutex_); }
    try {
      function_(execution_);
    } catch (...) {
      error_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    finished_ = true;
    done_waiting_.notify_all();
  }

  Execution execution_;
  const std::function<void(const Execution&)>& function_;
  Questions* questions_;
  std::stop_source stop_;
  std::atomic<double> done_ = 0;
  std::atomic<double> total_ = 0;
  std::mutex mutex_;
  std::condition_variable done_waiting_;
  bool finished_ = false;
  std::vector<std::string> warnings_;
  std::exception_ptr error_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace

ActiveCall::ActiveCall() {
  ++active_calls;
  if (!closing()) return;
  --active_calls;
  throw Cancelled();
}

ActiveCall::~ActiveCall() { --active_calls; }

bool ActiveCall::closing() noexcept { return interpreter_ends; }

void warn(const std::vector<std::string>& texts) {
  for (const std::string& text : texts)
    if (PyErr_WarnEx(PyExc_RuntimeWarning, in_words_of_python(text).c_str(), 1) != 0)
      throw nb::python_error();
}

void watch(const Call& call, const std::function<void(const Execution&)>& function) {
  const bool tells = !call.progress.is_none();
  Work work(call.execution, tells, call.questions, function);
  try {
    while (!work.wait_for(milliseconds(50))) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (ActiveCall::closing()) throw Cancelled();
      if (call.questions != nullptr) call.questions->answer();
      if (tells && work.total() > 0) call.progress(work.done(), work.total());
    }
    work.finish();
    warn(work.warnings());
    if (tells && work.total() > 0) call.progress(work.total(), work.total());
  } catch (...) {
    if (call.questions != nullptr) call.questions->close();
    work.stop();
    throw;
  }
}

void bind_call(nb::module_& m) {
  // A child of fork() has none of the other threads, and so none of their calls.
  pthread_atfork(nullptr, nullptr, [] { active_calls = 0; });
  m.def("_close_calls", &close_calls, "Stops all work; called when the interpreter ends.");
  // The end of a sub-interpreter is not the end: only the main one, number 0, stops all work.
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0)
    nb::module_::import_("atexit").attr("register")(m.attr("_close_calls"));
}

}  // namespace bootfold::python
