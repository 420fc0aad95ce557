// Long work under Python: without the GIL, ended by Ctrl-C, with progress.
//
// A helper thread does the work, and the thread that called waits and looks after Python: its
// signals (KeyboardInterrupt) and the progress function, every twentieth of a second. So no Python
// code ever runs on a thread that Python does not know.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/execution.h"
#include "questions.h"

namespace bootfold::python {

namespace nb = nanobind;

/// Counts as a call at work while it lives, so that the end of the interpreter waits for it.
/// Throws Cancelled if that end has come.
class ActiveCall {
 public:
  ActiveCall();
  ~ActiveCall();
  ActiveCall(const ActiveCall&) = delete;
  ActiveCall& operator=(const ActiveCall&) = delete;

  /// Has the interpreter begun to end?
  [[nodiscard]] static bool closing() noexcept;
};

/// Raises texts as warnings of Python. Throws what these raise.
void warn(const std::vector<std::string>& texts);

/// How a call is made.
struct Call {
  Execution execution = {};
  nb::object progress = nb::none();  ///< called with (done, total), or None
  bool brief = false;                ///< over in a moment: not worth a thread
  Questions* questions = nullptr;    ///< of the threads of the work to Python
};

/// Runs `work` on a helper thread; rethrows what it throws, and Python's own errors.
void watch(const Call& call, const std::function<void(const Execution&)>& work);

/// What `work(execution)` returns. Called with the GIL held.
template <class Work>
auto without_gil(const Call& call, Work&& work) {
  const ActiveCall active;
  if (call.brief && call.progress.is_none() && call.questions == nullptr) {
    const nb::gil_scoped_release released;
    return work(call.execution);
  }
  std::optional<decltype(work(call.execution))> found;
  watch(call, [&](const Execution& execution) { found.emplace(work(execution)); });
  return std::move(*found);
}

}  // namespace bootfold::python
