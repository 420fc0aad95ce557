// Every group against a control.
#include "bootfold/compare.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>

#include "modules.h"
#include "request.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

Comparison compare_groups(const Request& request, const Codes& codes,
                          std::vector<std::string> names, std::string column,
                          std::optional<std::string> control, std::vector<std::string> groups,
                          const std::string& difference, const std::string& interval,
                          const std::string& correction, double confidence,
                          const std::string& alternative, std::uint64_t replicates,
                          std::optional<double> precision, bool paired, const std::string& test,
                          nb::object progress) {
  const data::Labels labels{request.codes(codes), std::move(names), std::move(column)};
  const Options run = request.options(replicates);
  comparison::Options options;
  options.control = std::move(control);
  options.groups = std::move(groups);
  options.difference = comparison::parse_difference(difference);
  options.interval = interval::parse_method(interval);
  options.correction = comparison::parse_correction(correction);
  options.confidence = confidence;
  options.alternative = interval::parse_alternative(alternative);
  options.replicates = replicates;
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
  const Call call = request.call(replicates, std::move(progress));
  return without_gil(call, [&](const Execution& execution) {
    options.execution = execution;
    return compare(request.data(), labels, request.statistics().at(0), options);
  });
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
        "progress"_a.none());
}

}  // namespace bootfold::python
