// Functions written in Python that the library calls on its batches: what they get and return.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/batches.h"
#include "bootfold/error.h"
#include "request.h"
#include "result.h"
#include "text/concat.h"

namespace bootfold::python {

/// function(number, batch) returns the values [replicate][output]; the number is that of the first
/// replicate, or -1 for the data themselves.
using Function = nb::typed<nb::callable, nb::any(std::int64_t, nb::any)>;

[[nodiscard]] inline std::int64_t number_of(std::uint64_t first) {
  return first == Batch::kData ? -1 : static_cast<std::int64_t>(first);
}

/// Keeps the memory of a batch for an array that refers to it.
template <class Value>
[[nodiscard]] nb::capsule keeper_of(const std::shared_ptr<Value[]>& memory) {
  auto kept = std::make_unique<std::shared_ptr<Value[]>>(memory);
  const nb::capsule owner(
      kept.get(), [](void* own) noexcept { delete static_cast<std::shared_ptr<Value[]>*>(own); });
  static_cast<void>(kept.release());
  return owner;
}

/// Copies what a function returned.
inline void take(const nb::object& found, std::span<double> values) {
  const auto array = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(found);
  if (array.size() != values.size())
    throw InvalidArgument(text::concat("the function gave ", array.size(), " values where ",
                                       values.size(), " were expected"));
  std::copy_n(array.data(), values.size(), values.data());
}

/// Holds the interpreter while a function is called. Throws Cancelled if the program ends.
class Calling {
 public:
  Calling() {
    if (ActiveCall::closing()) throw Cancelled();
  }

 private:
  nb::gil_scoped_acquire acquired_;
};

/// The result of `run(options)`, which calls functions on this thread and holds the interpreter
/// only for these.
template <class Run>
[[nodiscard]] std::unique_ptr<Handle> run_with(const Request& request, std::uint64_t replicates,
                                               std::uint64_t first, const nb::object& progress,
                                               const Run& run) {
  const ActiveCall active;
  Options options = request.options(replicates, first);
  options.checkpoint = request.checkpoint();
  std::vector<std::string> warnings;
  options.execution.note = [&](const execution::Note& note) {
    if (note.warning) warnings.push_back(note.text);
  };
  if (!progress.is_none())
    options.execution.progress = [&](execution::Progress told) {
      const nb::gil_scoped_acquire acquired;
      progress(told.done, told.total);
    };
  std::unique_ptr<Handle> made;
  {
    const nb::gil_scoped_release released;
    made = std::make_unique<Handle>(run(options));
  }
  warn(warnings);
  return made;
}

}  // namespace bootfold::python
