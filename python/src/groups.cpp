// A bootstrap of every group of rows.
#include "bootfold/groups.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>

#include "bootfold/compare.h"
#include "modules.h"
#include "request.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

GroupedResult bootstrap_by(const Request& request, const Codes& codes,
                           std::vector<std::string> names, std::string column,
                           std::uint64_t replicates, std::optional<double> precision,
                           const std::string& method, double confidence,
                           const std::string& alternative, nb::object progress) {
  const data::Labels labels{request.codes(codes), std::move(names), std::move(column)};
  Options options = request.options(replicates);
  GroupOptions groups;
  groups.interval = interval::parse_method(method);
  groups.limits.confidence = confidence;
  groups.limits.alternative = interval::parse_alternative(alternative);
  groups.precision = precision;
  const Call call = request.call(replicates, std::move(progress));
  return without_gil(call, [&](const Execution& execution) {
    options.execution = execution;
    return bootstrap_groups(request.data(), {&labels, 1}, request.statistics(), options, groups);
  });
}

}  // namespace

void bind_groups(nb::module_& m) {
  nb::class_<GroupValue>(m, "GroupValue")
      .def_ro("estimate", &GroupValue::estimate)
      .def_ro("standard_error", &GroupValue::standard_error)
      .def_ro("standard_error_error", &GroupValue::standard_error_error)
      .def_ro("bias", &GroupValue::bias)
      .def_ro("undefined", &GroupValue::undefined)
      .def_ro("interval", &GroupValue::interval);
  nb::class_<GroupResult>(m, "GroupResult")
      .def_ro("name", &GroupResult::name)
      .def_ro("rows", &GroupResult::rows)
      .def_ro("replicates", &GroupResult::replicates)
      .def_ro("seed", &GroupResult::seed)
      .def_ro("values", &GroupResult::values);
  nb::class_<GroupedResult>(m, "GroupedResult")
      .def_ro("groups", &GroupedResult::groups)
      .def_ro("skipped", &GroupedResult::skipped);
  m.def("bootstrap_by", &bootstrap_by, "request"_a, "codes"_a, "names"_a, "column"_a,
        "replicates"_a, "precision"_a.none(), "method"_a, "confidence"_a, "alternative"_a,
        "progress"_a.none());
  m.def("group_seed", &comparison::group_seed, "seed"_a, "group"_a);
  m.def(
      "output_names",
      [](const Request& request) {
        std::vector<std::pair<std::string, std::vector<std::string>>> found;
        for (OutputName& each : output_names(request.data(), request.statistics()))
          found.emplace_back(std::move(each.statistic), std::move(each.columns));
        return found;
      },
      "request"_a);
}

}  // namespace bootfold::python
