// Ensembles of small networks: what bootfold's estimators are written on.
#include "bootfold/ensemble/ensemble.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bootfold/ensemble/calibration.h"
#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/range.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/error.h"
#include "call.h"
#include "columns.h"
#include "example_rows.h"
#include "modules.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;
using ensemble::Band;
using ensemble::Ensemble;
using ensemble::Examples;
using ensemble::Member;
using ensemble::Prediction;
using ensemble::Settings;
using ensemble::Training;

using InputMatrix = MatrixInput;

Call call_of(unsigned threads, nb::object progress = nb::none(), bool brief = false) {
  return {.execution = {.threads = threads}, .progress = std::move(progress), .brief = brief};
}

/// Settings, numbers, epoch, step, training losses and held-out losses.
using EpochTable = std::tuple<std::vector<std::size_t>, std::vector<std::uint64_t>, std::uint64_t,
                              std::uint64_t, std::vector<double>, std::vector<double>>;

EpochTable table_of(std::span<const ensemble::MemberEpoch> epochs) {
  EpochTable table;
  auto& [settings, numbers, epoch, step, losses, held_out] = table;
  for (const ensemble::MemberEpoch& each : epochs) {
    settings.push_back(each.settings);
    numbers.push_back(each.number);
    losses.push_back(each.loss);
    held_out.push_back(each.held_out_loss);
  }
  epoch = epochs[0].epoch;
  step = epochs[0].step;
  return table;
}

std::unique_ptr<Ensemble> train(const ExampleRows& rows, Training training,
                                const ExampleRows* validation, unsigned threads,
                                nb::object progress, const Ensemble* start, nb::object epoch_done) {
  if (validation != nullptr) training.validation = &validation->examples();
  training.start = start;
  Call call = call_of(threads, std::move(progress));
  Questions questions;
  if (!epoch_done.is_none()) {
    call.questions = &questions;
    training.epoch_done = [&](std::span<const ensemble::MemberEpoch> epochs) {
      bool more = false;
      return questions.ask([&] { more = nb::cast<bool>(epoch_done(table_of(epochs))); }) && more;
    };
  }
  return without_gil(call, [&](const Execution& execution) {
    training.execution = execution;
    return std::make_unique<Ensemble>(ensemble::train(rows.examples(), training));
  });
}

std::unique_ptr<Ensemble> join(const std::vector<const Ensemble*>& parts, const ExampleRows& rows,
                               unsigned threads) {
  std::vector<Ensemble> copies;
  copies.reserve(parts.size());
  for (const Ensemble* part : parts) copies.push_back(*part);
  return without_gil(call_of(threads), [&](const Execution& execution) {
    return std::make_unique<Ensemble>(ensemble::join(copies, rows.examples(), execution));
  });
}

std::unique_ptr<Prediction> predict(const Ensemble& ensemble, const InputMatrix& inputs,
                                    unsigned threads) {
  constexpr double kBriefWork = 1e7;
  const double parameters =
      ensemble.size() == 0 ? 0 : static_cast<double>(ensemble.parameters(0).size());
  const double work =
      static_cast<double>(inputs.shape(0)) * parameters * static_cast<double>(ensemble.size());
  const DataView rows = view_of(inputs, {});
  return without_gil(call_of(threads, nb::none(), work < kBriefWork), [&](const Execution& how) {
    return std::make_unique<Prediction>(ensemble.predict(rows, how));
  });
}

std::unique_ptr<Ensemble> best(const Ensemble& ensemble, std::size_t count, const ExampleRows& rows,
                               unsigned threads) {
  return without_gil(call_of(threads), [&](const Execution& execution) {
    return std::make_unique<Ensemble>(ensemble::best(ensemble, count, rows.examples(), execution));
  });
}

ensemble::Selection select(const Ensemble& ensemble, const ExampleRows& rows, std::string_view rule,
                           std::size_t count, const Training& training,
                           const ExampleRows* validation, unsigned threads) {
  return without_gil(call_of(threads), [&](const Execution& execution) {
    return ensemble::select(
        ensemble, rows.examples(),
        {.rule = ensemble::parse_selection_rule(rule),
         .count = count,
         .validation = validation == nullptr ? nullptr : &validation->examples(),
         .stopping = training.stopping,
         .execution = execution});
  });
}

std::unique_ptr<Ensemble> keep(const Ensemble& ensemble, const ensemble::Selection& selection,
                               const ExampleRows& rows, const ExampleRows* validation,
                               unsigned threads) {
  const Examples* held_out = validation == nullptr ? nullptr : &validation->examples();
  return without_gil(call_of(threads), [&](const Execution& execution) {
    return std::make_unique<Ensemble>(
        ensemble::keep(ensemble, selection, rows.examples(), execution, held_out));
  });
}

std::unique_ptr<Ensemble> calibrate(const Ensemble& ensemble, const ExampleRows& rows,
                                    const ExampleRows* validation, unsigned threads) {
  const Examples* held_out = validation == nullptr ? nullptr : &validation->examples();
  return without_gil(call_of(threads), [&](const Execution& execution) {
    return std::make_unique<Ensemble>(
        ensemble::calibrate(ensemble, rows.examples(), held_out, execution));
  });
}

std::unique_ptr<Band> band(const Ensemble& ensemble, const ExampleRows& rows,
                           const InputMatrix& inputs, double confidence, std::size_t memory,
                           unsigned threads) {
  const DataView points = view_of(inputs, {});
  return without_gil(call_of(threads), [&](const Execution& execution) {
    const ensemble::ConformalOptions options{
        .confidence = confidence, .memory = memory, .execution = execution};
    return std::make_unique<Band>(
        ensemble::jackknife_plus(ensemble, rows.examples(), points, options));
  });
}

/// Names of choices.
template <class Choice>
std::vector<std::string> names_of(const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  for (const Choice choice : choices) names.emplace_back(name(choice));
  return names;
}

using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;

/// Numbers of an object [row][output] where they lie; of one for each row, [row][1]. They may be
/// written to: every prediction is an object of its own, and estimators' are.
template <class Object>
auto matrix(std::vector<double> Object::*numbers) {
  return [numbers](nb::handle self) -> Matrix {
    Object& object = nb::cast<Object&>(self);
    std::vector<double>& found = object.*numbers;
    const std::size_t width = object.rows == 0 ? 0 : found.size() / object.rows;
    return {found.data(), {object.rows, width}, self};
  };
}

void bind_training(nb::module_& m) {
  nb::class_<Settings>(m, "Settings", "Settings that may differ between members.")
      .def(nb::init<>())
      .def_prop_rw(
          "hidden", [](const Settings& s) { return s.architecture.hidden; },
          [](Settings& s, std::vector<std::size_t> v) { s.architecture.hidden = std::move(v); })
      .def_prop_rw(
          "activation", [](const Settings& s) { return name(s.architecture.activation); },
          [](Settings& s, std::string_view v) {
            s.architecture.activation = ensemble::parse_activation(v);
          })
      .def_prop_rw(
          "initializer", [](const Settings& s) { return name(s.architecture.initializer); },
          [](Settings& s, std::string_view v) {
            s.architecture.initializer = ensemble::parse_initializer(v);
          })
      .def_prop_rw(
          "optimizer", [](const Settings& s) { return name(s.optimizer); },
          [](Settings& s, std::string_view v) { s.optimizer = ensemble::parse_optimizer(v); })
      .def_prop_rw(
          "schedule", [](const Settings& s) { return name(s.schedule); },
          [](Settings& s, std::string_view v) { s.schedule = ensemble::parse_schedule(v); })
      .def_rw("learning_rate", &Settings::learning_rate)
      .def_rw("weight_decay", &Settings::weight_decay)
      .def_rw("momentum", &Settings::momentum)
      .def_rw("beta2", &Settings::beta2)
      .def_rw("epsilon", &Settings::epsilon)
      .def_rw("clip", &Settings::clip)
      .def_rw("warmup", &Settings::warmup)
      .def_rw("dropout", &Settings::dropout)
      .def_rw("average", &Settings::average)
      .def_prop_rw(
          "layer_norm", [](const Settings& s) { return s.architecture.layer_norm; },
          [](Settings& s, bool v) { s.architecture.layer_norm = v; })
      .def_prop_rw(
          "residual", [](const Settings& s) { return s.architecture.residual; },
          [](Settings& s, bool v) { s.architecture.residual = v; })
      .def_rw("batch_size", &Settings::batch_size)
      .def_ro_static("full_batch", &Settings::kFullBatch)
      .def_ro_static("automatic_batch", &Settings::kAutomaticBatch)
      .def_rw("subsample", &Settings::subsample);

  nb::class_<Training>(m, "Training", "All training options.")
      .def(nb::init<>())
      .def_rw("members", &Training::members)
      .def_rw("settings", &Training::settings)
      .def_rw("steps", &Training::steps)
      .def_rw("epochs", &Training::epochs)
      .def_rw("share", &Training::share)
      .def_prop_rw(
          "resampling", [](const Training& t) { return name(t.resampling); },
          [](Training& t, std::string_view v) { t.resampling = ensemble::parse_resampling(v); })
      .def_prop_rw(
          "loss", [](const Training& t) { return t.loss ? name(*t.loss) : std::string_view(); },
          [](Training& t, std::string_view v) { t.loss = ensemble::parse_loss(v); })
      .def_prop_rw(
          "losses", [](const Training& t) { return names_of(t.losses); },
          [](Training& t, const std::vector<std::string>& names) {
            t.losses.clear();
            for (const std::string& each : names) t.losses.push_back(ensemble::parse_loss(each));
          },
          "Of each target, if they differ.")
      .def_rw("quantiles", &Training::quantiles)
      .def_rw("huber_delta", &Training::huber_delta)
      .def_rw("pos_weight", &Training::pos_weight)
      .def_prop_rw(
          "target_transforms", [](const Training& t) { return names_of(t.target_transforms); },
          [](Training& t, const std::vector<std::string>& names) {
            t.target_transforms.clear();
            for (const std::string& each : names)
              t.target_transforms.push_back(ensemble::parse_target_transform(each));
          })
      .def_rw("curves", &Training::curves)
      .def_rw("reshuffle", &Training::reshuffle)
      .def_prop_rw(
          "patience", [](const Training& t) { return t.stopping.patience; },
          [](Training& t, std::size_t v) { t.stopping.patience = v; })
      .def_prop_rw(
          "look_every", [](const Training& t) { return t.stopping.look_every; },
          [](Training& t, double v) { t.stopping.look_every = v; })
      .def_prop_rw(
          "stopping_share", [](const Training& t) { return t.stopping.share_of_rows; },
          [](Training& t, double v) { t.stopping.share_of_rows = v; })
      .def_ro_static("share_beside_selection", &ensemble::Stopping::kShareBesideSelection)
      .def_rw("keep_held_out", &Training::keep_held_out)
      .def_rw("standardize", &Training::standardize)
      .def_rw("seed", &Training::seed)
      .def_rw("first_member", &Training::first_member)
      .def_rw("keep_optimizer", &Training::keep_optimizer)
      .def_rw("memory", &Training::memory)
      .def_rw("checkpoint", &Training::checkpoint);
}

void bind_rows(nb::module_& m) {
  nb::class_<ExampleRows>(m, "ExampleRows", "Rows with classes or targets.")
      .def(nb::init<InputMatrix, std::vector<std::string>, std::optional<Codes>,
                    std::vector<std::string>, std::optional<InputMatrix>, std::vector<std::string>,
                    std::optional<Doubles>, std::string, std::optional<ensemble::Encoding>>(),
           "inputs"_a, "names"_a, "codes"_a.none(), "classes"_a, "targets"_a.none(),
           "target_names"_a, "weights"_a.none(), "target"_a, "encoding"_a.none() = nb::none(),
           nb::sig("def __init__(self, inputs: numpy.typing.NDArray[typing.Any], "
                   "names: collections.abc.Sequence[str], "
                   "codes: numpy.typing.NDArray[numpy.uint32] | None, "
                   "classes: collections.abc.Sequence[str], "
                   "targets: numpy.typing.NDArray[typing.Any] | None, "
                   "target_names: collections.abc.Sequence[str], "
                   "weights: numpy.typing.NDArray[numpy.float64] | None, target: str, "
                   "encoding: Encoding | None = None) -> None"));
}

void bind_prediction(nb::module_& m) {
  nb::class_<Prediction>(m, "Prediction", "Predictions of an ensemble.")
      .def_prop_ro("mean", matrix(&Prediction::mean))
      .def_prop_ro("total", matrix(&Prediction::total))
      .def_prop_ro("aleatoric", matrix(&Prediction::aleatoric))
      .def_prop_ro("epistemic", matrix(&Prediction::epistemic))
      .def_prop_ro("members",
                   [](nb::handle self) {
                     const Prediction& said = nb::cast<const Prediction&>(self);
                     return nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>, nb::c_contig>(
                         said.members.data(), {said.members.size()}, self);
                   })
      .def_prop_ro("outside", [](nb::handle self) {
        const Prediction& said = nb::cast<const Prediction&>(self);
        return nb::ndarray<nb::numpy, const std::uint32_t, nb::ndim<1>, nb::c_contig>(
            said.outside.data(), {said.outside.size()}, self);
      });
  nb::class_<Band>(m, "Band", "Prediction intervals.")
      .def_prop_ro("low", matrix(&Band::low))
      .def_prop_ro("high", matrix(&Band::high))
      .def_ro("unjudged", &Band::unjudged);
  nb::class_<Member>(m, "Member", "The outcome of the training of one member.")
      .def_ro("settings", &Member::settings)
      .def_ro("number", &Member::number)
      .def_ro("steps", &Member::steps)
      .def_ro("loss", &Member::loss)
      .def_ro("held_out_loss", &Member::held_out_loss)
      .def_ro("failure", &Member::failure)
      .def_ro("curve", &Member::curve);
}

/// Kind, lambda, least and most target, knots from and to.
using TransformTable =
    std::tuple<std::string, double, double, double, std::vector<double>, std::vector<double>>;

/// Means and standard deviations that columns were moved by.
std::tuple<std::vector<double>, std::vector<double>> pair(const ensemble::Scaling& scaling) {
  return {scaling.mean, scaling.scale};
}

void bind_trained(nb::module_& m) {
  using ensemble::MemberAverage;
  using ensemble::SettingsSummary;
  nb::class_<MemberAverage>(m, "MemberAverage", "Mean and standard deviation over members.")
      .def_ro("mean", &MemberAverage::mean)
      .def_ro("deviation", &MemberAverage::deviation);
  nb::class_<SettingsSummary>(m, "SettingsSummary", "The members with the same settings.")
      .def_ro("settings", &SettingsSummary::settings)
      .def_ro("members", &SettingsSummary::members)
      .def_ro("failed", &SettingsSummary::failed)
      .def_ro("steps", &SettingsSummary::steps)
      .def_ro("loss", &SettingsSummary::loss)
      .def_ro("held_out_loss", &SettingsSummary::held_out_loss);
  nb::class_<ensemble::SelectionScore>(m, "SelectionScore", "Mean loss over rows.")
      .def_ro("loss", &ensemble::SelectionScore::loss)
      .def_ro("standard_error", &ensemble::SelectionScore::standard_error)
      .def_ro("rows", &ensemble::SelectionScore::rows);
  nb::class_<ensemble::Selection>(m, "Selection", "Members that were selected.")
      .def_ro("members", &ensemble::Selection::members)
      .def_ro("other_rows", &ensemble::Selection::other_rows)
      .def_ro("same_rows", &ensemble::Selection::same_rows)
      .def_ro("all_members", &ensemble::Selection::all_members)
      .def_ro("difference", &ensemble::Selection::difference)
      .def_ro("stopped_members", &ensemble::Selection::stopped_members);
  nb::class_<Ensemble>(m, "Ensemble", "Trained members.")
      .def_static("train", &train, "rows"_a, "training"_a, "validation"_a.none(), "threads"_a,
                  "progress"_a.none(), "start"_a.none() = nb::none(),
                  "epoch_done"_a.none() = nb::none())
      .def_static("join", &join, "parts"_a, "rows"_a, "threads"_a,
                  "Parts of one training, with members of their own.")
      .def("predict", &predict, "inputs"_a, "threads"_a,
           nb::sig("def predict(self, inputs: numpy.typing.NDArray[typing.Any], threads: int) -> "
                   "Prediction"))
      .def_prop_ro("out_of_bag", &Ensemble::out_of_bag, nb::rv_policy::reference_internal)
      .def("band", &band, "rows"_a, "inputs"_a, "confidence"_a, "memory"_a, "threads"_a,
           nb::sig("def band(self, rows: ExampleRows, inputs: numpy.typing.NDArray[typing.Any], "
                   "confidence: float, memory: int, threads: int) -> Band"))
      .def("best", &best, "count"_a, "rows"_a, "threads"_a)
      .def("select", &select, "rows"_a, "rule"_a, "count"_a, "training"_a, "validation"_a.none(),
           "threads"_a, "Members that rows choose which they are not trained on.")
      .def("keep", &keep, "selection"_a, "rows"_a, "validation"_a.none(), "threads"_a,
           "The selected members, with their out-of-bag prediction and scores of other rows.")
      .def("calibrate", &calibrate, "rows"_a, "validation"_a.none(), "threads"_a)
      .def(
          "subset",
          [](const Ensemble& ensemble, const std::vector<std::size_t>& members) {
            return std::make_unique<Ensemble>(ensemble.subset(members));
          },
          "members"_a)
      .def(
          "with_parameters",
          [](const Ensemble& ensemble, const std::vector<std::vector<float>>& parameters) {
            return std::make_unique<Ensemble>(ensemble::with_parameters(ensemble, parameters));
          },
          "parameters"_a, "The same networks with other parameters, [member][parameter].")
      .def_prop_ro("settings_summaries", &ensemble::summarize_settings,
                   "One for each of the settings.")
      .def("__len__", &Ensemble::size)
      .def("member", &Ensemble::member, "index"_a)
      .def_prop_ro("members",
                   [](const Ensemble& ensemble) {
                     std::vector<Member> all;
                     for (std::size_t i = 0; i < ensemble.size(); ++i)
                       all.push_back(ensemble.member(i));
                     return all;
                   })
      .def(
          "parameters",
          [](nb::handle self, std::size_t member) {
            const std::span<const float> found = nb::cast<const Ensemble&>(self).parameters(member);
            return nb::ndarray<nb::numpy, const float, nb::ndim<1>, nb::c_contig>(
                found.data(), {found.size()}, self);
          },
          "member"_a, "Of one member, not copied: weights [out][in] and bias of each layer.")
      .def_prop_ro("loss", [](const Ensemble& e) { return name(e.frame().loss); })
      .def_prop_ro("inputs", [](const Ensemble& e) { return e.frame().inputs; })
      .def_prop_ro("encoding", [](const Ensemble& e) { return e.frame().encoding; })
      .def(
          "outside",
          [](const Ensemble& e, const InputMatrix& inputs) {
            return ensemble::outside_range(e.frame(), view_of(inputs, {}));
          },
          "inputs"_a, "For each row, the number of inputs outside the range of the training rows.",
          nb::sig("def outside(self, inputs: numpy.typing.NDArray[typing.Any]) -> list[int]"))
      .def_prop_ro("classes", [](const Ensemble& e) { return e.frame().classes; })
      .def_prop_ro(
          "answers", [](const Ensemble& e) { return ensemble::prediction_names(e.frame()); },
          "Names of the columns of predictions: classes, targets and quantiles.")
      .def_prop_ro(
          "target_columns",
          [](const Ensemble& e) {
            std::vector<std::tuple<std::string, std::size_t, std::size_t>> columns;
            for (const ensemble::TargetColumns& each : ensemble::target_columns(e.frame()))
              columns.emplace_back(name(each.loss), each.first, each.count);
            return columns;
          },
          "For each target, its loss, the first of its columns of predictions, and their number.")
      .def_prop_ro(
          "outputs", [](const Ensemble& e) { return ensemble::network_outputs(e.frame()); },
          "Outputs of a network.")
      .def_prop_ro("quantiles", [](const Ensemble& e) { return e.frame().quantiles; })
      .def_prop_ro("huber_delta", [](const Ensemble& e) { return e.frame().huber_delta; })
      .def_prop_ro("pos_weight", [](const Ensemble& e) { return e.frame().pos_weight; })
      .def_prop_ro(
          "target_transforms",
          [](const Ensemble& e) {
            std::vector<TransformTable> tables;
            for (const ensemble::FittedTransform& each : e.frame().transforms)
              tables.emplace_back(name(each.kind), each.lambda, each.least, each.most, each.from,
                                  each.to);
            return tables;
          },
          "For each target, kind, lambda, least and most target, and knots; empty: none.")
      .def_prop_ro("resampling", [](const Ensemble& e) { return name(e.frame().resampling); })
      .def_prop_ro("share", [](const Ensemble& e) { return e.frame().share; })
      .def_prop_ro("temperature", [](const Ensemble& e) { return e.frame().temperature; })
      .def_prop_ro("conformal", [](const Ensemble& e) { return e.frame().conformal; })
      .def("set_conformal", &Ensemble::set_conformal, "scores"_a)
      .def_prop_ro("default_interval",
                   [](const Ensemble& e) -> std::optional<std::string> {
                     const auto method = ensemble::default_interval_method(e.frame());
                     return method ? std::optional(std::string(name(*method))) : std::nullopt;
                   })
      .def_prop_ro(
          "temperatures", [](const Ensemble& e) { return e.frame().temperatures; },
          "Of each target; empty: all are 1.")
      .def_prop_ro("leaves_rows_out", [](const Ensemble& e) { return leaves_rows_out(e.frame()); })
      .def_prop_ro("settings", [](const Ensemble& e) { return e.frame().settings; })
      .def_prop_ro("seed", [](const Ensemble& e) { return e.frame().seed; })
      .def_prop_ro("rows", [](const Ensemble& e) { return e.frame().rows; })
      .def_prop_ro("input_scaling", [](const Ensemble& e) { return pair(e.frame().input_scaling); })
      .def_prop_ro("input_range",
                   [](const Ensemble& e) {
                     return std::tuple(e.frame().input_range.low, e.frame().input_range.high);
                   })
      .def_prop_ro("target_scaling",
                   [](const Ensemble& e) { return pair(e.frame().target_scaling); })
      .def(
          "save",
          [](const Ensemble& ensemble, const std::string& path) {
            const nb::gil_scoped_release released;
            ensemble.save(path);
          },
          "path"_a)
      .def_static(
          "load",
          [](const std::string& path) {
            const nb::gil_scoped_release released;
            return std::make_unique<Ensemble>(Ensemble::load(path));
          },
          "path"_a);
}

}  // namespace

void bind_ensemble(nb::module_& m) {
  bind_training(m);
  bind_rows(m);
  bind_prediction(m);
  bind_trained(m);
}

}  // namespace bootfold::python
