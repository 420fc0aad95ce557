// Encodings of the inputs of networks.
#include "bootfold/ensemble/encoding.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "columns.h"
#include "modules.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;
using ensemble::Encoding;
using ensemble::EncodingCodes;
using ensemble::EncodingLearner;
using ensemble::InputEncoding;

using DoubleArray = nb::ndarray<nb::numpy, double, nb::ndim<1>, nb::c_contig>;

using CodeArray = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WeightArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

DoubleArray array_of(std::vector<double> values) {
  auto kept = std::make_unique<std::vector<double>>(std::move(values));
  double* const first = kept->data();
  const std::size_t size = kept->size();
  const nb::capsule owner(kept.release(),
                          [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return {first, {size}, owner};
}

/// The codes of distinct texts of a column; `truths` are NaN, or 1 and 0 for booleans.
DoubleArray codes_of(data::FieldCodes& codes, std::size_t column,
                     const std::vector<std::string>& texts, const std::vector<double>& truths) {
  std::vector<double> found;
  found.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool truth = i < truths.size() && !std::isnan(truths[i]);
    found.push_back(codes.code(column, texts[i], truth ? std::optional(truths[i]) : std::nullopt));
  }
  return array_of(std::move(found));
}

std::unique_ptr<EncodingLearner> learner(
    const std::vector<std::string>& names, std::vector<std::string> categorical,
    std::vector<std::string> dates, std::vector<std::string> numbers, std::size_t levels,
    bool missing, std::optional<std::size_t> bins, const std::string& bin_edges,
    std::optional<double> winsorize, std::size_t periodic, double periodic_scale) {
  auto made = std::make_unique<EncodingLearner>(
      ensemble::EncodingOptions{.categorical = std::move(categorical),
                                .dates = std::move(dates),
                                .numbers = std::move(numbers),
                                .levels = levels,
                                .missing = missing,
                                .bins = bins,
                                .bin_edges = ensemble::parse_bin_edges(bin_edges),
                                .winsorize = winsorize,
                                .periodic = periodic,
                                .periodic_scale = periodic_scale});
  made->start(names);
  return made;
}

/// The encoding of trees' edges: targets of the rows, or codes of their classes.
Encoding finish(const EncodingLearner& learner, const std::optional<MatrixInput>& targets,
                const std::optional<CodeArray>& codes, std::size_t classes,
                const std::optional<WeightArray>& weights) {
  data::Labels labels;
  ensemble::Examples examples;
  if (targets) examples.targets = view_of(*targets, {});
  if (codes) {
    labels.codes.assign(codes->data(), codes->data() + codes->size());
    labels.names.resize(classes);
    examples.classes = &labels;
  }
  if (weights)
    examples.weights = ColumnView(std::span<const double>(weights->data(), weights->size()));
  const nb::gil_scoped_release released;
  return targets || codes ? learner.finish(examples) : learner.finish();
}

/// Kind, missing, median, levels, slots, own, shared, hours, bins, limits and frequencies of an
/// input.
using InputState = std::tuple<std::string, bool, double, std::vector<std::string>,
                              std::vector<std::uint32_t>, std::uint32_t, std::uint32_t, bool,
                              std::vector<double>, std::vector<double>, std::vector<double>>;
using State = std::tuple<bool, std::vector<InputState>>;

State state_of(const Encoding& encoding) {
  std::vector<InputState> inputs;
  for (const InputEncoding& each : encoding.inputs)
    inputs.emplace_back(std::string(name(each.kind)), each.missing, each.median, each.levels,
                        each.slots, each.own, each.shared, each.hours, each.bins, each.limits,
                        each.periodic);
  return {encoding.accepts_missing, std::move(inputs)};
}

Encoding encoding_of(const State& state) {
  Encoding encoding;
  encoding.accepts_missing = std::get<0>(state);
  for (const auto& [kind, missing, median, levels, slots, own, shared, hours, bins, limits,
                    periodic] : std::get<1>(state))
    encoding.inputs.push_back({.kind = ensemble::parse_input_kind(kind),
                               .missing = missing,
                               .median = median,
                               .levels = levels,
                               .slots = slots,
                               .own = own,
                               .shared = shared,
                               .hours = hours,
                               .bins = bins,
                               .limits = limits,
                               .periodic = periodic});
  return encoding;
}

}  // namespace

void bind_encoding(nb::module_& m) {
  nb::class_<Encoding>(m, "Encoding", "How input columns become inputs of the networks.")
      .def(nb::init<>())
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Encoding& encoding,
                              const State& state) { new (&encoding) Encoding(encoding_of(state)); })
      .def_ro("accepts_missing", &Encoding::accepts_missing)
      .def("columns", &Encoding::columns, "inputs"_a, "The number of inputs of the networks.")
      .def("names", &Encoding::names, "inputs"_a, "Names of the inputs of the networks.")
      .def_prop_ro(
          "kinds",
          [](const Encoding& encoding) {
            std::vector<std::string> kinds;
            for (const InputEncoding& input : encoding.inputs) kinds.emplace_back(name(input.kind));
            return kinds;
          },
          "number, boolean, category or date; empty if all inputs are plain numbers.")
      .def_prop_ro(
          "plain",
          [](const Encoding& encoding) {
            return !encoding.accepts_missing &&
                   std::ranges::all_of(encoding.inputs, [](const ensemble::InputEncoding& input) {
                     return input.kind == ensemble::InputKind::number && input.columns() == 1 &&
                            input.limits.empty();
                   });
          },
          "Whether the networks see numbers as they are, and missing values are errors.")
      .def_prop_ro("levels", [](const Encoding& encoding) {
        std::vector<std::vector<std::string>> levels;
        for (const InputEncoding& input : encoding.inputs) levels.push_back(input.levels);
        return levels;
      });
  nb::class_<EncodingLearner>(m, "EncodingLearner", "Learns an encoding from training rows.")
      .def(nb::new_(&learner), "names"_a, "categorical"_a, "dates"_a, "numbers"_a, "levels"_a,
           "missing"_a, "bins"_a, "bin_edges"_a, "winsorize"_a, "periodic"_a, "periodic_scale"_a)
      .def(
          "codes",
          [](EncodingLearner& self, std::size_t column, const std::vector<std::string>& texts,
             const std::vector<double>& truths) { return codes_of(self, column, texts, truths); },
          "column"_a, "texts"_a, "truths"_a)
      .def(
          "add",
          [](EncodingLearner& self, const MatrixInput& rows) {
            const DataView view = view_of(rows, {});
            const nb::gil_scoped_release released;
            self.add(view);
          },
          "rows"_a, nb::sig("def add(self, rows: numpy.typing.NDArray[typing.Any]) -> None"))
      .def("finish", &finish, "targets"_a.none(), "codes"_a.none(), "classes"_a, "weights"_a.none(),
           nb::sig("def finish(self, targets: numpy.typing.NDArray[typing.Any] | None, codes: "
                   "numpy.typing.NDArray[numpy.uint32] | None, classes: int, weights: "
                   "numpy.typing.NDArray[numpy.float64] | None) -> Encoding"));
  nb::class_<EncodingCodes>(m, "EncodingCodes", "The codes of a trained model.")
      .def(nb::init<Encoding>(), "encoding"_a)
      .def(
          "codes",
          [](EncodingCodes& self, std::size_t column, const std::vector<std::string>& texts,
             const std::vector<double>& truths) { return codes_of(self, column, texts, truths); },
          "column"_a, "texts"_a, "truths"_a);
}

}  // namespace bootfold::python
