// Every group against a control.
#include "bootfold/compare.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bootfold/covariate.h"
#include "comparison_options.h"
#include "function.h"
#include "modules.h"
#include "request.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

/// A function of the user's that is called from code without the interpreter, on the thread that
/// made the call.
class Callback {
 public:
  explicit Callback(nb::callable function)
      : function_(new nb::callable(std::move(function)), [](nb::callable* own) {
          const nb::gil_scoped_acquire acquired;
          delete own;
        }) {}

  /// function(block), where the block is a copy of [columns][rows]. It must return a number.
  double operator()(std::span<const double* const> columns, std::size_t rows) const {
    const Calling calling;
    auto memory = std::make_unique<double[]>(columns.size() * rows);
    for (std::size_t c = 0; c < columns.size(); ++c)
      std::copy_n(columns[c], rows, memory.get() + c * rows);
    double* const values = memory.release();
    const nb::capsule owner(values, [](void* own) noexcept { delete[] static_cast<double*>(own); });
    const nb::ndarray<nb::numpy, double, nb::ndim<2>> block(values, {columns.size(), rows}, owner);
    return nb::cast<double>((*function_)(block));
  }

 private:
  std::shared_ptr<nb::callable> function_;
};

/// function(block) returns a number.
using OfBlock = nb::typed<nb::callable, double(nb::any)>;

void add_function(Request& request, OfBlock function, const std::string& name) {
  const Callback callback(std::move(function));
  request.add_own(statistic::callable(
      [callback](const statistic::Resample& rows) { return callback(rows.columns, rows.rows); },
      name));
}

void add_sums(Request& request, OfBlock finish, std::size_t count, const std::string& name) {
  const Callback callback(std::move(finish));
  request.add_own(statistic::sums(
      count,
      [](std::span<const double> row, std::span<double> features) {
        std::copy_n(row.begin(), features.size(), features.begin());
      },
      [callback, count](const statistic::Folded& folded) {
        std::vector<double> means(count);
        for (std::size_t f = 0; f < count; ++f) means[f] = folded.mean(f);
        std::vector<const double*> columns;
        for (const double& mean : means) columns.push_back(&mean);
        return callback(columns, 1);
      },
      name));
}

std::vector<Comparison> compare_groups(
    const Request& request, const Codes& codes, std::vector<std::string> names, std::string column,
    std::optional<std::string> control, std::vector<std::string> groups,
    const std::string& difference, const std::string& interval, const std::string& correction,
    double confidence, const std::string& alternative, std::uint64_t replicates,
    std::optional<double> precision, bool paired, const std::string& test, nb::object progress,
    bool functions) {
  const data::Labels labels{request.codes(codes), std::move(names), std::move(column)};
  const Options run = request.options(replicates);
  comparison::Options options =
      comparison_options(std::move(control), std::move(groups), difference, interval, correction,
                         confidence, alternative, replicates);
  options.precision = precision;
  options.nested_replicates = run.nested_replicates;
  options.rescale = run.rescale;
  options.paired = paired;
  options.test = comparison::parse_test(test);
  options.seed = run.seed;
  options.scheme = run.scheme;
  options.memory = run.memory;
  options.tolerance = run.tolerance;
  options.checkpoint = request.checkpoint();
  if (functions) {  // of Python: on this thread alone
    const ActiveCall active;
    options.execution = run.execution;
    options.execution.threads = 1;
    const nb::gil_scoped_release released;
    return compare_all(request.data(), labels, request.statistics(), options);
  }
  const Call call = request.call(replicates, std::move(progress));
  return without_gil(call, [&](const Execution& execution) {
    options.execution = execution;
    return compare_all(request.data(), labels, request.statistics(), options);
  });
}

/// Adjusted values, theta, and the share of the variance that the covariate explains.
std::tuple<std::vector<double>, double, double> adjusted(const Doubles& values,
                                                         const Doubles& covariate,
                                                         const Codes& codes, std::size_t groups) {
  const data::Labels labels{
      {codes.data(), codes.data() + codes.size()}, std::vector<std::string>(groups), ""};
  Adjusted found = adjust(std::span<const double>(values.data(), values.size()),
                          std::span<const double>(covariate.data(), covariate.size()), labels);
  return {std::move(found.values), found.theta, found.explained};
}

}  // namespace

void bind_compare(nb::module_& m) {
  using comparison::Contrast;
  using comparison::Group;
  using comparison::Note;
  nb::class_<Note>(m, "Note").def_ro("name", &Note::name).def_prop_ro("text", [](const Note& note) {
    return in_words_of_python(note.text);
  });
  nb::class_<Group>(m, "Group")
      .def_ro("name", &Group::name)
      .def_ro("rows", &Group::rows)
      .def_ro("estimate", &Group::estimate)
      .def_ro("standard_error", &Group::standard_error)
      .def_ro("undefined", &Group::undefined)
      .def_ro("seed", &Group::seed)
      .def_ro("interval", &Group::interval)
      .def_ro("plan", &Group::plan);
  nb::class_<Contrast>(m, "Contrast")
      .def_ro("group", &Contrast::group)
      .def_ro("estimate", &Contrast::estimate)
      .def_ro("standard_error", &Contrast::standard_error)
      .def_ro("bias", &Contrast::bias)
      .def_ro("interval", &Contrast::interval)
      .def_ro("adjusted_interval", &Contrast::adjusted_interval)
      .def_ro("p_value", &Contrast::p_value)
      .def_ro("p_value_error", &Contrast::p_value_error)
      .def_ro("permutations", &Contrast::permutations)
      .def_ro("all_permutations", &Contrast::all_permutations)
      .def_ro("adjusted_p_value", &Contrast::adjusted_p_value)
      .def_ro("adjusted_p_value_error", &Contrast::adjusted_p_value_error)
      .def_ro("undefined", &Contrast::undefined)
      .def_ro("notes", &Contrast::notes);
  nb::class_<Comparison>(m, "Comparison")
      .def_ro("statistic", &Comparison::statistic)
      .def_ro("columns", &Comparison::columns)
      .def_ro("control", &Comparison::control)
      .def_ro("replicates", &Comparison::replicates)
      .def_ro("precision", &Comparison::precision)
      .def_prop_ro("test", [](const Comparison& found) { return std::string(name(found.test)); })
      .def_ro("clusters", &Comparison::clusters)
      .def_ro("shared_clusters", &Comparison::shared_clusters)
      .def_ro("groups", &Comparison::groups)
      .def_ro("contrasts", &Comparison::contrasts);
  m.def("compare_groups", &compare_groups, "request"_a, "codes"_a, "names"_a, "column"_a,
        "control"_a.none(), "groups"_a, "difference"_a, "interval"_a, "correction"_a,
        "confidence"_a, "alternative"_a, "replicates"_a, "precision"_a.none(), "paired"_a, "test"_a,
        "progress"_a.none(), "functions"_a = false);
  m.def("adjusted", &adjusted, "values"_a, "covariate"_a, "codes"_a, "groups"_a);
  m.def("add_function", &add_function, "request"_a, "function"_a, "name"_a);
  m.def("add_sums", &add_sums, "request"_a, "finish"_a, "count"_a, "name"_a);
}

}  // namespace bootfold::python
