// Requests, and the engine run on them.
#include "bootfold/bootstrap.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "bootfold/checkpoint.h"
#include "bootfold/error.h"
#include "bootfold/undefined.h"
#include "modules.h"
#include "native.h"
#include "request.h"
#include "result.h"
#include "text/quantity.h"

namespace bootfold::python {

namespace {

/// The columns, and behind them the weights if there are some.
DataView with_weights(const DataView& data, const std::optional<Doubles>& weights) {
  if (!weights) return data;
  std::vector<ColumnView> columns;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < data.columns(); ++c) {
    columns.push_back(data.column(c));
    names.push_back(data.name(c));
  }
  columns.emplace_back(std::span<const double>(weights->data(), weights->size()));
  names.emplace_back("weights");
  return DataView(std::move(columns), std::move(names));
}

}  // namespace

Request::Request(Columns columns, SchemeArguments scheme, RowWeights weights,
                 const Setting& setting)
    : columns_(std::move(columns)),
      scheme_arguments_(std::move(scheme)),
      weights_(std::move(weights)),
      setting_(setting),
      data_(with_weights(columns_.view(), weights_.weights)) {
  if (!weights_.frequencies) {
    scheme_ = make_scheme(scheme_arguments_);
    return;
  }
  repeated_.emplace(
      data_, std::span<const double>(weights_.frequencies->data(), weights_.frequencies->size()));
  data_ = repeated_->view();
  scheme_ = make_scheme(scheme_arguments_, *repeated_, codes_);
}

void Request::add(const Statistic& statistic) {
  statistics_.push_back(weights_.weights ? statistic::weighted(statistic) : statistic);
}

void Request::add_named(const std::string& name, const std::vector<std::string>& columns) {
  const Statistic statistic = statistic::parse(name);
  if (!statistic.columns().empty()) expressions_.push_back(name);
  if (columns.empty() || !statistic.columns().empty()) return add(statistic);
  if (!statistic.of_each_column()) return add(statistic.with_columns(columns));
  for (const std::string& column : columns) add(statistic.with_columns({column}));
}

std::vector<std::string> Request::undefined_reasons() const {
  std::vector<std::string> found;
  for (const std::string& text : expressions_)
    if (std::string reason = why_undefined(data_, text);
        !reason.empty() && std::ranges::find(found, reason) == found.end())
      found.push_back(std::move(reason));
  return found;
}

std::vector<std::uint32_t> Request::codes(const Codes& codes) const {
  const std::span<const std::uint32_t> all(codes.data(), codes.size());
  return repeated_ ? repeated_->codes(all) : std::vector<std::uint32_t>(all.begin(), all.end());
}

Options Request::options(std::uint64_t replicates, std::uint64_t first) const {
  Options options;
  options.replicates = replicates;
  options.first_replicate = first;
  options.seed = setting_.seed;
  options.scheme = scheme_;
  options.memory = setting_.memory;
  if (setting_.tolerance != 0) options.tolerance = setting_.tolerance;
  if (setting_.nested_replicates != 0) options.nested_replicates = setting_.nested_replicates;
  options.joint = setting_.joint;
  if (setting_.path) options.path = parse_path(*setting_.path);
  options.rescale = setting_.rate;
  options.execution.threads = setting_.threads;
  return options;
}

bool Request::by_column() const {
  return std::all_of(statistics_.begin(), statistics_.end(),
                     [](const Statistic& statistic) { return statistic.of_each_column(); });
}

std::vector<bool> Request::outputs_of(const std::vector<bool>& columns) const {
  std::vector<bool> found;
  const bool any = std::find(columns.begin(), columns.end(), true) != columns.end();
  for (const Statistic& statistic : statistics_) {
    const std::size_t weights = statistic.weighted() ? 1 : 0;
    const std::size_t all = columns.size() + weights;
    if (!statistic.columns().empty()) {
      bool marked = false;
      for (std::size_t c = 0; c < columns.size(); ++c)
        marked =
            marked || (columns[c] && std::ranges::count(statistic.columns(), data_.name(c)) > 0);
      found.insert(found.end(), statistic.bind(statistic.columns().size() + weights).outputs.size(),
                   marked);
    } else if (statistic.of_each_column()) {
      for (const bool marked : columns)
        found.insert(found.end(), statistic.bind(1 + weights).outputs.size(), marked);
    } else if (all >= statistic.fewest_columns() &&
               all <= statistic.most_columns()) {  // else the engine will tell
      found.insert(found.end(), statistic.bind(all).outputs.size(), any);
    }
  }
  return found;
}

std::size_t Request::outputs() const {
  return outputs_of(std::vector<bool>(columns_.size(), false)).size();
}

Call Request::call(std::uint64_t replicates, nb::object progress) const {
  // Over in milliseconds on the fast paths, and in a third of a second on the slowest (trimmed
  // means on one thread without vectors): nobody wants to interrupt that.
  constexpr double kBriefWork = 1e7;
  const double work = static_cast<double>(data_.rows()) * static_cast<double>(data_.columns()) *
                      static_cast<double>(statistics_.size()) * static_cast<double>(replicates);
  return {.execution = {.threads = setting_.threads},
          .progress = std::move(progress),
          .brief = work <= kBriefWork && !own_ && checkpoint_.empty()};
}

namespace {

using namespace nb::literals;

std::unique_ptr<Handle> run(const Request& request, std::uint64_t replicates, std::uint64_t first,
                            nb::object progress, bool standard_errors, bool influence) {
  Call call = request.call(replicates, std::move(progress));
  if (standard_errors || influence) call.brief = false;
  return without_gil(call, [&](const Execution& execution) {
    Options options = request.options(replicates, first);
    options.checkpoint = request.checkpoint();
    options.execution = execution;
    options.standard_errors = standard_errors;
    options.influence = influence;
    return std::make_unique<Handle>(bootstrap(request.data(), request.statistics(), options));
  });
}

/// What run() would do.
Plan explain(const Request& request, std::uint64_t replicates, bool standard_errors,
             bool influence) {
  const Call call = request.call(replicates, nb::none());
  return without_gil(call, [&](const Execution& execution) {
    Options options = request.options(replicates);
    options.execution = execution;
    options.standard_errors = standard_errors;
    options.influence = influence;
    return plan(request.data(), request.statistics(), options);
  });
}

std::uint64_t bytes_of(const std::string& text) {
  if (const std::optional<std::uint64_t> bytes = text::parse_bytes(text)) return *bytes;
  throw InvalidArgument(text::bad_bytes("memory", text));
}

/// What a run with Options::influence has, for a result that was made without.
void add_influences(const Request& request, Handle& handle) {
  struct Found {
    std::vector<Influence> influences;
    std::vector<AbcCurve> curves;
  };
  const Call call = request.call(1000, nb::none());
  Found found = without_gil(call, [&](const Execution& execution) {
    Options options = request.options(1);
    options.execution = execution;
    return Found{influence(request.data(), request.statistics(), options),
                 abc_curves(request.data(), request.statistics(), options)};
  });
  const nb::gil_scoped_release released;
  handle.add(std::move(found.influences), std::move(found.curves));
}

/// The same where each column holds n t - (n - 1) t_i, for t the value and t_i without row i: the
/// mean of such a column does without a row what the value does.
void add_linear_influences(const Request& request, Handle& handle) {
  const Call call = request.call(1000, nb::none());
  std::vector<Influence> found = without_gil(call, [&](const Execution& execution) {
    Options options = request.options(1);
    options.execution = execution;
    return influence(request.data(), request.statistics(), options);
  });
  AbcCurve none;
  none.problem = "abc is for functions of sums that the library knows";
  std::vector<AbcCurve> curves(found.size(), none);
  for (std::size_t k = 0; k < found.size(); ++k)
    found[k].estimate = found[k].mean = handle.result.estimate(k);
  const nb::gil_scoped_release released;
  handle.add(std::move(found), std::move(curves));
}

}  // namespace

void bind_bootstrap(nb::module_& m) {
  nb::class_<Request>(m, "Request", "Data, statistics, scheme and options of a bootstrap.")
      .def(
          "__init__",
          [](Request* self, std::vector<std::vector<Array>> columns, std::vector<std::string> names,
             std::optional<std::string> scheme, std::optional<Codes> strata,
             std::optional<Codes> clusters, std::optional<Doubles> probabilities,
             std::optional<double> block_length, std::uint64_t size, bool two_stage,
             std::optional<Doubles> weights, std::optional<Doubles> frequencies, std::uint64_t seed,
             std::size_t memory, unsigned threads, double tolerance,
             std::uint64_t nested_replicates, std::optional<std::string> path, bool joint,
             double rate) {
            new (self) Request(Columns(std::move(columns), std::move(names)),
                               {std::move(scheme), std::move(strata), std::move(clusters),
                                std::move(probabilities), block_length, size, two_stage},
                               {std::move(weights), std::move(frequencies)},
                               {seed, memory, threads, tolerance, nested_replicates,
                                std::move(path), joint, rate});
          },
          "columns"_a, "names"_a, "scheme"_a.none(), "strata"_a.none(), "clusters"_a.none(),
          "probabilities"_a.none(), "block_length"_a.none(), "size"_a, "two_stage"_a,
          "weights"_a.none(), "frequencies"_a.none(), "seed"_a, "memory"_a, "threads"_a,
          "tolerance"_a, "nested_replicates"_a, "path"_a.none(), "joint"_a, "rate"_a,
          nb::sig("def __init__(self, columns: collections.abc.Sequence["
                  "collections.abc.Sequence[numpy.typing.NDArray[typing.Any]]], names: "
                  "collections.abc.Sequence[str], scheme: str | None, "
                  "strata: numpy.typing.NDArray[numpy.uint32] | None, "
                  "clusters: numpy.typing.NDArray[numpy.uint32] | None, "
                  "probabilities: numpy.typing.NDArray[numpy.float64] | None, "
                  "block_length: float | None, size: int, two_stage: bool, "
                  "weights: numpy.typing.NDArray[numpy.float64] | None, "
                  "frequencies: numpy.typing.NDArray[numpy.float64] | None, seed: int, "
                  "memory: int, threads: int, tolerance: float, nested_replicates: int, "
                  "path: str | None, joint: bool, rate: float) -> None"))
      .def("add_named", &Request::add_named, "name"_a, "columns"_a = std::vector<std::string>())
      .def("undefined_reasons", &Request::undefined_reasons)
      .def(
          "add_native",
          [](Request& request, std::uintptr_t address, bool columns, bool takes_user_data,
             std::uintptr_t user_data, const std::string& name) {
            request.add_own(native_statistic(address, columns, takes_user_data, user_data, name));
          },
          "address"_a, "columns"_a, "takes_user_data"_a, "user_data"_a, "name"_a)
      .def("run", &run, "replicates"_a, "first"_a, "progress"_a.none(), "standard_errors"_a = false,
           "influence"_a = false)
      .def("explain", &explain, "replicates"_a, "standard_errors"_a = false, "influence"_a = false)
      .def("add_influences", &add_influences, "result"_a)
      .def("add_linear_influences", &add_linear_influences, "result"_a)
      .def_prop_rw("checkpoint", &Request::checkpoint, &Request::set_checkpoint)
      .def_prop_ro("outputs", &Request::outputs)
      .def_prop_ro("rows", [](const Request& request) { return request.data().rows(); })
      .def_prop_ro("by_column", &Request::by_column)
      .def("outputs_of", &Request::outputs_of, "columns"_a);
  m.def("remove_checkpoint", &remove_checkpoint, "path"_a, "Deletes the files of a checkpoint.");
  m.def("parse_bytes", &bytes_of, "text"_a, "A memory size such as '256M' or '1GiB', in bytes.");
  m.def("statistic_listings", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> all;
    for (const auto& [usage, columns, meaning] : statistic::listings())
      all.emplace_back(usage, columns, meaning);
    return all;
  });
}

}  // namespace bootfold::python
