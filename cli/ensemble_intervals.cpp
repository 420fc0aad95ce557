#include "ensemble_intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "bootfold/ensemble/evaluation.h"
#include "bootfold/error.h"
#include "console.h"
#include "text.h"

namespace bootfold::cli {
namespace {

using ensemble::Ensemble;
using ensemble::IntervalMethod;

/// Whether a target has a loss other than these.
bool has_other(const Ensemble::Frame& frame, std::initializer_list<ensemble::Loss> losses) {
  const std::vector<ensemble::TargetColumns> columns = target_columns(frame);
  return std::ranges::any_of(columns, [&](const ensemble::TargetColumns& each) {
    return std::ranges::find(losses, each.loss) == losses.end();
  });
}

/// Whether a target has a predicted mean, and not quantiles or a probability.
bool has_means(const Ensemble::Frame& frame) {
  return has_other(frame, {ensemble::Loss::pinball, ensemble::Loss::binary});
}

/// The option by which members are trained on all rows.
std::string all_rows_option(const Ensemble::Frame& frame) {
  if (frame.resampling == ensemble::Resampling::subsample) return "--subsample 1";
  return fmt::format("--resampling {}", name(frame.resampling));
}

}  // namespace

std::optional<IntervalMethod> interval_method(const std::string& interval, const Ensemble& model) {
  const Ensemble::Frame& frame = model.frame();
  const auto method = default_interval_method(frame);
  if (interval.empty())
    return method == IntervalMethod::normal && !has_means(frame) ? std::nullopt : method;
  if (model.classifies())
    throw InvalidArgument(
        "--interval is for numbers, but the model predicts classes; --sets has their sets");
  if (!has_other(frame, {ensemble::Loss::binary}))
    throw InvalidArgument(
        "--interval is for numbers, but all targets are probabilities; --sets has their sets");
  const bool conformal = interval == "conformal" || interval == "scaled";
  if (interval != "conformal" && !has_means(frame))
    throw InvalidArgument(
        fmt::format("--interval {} is for predicted means, but the model predicts quantiles; "
                    "--interval conformal moves the lowest and the highest",
                    interval));
  if (interval == "jackknife+") return {};
  if (conformal && frame.conformal.rows == ensemble::ScoreRows::none)
    throw InvalidArgument(fmt::format(
        "--interval {} needs conformal scores, which the model does not have: {}", interval,
        leaves_rows_out(frame) ? "it comes from an earlier version; train again, or take "
                                 "--interval jackknife+ --training train.csv"
                               : fmt::format("with {} members are trained on all "
                                             "rows; train with --validation, or with --resampling "
                                             "bootstrap or subsample",
                                             all_rows_option(frame))));
  return ensemble::parse_interval_method(interval);
}

std::optional<ensemble::SetMethod> set_method(const std::string& sets, const Ensemble& model) {
  if (sets.empty()) return {};
  const Ensemble::Frame& frame = model.frame();
  if (sets != "threshold" && sets != "adaptive")
    throw InvalidArgument(
        fmt::format("--sets is '{}' but must be one of threshold, adaptive", one_line(sets)));
  const std::vector<ensemble::TargetColumns> targets = target_columns(frame);
  if (!model.classifies() &&
      std::ranges::count(targets, ensemble::Loss::binary, &ensemble::TargetColumns::loss) == 0)
    throw InvalidArgument(
        "--sets is for classes and targets of 0 and 1, but the model predicts numbers; their "
        "intervals are low and high");
  if (!model.classifies() && sets == "adaptive")
    throw InvalidArgument(
        "--sets adaptive is for classes, but the targets are 0 and 1; take --sets threshold");
  if (frame.conformal.rows == ensemble::ScoreRows::none)
    throw InvalidArgument(
        fmt::format("--sets needs conformal scores, which the model does not have: {}",
                    leaves_rows_out(frame)
                        ? std::string("it comes from an earlier version; train again")
                        : fmt::format("with {} members are trained on all rows; train with "
                                      "--validation, or with --resampling bootstrap or subsample",
                                      all_rows_option(frame))));
  return ensemble::parse_set_method(sets);
}

void print_interval_notes(const Ensemble& model, const IntervalRequest& intervals,
                          bool by_default) {
  const Ensemble::Frame& frame = model.frame();
  const bool conformal = intervals.method && *intervals.method != IntervalMethod::normal;
  if (conformal || intervals.sets) {
    const std::uint64_t rows = frame.conformal.residuals.at(0).rows;
    const double least = intervals.confidence / (1 - intervals.confidence);
    if (static_cast<double>(rows) < least * (1 - 1e-9))
      complain(fmt::format("{}: {} rows are too few for --confidence {:.6g}, which needs {}",
                           intervals.sets ? "sets have all classes" : "low and high are infinite",
                           grouped(rows), intervals.confidence,
                           grouped(static_cast<std::uint64_t>(std::ceil(least - 1e-9)))));
    return;
  }
  if (!has_means(frame) || intervals.training_examples != nullptr) return;
  if (!has_normal_intervals(frame))
    complain(
        fmt::format("low and high are not known (nan): with {} members are trained on "
                    "all rows, so nothing tells how far they are off; train with --validation, or "
                    "with --resampling bootstrap or subsample",
                    all_rows_option(frame)));
  else if (by_default)
    complain(
        "low and high assume a normal law: the model comes from an earlier version and has no "
        "conformal scores; train again, or take --interval jackknife+ --training train.csv");
}

void add_intervals(const Ensemble& model, const IntervalRequest& intervals, Json& object) {
  const bool jackknife = intervals.training_examples != nullptr;
  if (!model.classifies() && has_other(model.frame(), {ensemble::Loss::binary}))
    object["interval"] = jackknife          ? Json("jackknife+")
                         : intervals.method ? Json(name(*intervals.method))
                                            : Json(nullptr);
  if (intervals.sets) object["sets"] = name(*intervals.sets);
  if (object.contains("interval") || intervals.sets) object["confidence"] = intervals.confidence;
}

}  // namespace bootfold::cli
