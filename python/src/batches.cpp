// Functions written in Python, on batches of resamples.
//
// A function (function.h) is called as function(number, block): the block has the resamples as one
// array [column][resample][row], or a list of arrays [column][row] where their lengths differ.
#include "bootfold/batches.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "function.h"
#include "modules.h"
#include "request.h"
#include "result.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

using Block = nb::ndarray<nb::numpy, double, nb::c_contig, nb::device::cpu>;

/// The memory of a batch, kept by the array that looks at it.
nb::object block_of(const Batch& batch) {
  const std::size_t columns = batch.resamples[0].columns.size();
  return Block(batch.memory.get(), {columns, batch.resamples.size(), batch.rows},
               keeper_of(batch.memory))
      .cast();
}

/// A copy of one resample: [column][row], or with an axis of length 1 between.
nb::object copy_of(const statistic::Resample& resample, bool block) {
  const std::size_t columns = resample.columns.size();
  auto memory = std::make_unique<double[]>(columns * resample.rows);
  for (std::size_t c = 0; c < columns; ++c)
    std::copy_n(resample.columns[c], resample.rows, memory.get() + c * resample.rows);
  double* const first = memory.get();
  const nb::capsule owner(first, [](void* kept) noexcept { delete[] static_cast<double*>(kept); });
  static_cast<void>(memory.release());
  if (block) return Block(first, {columns, 1, resample.rows}, owner).cast();
  return Block(first, {columns, resample.rows}, owner).cast();
}

void call(const Function& function, const Batch& batch, std::span<double> values) {
  const Calling calling;
  const std::int64_t number = number_of(batch.first);
  if (batch.rows != 0) return take(function(number, block_of(batch)), values);
  nb::list resamples;
  for (const statistic::Resample& resample : batch.resamples)
    resamples.append(copy_of(resample, false));
  take(function(number, resamples), values);
}

std::unique_ptr<Handle> run_function(const Request& request, const Function& function,
                                     const std::vector<std::string>& outputs,
                                     std::uint64_t replicates, std::uint64_t first,
                                     const nb::object& progress, const std::string& identity,
                                     bool one_by_one) {
  return run_with(request, replicates, first, progress, [&](const Options& options) {
    return bootstrap_batches(
        request.data(), outputs,
        [&](const Batch& batch, std::span<double> values) { call(function, batch, values); },
        options, {identity, one_by_one});
  });
}

/// What run_function() would do.
Plan explain_function(const Request& request, const std::vector<std::string>& outputs,
                      std::uint64_t replicates, bool influence) {
  const Statistic statistic(outputs.front(), 1, Statistic::kAnyNumber, [&](std::size_t) {
    return statistic::Bound{outputs, statistic::Call{}};
  });
  return without_gil(request.call(1, nb::none()), [&](const Execution& execution) {
    Options options = request.options(replicates);
    options.execution = execution;
    options.influence = influence;
    return plan(request.data(), statistic, options);
  });
}

/// A statistic of the library that calls the function with one resample at a time.
Statistic statistic_of(const Function& function, const std::vector<std::string>& outputs) {
  return Statistic(outputs.front(), 1, Statistic::kAnyNumber, [&function, outputs](std::size_t) {
    return statistic::Bound{
        outputs,
        statistic::Call{[&function](const statistic::Resample& resample, std::span<double> values) {
          const Calling calling;
          take(function(-1, copy_of(resample, true)), values);
        }}};
  });
}

/// The same by the engine itself, one resample at a time: for the jackknife.
std::unique_ptr<Handle> run_one_by_one(const Request& request, const Function& function,
                                       const std::vector<std::string>& outputs) {
  const ActiveCall active;
  Options options = request.options(1);
  options.execution.threads = 1;  // this one: Python's
  const Statistic statistic = statistic_of(function, outputs);
  const nb::gil_scoped_release released;
  return std::make_unique<Handle>(bootstrap(request.data(), statistic, options));
}

void add_function_influences(const Request& request, const Function& function,
                             const std::vector<std::string>& outputs, Handle& handle) {
  const ActiveCall active;
  Options options = request.options(1);
  options.execution.threads = 1;
  const Statistic statistic = statistic_of(function, outputs);
  const nb::gil_scoped_release released;
  handle.add(influence(request.data(), statistic, options),
             abc_curves(request.data(), {&statistic, 1}, options));
}

/// What rows of several independent samples do: `functions` has one for each, which sees the other
/// samples as they are.
void add_samples_influences(const std::vector<const Request*>& samples,
                            const std::vector<Function>& functions,
                            const std::vector<std::string>& outputs, Handle& handle) {
  const ActiveCall active;
  const nb::gil_scoped_release released;
  std::vector<std::vector<Influence>> each;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    Options options = samples[s]->options(1);
    options.execution.threads = 1;
    each.push_back(influence(samples[s]->data(), statistic_of(functions[s], outputs), options));
  }
  std::vector<Influence> found;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::vector<InfluenceTerm> terms;
    for (const auto& sample : each) terms.push_back({sample[k], 1});
    found.push_back(combined_influence(terms));
    found.back().estimate = found.back().mean = handle.result.estimate(k);
  }
  AbcCurve none;
  none.problem = "abc is for functions of sums of one sample only";
  handle.add(std::move(found), std::vector<AbcCurve>(outputs.size(), none));
}

}  // namespace

void bind_batches(nb::module_& m) {
  m.def("run_function", &run_function, "request"_a, "function"_a, "outputs"_a, "replicates"_a,
        "first"_a, "progress"_a.none(), "identity"_a = "", "one_by_one"_a = false);
  m.def("explain_function", &explain_function, "request"_a, "outputs"_a, "replicates"_a,
        "influence"_a);
  m.def("run_one_by_one", &run_one_by_one, "request"_a, "function"_a, "outputs"_a);
  m.def("add_function_influences", &add_function_influences, "request"_a, "function"_a, "outputs"_a,
        "result"_a);
  m.def("add_samples_influences", &add_samples_influences, "samples"_a, "functions"_a, "outputs"_a,
        "result"_a);
}

}  // namespace bootfold::python
