// Counts of resamples, and functions of them written in Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

#include "bootfold/batches.h"
#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "function.h"
#include "modules.h"
#include "request.h"
#include "result.h"
#include "scheme.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

template <class Count>
using Room = nb::ndarray<Count, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A counter with the arrays that its scheme refers to.
class PythonCounter {
 public:
  PythonCounter(std::uint64_t rows, SchemeArguments scheme, std::uint64_t seed,
                std::uint64_t replicates, unsigned threads)
      : arguments_(std::move(scheme)),
        counter_(rows, {.seed = seed, .scheme = make_scheme(arguments_), .replicates = replicates}),
        threads_(threads) {}

  template <class Count>
  void fill(std::uint64_t first, const Room<Count>& room, nb::object progress) const {
    const std::span<Count> out(room.data(), room.size());
    if (room.size() > 0 && room.shape(1) != counter_.rows())
      throw InvalidArgument("the array must have one column for each row of the data");
    static_cast<void>(without_gil({.execution = {.threads = threads_},
                                   .progress = std::move(progress),
                                   .brief = room.size() <= 1'000'000},
                                  [&](const Execution& execution) {
                                    if constexpr (std::is_same_v<Count, double>)
                                      counter_.weights(first, out, execution);
                                    else
                                      counter_.counts(first, out, execution);
                                    return true;
                                  }));
  }

  [[nodiscard]] unsigned count_bytes() const { return counter_.count_bytes(); }

 private:
  SchemeArguments arguments_;
  resample::Counter counter_;
  unsigned threads_;
};

/// The counts of a batch as an array [replicate][row], which keeps their memory.
nb::object array_of(const CountBatch& batch) {
  return std::visit(
      [&](auto counts) -> nb::object {
        using Count = std::remove_const_t<typename decltype(counts)::element_type>;
        return nb::ndarray<nb::numpy, Count, nb::c_contig, nb::device::cpu>(
                   reinterpret_cast<Count*>(batch.memory.get()), {batch.replicates, batch.rows},
                   keeper_of(batch.memory))
            .cast();
      },
      batch.counts);
}

Takes takes_of(const std::string& name) {
  return name == "weights" ? Takes::weights : Takes::counts;
}

/// `function` is called as function(number, counts) with the counts [replicate][row].
std::unique_ptr<Handle> run_counts(const Request& request, const Function& function,
                                   const std::string& takes,
                                   const std::vector<std::string>& outputs,
                                   std::uint64_t replicates, std::uint64_t first,
                                   const nb::object& progress, const std::string& identity) {
  const auto call = [&](const CountBatch& batch, std::span<double> values) {
    const Calling calling;
    take(function(number_of(batch.first), array_of(batch)), values);
  };
  return run_with(request, replicates, first, progress, [&](const Options& options) {
    return bootstrap_counts(request.data(), outputs, call, options, takes_of(takes), {identity});
  });
}

/// What run_counts() would do.
Plan explain_counts(const Request& request, const std::string& takes,
                    const std::vector<std::string>& outputs, std::uint64_t replicates) {
  return without_gil(request.call(1, nb::none()), [&](const Execution& execution) {
    Options options = request.options(replicates);
    options.execution = execution;
    return plan_counts(request.data(), outputs, options, takes_of(takes));
  });
}

}  // namespace

void bind_counts(nb::module_& m) {
  nb::class_<PythonCounter>(m, "Counter", "Makes counts of resamples.")
      .def(
          "__init__",
          [](PythonCounter* self, std::uint64_t rows, std::optional<std::string> scheme,
             std::optional<Codes> strata, std::optional<Codes> clusters,
             std::optional<Doubles> probabilities, std::optional<double> block_length,
             std::uint64_t size, bool two_stage, std::uint64_t seed, std::uint64_t replicates,
             unsigned threads) {
            new (self) PythonCounter(rows,
                                     {std::move(scheme), std::move(strata), std::move(clusters),
                                      std::move(probabilities), block_length, size, two_stage},
                                     seed, replicates, threads);
          },
          "rows"_a, "scheme"_a.none(), "strata"_a.none(), "clusters"_a.none(),
          "probabilities"_a.none(), "block_length"_a.none(), "size"_a, "two_stage"_a, "seed"_a,
          "replicates"_a, "threads"_a,
          nb::sig("def __init__(self, rows: int, scheme: str | None, "
                  "strata: numpy.typing.NDArray[numpy.uint32] | None, "
                  "clusters: numpy.typing.NDArray[numpy.uint32] | None, "
                  "probabilities: numpy.typing.NDArray[numpy.float64] | None, "
                  "block_length: float | None, size: int, two_stage: bool, seed: int, "
                  "replicates: int, threads: int) -> None"))
      .def("fill_bytes", &PythonCounter::fill<std::uint8_t>, "first"_a, "counts"_a.noconvert(),
           "progress"_a.none())
      .def("fill_shorts", &PythonCounter::fill<std::uint16_t>, "first"_a, "counts"_a.noconvert(),
           "progress"_a.none())
      .def("fill_words", &PythonCounter::fill<std::uint32_t>, "first"_a, "counts"_a.noconvert(),
           "progress"_a.none())
      .def("fill_weights", &PythonCounter::fill<double>, "first"_a, "weights"_a.noconvert(),
           "progress"_a.none())
      .def_prop_ro("count_bytes", &PythonCounter::count_bytes);
  m.def("run_counts", &run_counts, "request"_a, "function"_a, "takes"_a, "outputs"_a,
        "replicates"_a, "first"_a, "progress"_a.none(), "identity"_a = "");
  m.def("explain_counts", &explain_counts, "request"_a, "takes"_a, "outputs"_a, "replicates"_a);
  m.def("default_memory", &execution::default_memory, "The memory limit that holds by default.");
}

}  // namespace bootfold::python
