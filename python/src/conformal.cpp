// Prediction intervals and prediction sets from conformal scores.
#include "bootfold/ensemble/conformal.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bootfold/ensemble/evaluation.h"
#include "bootfold/ensemble/selection.h"
#include "call.h"
#include "example_rows.h"
#include "modules.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;
using ensemble::Band;
using ensemble::ConformalScores;
using ensemble::Ensemble;
using ensemble::IntervalMethod;
using ensemble::Limits;
using ensemble::Prediction;
using ensemble::ScoreOrder;

std::unique_ptr<Band> band_of(const Ensemble& ensemble, const Prediction& prediction,
                              double confidence, std::string_view word,
                              const ConformalScores* scores) {
  const IntervalMethod method = ensemble::parse_interval_method(word);
  const std::vector<Limits> limits =
      method == IntervalMethod::normal
          ? prediction_intervals(ensemble.frame(), prediction, confidence)
          : conformal_intervals(ensemble.frame(), prediction, confidence, method, scores);
  auto band = std::make_unique<Band>();
  band->rows = prediction.rows;
  band->targets = prediction.rows == 0 ? 0 : limits.size() / prediction.rows;
  band->confidence = confidence;
  for (const Limits& each : limits) {
    band->low.push_back(each.low);
    band->high.push_back(each.high);
  }
  return band;
}

nb::bytes sets_of(const Ensemble& ensemble, const Prediction& prediction, double confidence,
                  std::string_view method, const ConformalScores* scores) {
  const std::vector<std::uint8_t> sets = prediction_sets(
      ensemble.frame(), prediction, confidence, ensemble::parse_set_method(method), scores);
  return nb::bytes(sets.data(), sets.size());
}

std::unique_ptr<ConformalScores> scores_of(const Ensemble& ensemble, const ExampleRows& rows,
                                           unsigned threads) {
  const Call call{.execution = {.threads = threads}, .progress = nb::none()};
  return without_gil(call, [&](const Execution& execution) {
    return std::make_unique<ConformalScores>(
        conformal_scores(ensemble, rows.examples(), execution));
  });
}

std::unique_ptr<ConformalScores> out_of_bag_scores_of(const Ensemble& ensemble,
                                                      const ExampleRows& rows, unsigned threads) {
  const Call call{.execution = {.threads = threads}, .progress = nb::none()};
  return without_gil(call, [&](const Execution& execution) {
    return std::make_unique<ConformalScores>(out_of_bag_scores(
        ensemble.frame(), out_of_bag(ensemble, rows.examples(), execution), rows.examples()));
  });
}

}  // namespace

void bind_conformal(nb::module_& m) {
  nb::class_<ScoreOrder>(m, "ScoreOrder", "Order statistics of conformal scores.")
      .def_static("of", &ScoreOrder::of, "scores"_a)
      .def("limit", &ScoreOrder::limit, "confidence"_a)
      .def_ro("rows", &ScoreOrder::rows)
      .def_ro("values", &ScoreOrder::values);
  nb::class_<ConformalScores>(m, "ConformalScores", "Conformal scores of all targets.")
      .def(nb::init<>())
      .def_prop_ro("rows", [](const ConformalScores& scores) { return name(scores.rows); })
      .def_ro("residuals", &ConformalScores::residuals)
      .def_ro("scaled", &ConformalScores::scaled);
  m.def("conformal_scores", &scores_of, "ensemble"_a, "rows"_a, "threads"_a,
        "Scores of rows that no member was trained on.");
  m.def("out_of_bag_scores", &out_of_bag_scores_of, "ensemble"_a, "rows"_a, "threads"_a,
        "Scores of the training rows, each predicted by the members that were not trained on it.");
  m.def("kept_ranks", &ensemble::kept_ranks, "rows"_a, "Ranks of the scores that are kept.");
  m.def("intervals", &band_of, "ensemble"_a, "prediction"_a, "confidence"_a, "method"_a,
        "scores"_a.none() = nb::none(), "Intervals of each target.");
  m.def("prediction_sets", &sets_of, "ensemble"_a, "prediction"_a, "confidence"_a, "method"_a,
        "scores"_a.none() = nb::none(), "Sets of classes, or of 0 and 1 of each target.");
}

}  // namespace bootfold::python
