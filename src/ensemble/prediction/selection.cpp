#include "bootfold/ensemble/selection.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <span>

#include "bootfold/ensemble/conformal.h"
#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "ensemble/calibration/score_rows.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/fingerprint.h"
#include "ensemble/input_rows.h"
#include "ensemble/prediction/noise.h"
#include "ensemble/prediction/point_blocks.h"
#include "ensemble/prediction/prediction_sums.h"
#include "ensemble/selection/held_out_record.h"
#include "ensemble/selection/row_draws.h"
#include "ensemble/training/defaults.h"
#include "ensemble/training/member_rows.h"
#include "ensemble/training/solo_trainer.h"
#include "ensemble/training/training_context.h"
#include "ensemble/training/work_schedule.h"
#include "text/concat.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

constexpr std::size_t kMembersAtOnce = 16;  // members whose sums are made together

MemberAverage average_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  MemberAverage average{std::accumulate(values.begin(), values.end(), 0.0) / count,
                        Member::kUnknown};
  double squares = 0;
  for (const double value : values) squares += (value - average.mean) * (value - average.mean);
  if (values.size() > 1) average.deviation = std::sqrt(squares / (count - 1));
  return average;
}

void check_out_of_bag(const Ensemble::Frame& frame, std::uint64_t fingerprint,
                      const Examples& examples) {
  if (!leaves_rows_out(frame))
    throw InvalidArgument(text::concat("with resampling ", name_of_all_rows(frame.resampling),
                                       " members are trained on all rows, so none are out of bag; "
                                       "use resampling bootstrap or subsample"));
  check_training_rows(frame, fingerprint, examples);
}

/// Members whose sums are made together, by their indices.
using MemberChunks = std::vector<std::vector<std::size_t>>;

MemberChunks chunks_of(std::size_t members) {
  MemberChunks chunks((members + kMembersAtOnce - 1) / kMembersAtOnce);
  for (std::size_t m = 0; m < members; ++m) chunks[m / kMembersAtOnce].push_back(m);
  return chunks;
}

/// Those of a training of so many members with all settings.
MemberChunks chunks_of(const Training& given, const Ensemble::Frame& frame,
                       const Examples& examples, std::size_t members) {
  Training training = with_defaults(given, examples.rows());
  training.members = members / training.settings.size();
  training.first_member = 0;
  if (training.members * training.settings.size() != members) return chunks_of(members);
  const std::size_t columns = network_inputs(frame);
  const std::size_t outputs = Heads(frame).outputs();
  const WorkSchedule schedule(training, [&](const Settings& settings) {
    return trains_faster_alone(Shape(columns, settings.architecture, outputs),
                               batch_row_count(training, settings, examples.rows()));
  });
  MemberChunks chunks(schedule.chunks());
  for (std::size_t c = 0; c < chunks.size(); ++c)
    for (const Job& job : schedule.chunk(c)) chunks[c].push_back(job.member);
  return chunks;
}

/// Memory limit of the sums over members.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

/// Out-of-bag predictions; parameters[m] are those of member m. Rows are predicted in parts, so
/// that memory is bounded.
template <class Parameters>
Prediction predict_out_of_bag(const Ensemble::Frame& frame, std::span<const Member> members,
                              const Parameters& parameters, const Examples& examples,
                              const Execution& execution, const MemberChunks& chunks) {
  const std::size_t rows = examples.rows();
  const Heads heads(frame);
  const std::size_t outputs = heads.outputs();
  const execution::Level level = execution.level.value_or(execution::default_level());
  const std::size_t states = 4 * std::size_t{execution::thread_count(execution)} + 2;
  const std::size_t at_once =
      kPoints * std::max<std::size_t>(1, kMostBytes / (states * bytes_of_sums(kPoints, outputs)));
  Prediction prediction = finish({}, frame, rows);
  InputReader inputs(examples, frame);
  const std::size_t columns = inputs.columns();
  for (std::size_t first = 0; first < rows; first += at_once) {
    const std::size_t count = std::min(at_once, rows - first);
    std::vector<float> read(count * columns);
    inputs.read(count, read.data());
    const PointBlocks points(read.data(), count, columns);
    const PredictionSums total = map_reduce(
        {0, chunks.size(), 1}, PredictionSums{},
        [&](PredictionSums& sums, std::size_t chunk, const execution::Worker& worker) {
          sums = PredictionSums(points.blocks(), BlockSums(heads));
          for (const std::size_t m : chunks[chunk]) {
            const Member& member = members[m];
            if (!member.failure.empty()) continue;
            const Settings& settings = frame.settings[member.settings];
            const Shape shape(columns, settings.architecture, outputs);
            std::vector<float> held_out =
                MemberRows({frame.seed, member.number, frame.share}, frame.resampling, rows,
                           settings.subsample, false, level)
                    .held_out();
            held_out.resize(std::max(rows, first + points.blocks() * kPoints));
            std::vector<float> scratch;
            for (std::size_t b = 0; b < points.blocks(); ++b)
              sums[b].add(simd::kernels(level), shape, parameters[m].data(), points.block(b),
                          held_out.data() + first + b * kPoints, scratch);
            worker.check();
          }
        },
        merge, execution);
    finish(total, frame, first, prediction);
  }
  return prediction;
}

/// Makes an ensemble and, if members leave rows out, its noise and out-of-bag prediction. Noise and
/// scores are those of `judged`, which is an out-of-bag prediction too, if it is given.
Ensemble make_ensemble(Ensemble::Frame frame, std::vector<Member> members,
                       std::vector<std::vector<float>> parameters, std::uint64_t fingerprint,
                       const Examples& examples, const Execution& execution, Prediction* judged,
                       const MemberChunks& chunks) {
  frame.temperature = 1;  // the old one was fitted to other members, and so were the scores
  frame.temperatures.clear();
  frame.conformal = {};
  if (!leaves_rows_out(frame))
    return EnsembleAccess::make(std::move(frame), std::move(members), std::move(parameters),
                                fingerprint);
  check_out_of_bag(frame, fingerprint, examples);
  if (judged != nullptr) estimate_noise(frame, examples.targets, *judged);
  Prediction prediction =
      predict_out_of_bag(frame, members, parameters, examples, execution, chunks);
  if (judged == nullptr) estimate_noise(frame, examples.targets, prediction);
  frame.conformal = out_of_bag_scores(frame, judged != nullptr ? *judged : prediction, examples);
  return EnsembleAccess::make(std::move(frame), std::move(members), std::move(parameters),
                              fingerprint, std::move(prediction));
}

bool same_scaling(const Scaling& a, const Scaling& b) {
  return a.mean == b.mean && a.scale == b.scale;
}

bool same_range(const Range& a, const Range& b) { return a.low == b.low && a.high == b.high; }

/// Compares all but noise, temperature and scores.
bool same_frame(const Ensemble::Frame& a, const Ensemble::Frame& b) {
  return a.loss == b.loss && a.losses == b.losses && a.quantiles == b.quantiles &&
         a.huber_delta == b.huber_delta && a.pos_weight == b.pos_weight &&
         a.transforms == b.transforms && a.inputs == b.inputs && a.encoding == b.encoding &&
         a.target == b.target && a.classes == b.classes &&
         same_scaling(a.input_scaling, b.input_scaling) &&
         same_range(a.input_range, b.input_range) &&
         same_scaling(a.target_scaling, b.target_scaling) && a.settings == b.settings &&
         a.resampling == b.resampling && a.share == b.share && a.seed == b.seed && a.rows == b.rows;
}

}  // namespace

std::vector<SettingsSummary> summarize_settings(const Ensemble& ensemble) {
  const std::size_t count = ensemble.frame().settings.size();
  std::vector<SettingsSummary> found(count);
  std::vector<std::vector<double>> steps(count);
  std::vector<std::vector<double>> losses(count);
  std::vector<std::vector<double>> held_out(count);
  for (std::size_t m = 0; m < ensemble.size(); ++m) {
    const Member& member = ensemble.member(m);
    ++found[member.settings].members;
    if (!member.failure.empty()) {
      ++found[member.settings].failed;
      continue;
    }
    steps[member.settings].push_back(static_cast<double>(member.steps));
    losses[member.settings].push_back(member.loss);
    if (!std::isnan(member.held_out_loss))
      held_out[member.settings].push_back(member.held_out_loss);
  }
  for (std::size_t s = 0; s < count; ++s) {
    found[s].settings = s;
    found[s].steps = average_of(steps[s]);
    found[s].loss = average_of(losses[s]);
    found[s].held_out_loss = average_of(held_out[s]);
  }
  return found;
}

Prediction out_of_bag(const Ensemble& ensemble, const Examples& examples,
                      const Execution& execution) {
  check_out_of_bag(ensemble.frame(), EnsembleAccess::fingerprint(ensemble), examples);
  std::vector<Member> members;
  std::vector<std::span<const float>> parameters;
  for (std::size_t m = 0; m < ensemble.size(); ++m) {
    members.push_back(ensemble.member(m));
    parameters.push_back(ensemble.parameters(m));
  }
  return predict_out_of_bag(ensemble.frame(), members, parameters, examples, execution,
                            chunks_of(members.size()));
}

Ensemble best(const Ensemble& ensemble, std::size_t count, const Examples& examples,
              const Execution& execution) {
  std::vector<std::size_t> order;
  for (std::size_t m = 0; m < ensemble.size(); ++m)
    if (ensemble.member(m).failure.empty() && !std::isnan(ensemble.member(m).held_out_loss))
      order.push_back(m);
  if (order.empty())  // the message says why there is no held-out loss
    check_out_of_bag(ensemble.frame(), EnsembleAccess::fingerprint(ensemble), examples);
  if (count == 0 || count > order.size())
    throw InvalidArgument(text::concat("count is ", count, " but must be from 1 to ", order.size(),
                                       ", the members with a held-out loss"));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ensemble.member(a).held_out_loss < ensemble.member(b).held_out_loss;
  });
  order.resize(count);
  return keep(ensemble, order, examples, execution);
}

namespace {

/// Members in their order in the ensemble.
Ensemble in_order(const Ensemble& ensemble, std::span<const std::size_t> members) {
  std::vector<std::size_t> order(members.begin(), members.end());
  std::sort(order.begin(), order.end());
  return ensemble.subset(order);
}

Ensemble keep_members(const Ensemble& ensemble, std::span<const std::size_t> members,
                      const Examples& examples, const Execution& execution, Prediction* judged) {
  const Ensemble kept = in_order(ensemble, members);
  std::vector<Member> all;
  std::vector<std::vector<float>> parameters;
  for (std::size_t m = 0; m < kept.size(); ++m) {
    all.push_back(kept.member(m));
    parameters.emplace_back(kept.parameters(m).begin(), kept.parameters(m).end());
  }
  return make_ensemble(kept.frame(), std::move(all), std::move(parameters),
                       EnsembleAccess::fingerprint(ensemble), examples, execution, judged,
                       chunks_of(kept.size()));
}

/// Copies one row of a prediction.
void copy_row(const Prediction& from, std::size_t row, Prediction& to, std::size_t at) {
  const auto copy = [&](const auto& source, auto& target) {
    const std::size_t width = source.size() / from.rows;
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(row * width), width,
                target.begin() + static_cast<std::ptrdiff_t>(at * width));
  };
  copy(from.mean, to.mean);
  copy(from.total, to.total);
  copy(from.aleatoric, to.aleatoric);
  copy(from.epistemic, to.epistemic);
  copy(from.transformed_mean, to.transformed_mean);
  copy(from.transformed_epistemic, to.transformed_epistemic);
  copy(from.transformed_total, to.transformed_total);
  copy(from.members, to.members);
}

/// The rows from `first` on, each as the prediction of its fold has it: predict(members).
template <class Predict>
void predict_folds(const Ensemble& ensemble, const Selection& selection, std::size_t first,
                   Prediction& judged, Predict&& predict) {
  for (std::size_t f = 0; f < selection.without_fold.size(); ++f) {
    if (selection.without_fold[f].empty()) continue;
    const Prediction own = predict(in_order(ensemble, selection.without_fold[f]));
    for (std::size_t row = 0; row < own.rows; ++row)
      if (RowDraws(ensemble.frame().seed, selection.validation, first + row)
              .fold(selection.without_fold.size()) == f)
        copy_row(own, row, judged, first + row);
  }
}

bool has_probabilities(const Ensemble::Frame& frame) {
  if (has_classes(frame.loss)) return true;
  const std::vector<TargetColumns> columns = target_columns(frame);
  return std::ranges::any_of(columns,
                             [](const TargetColumns& each) { return each.loss == Loss::binary; });
}

}  // namespace

Ensemble keep(const Ensemble& ensemble, std::span<const std::size_t> members,
              const Examples& examples, const Execution& execution, const Examples* validation) {
  Ensemble made = keep_members(ensemble, members, examples, execution, nullptr);
  if (validation != nullptr) made.set_conformal(conformal_scores(made, *validation, execution));
  return made;
}

Ensemble keep(const Ensemble& ensemble, const Selection& selection, const Examples& examples,
              const Execution& execution, const Examples* validation) {
  if (selection.validation != (validation != nullptr))
    throw InvalidArgument(selection.validation
                              ? "validation rows selected the members; give them"
                              : "the members were selected by rows out of bag, not by validation "
                                "rows; give none");
  const Heads heads(ensemble.frame());
  JudgedRows judged{.validation = selection.validation};
  if (validation == nullptr) {
    check_out_of_bag(ensemble.frame(), EnsembleAccess::fingerprint(ensemble), examples);
    judged.prediction = finish({}, ensemble.frame(), examples.rows());
    predict_folds(ensemble, selection, 0, judged.prediction,
                  [&](const Ensemble& part) { return out_of_bag(part, examples, execution); });
  }
  Ensemble made = keep_members(ensemble, selection.members, examples, execution,
                               validation == nullptr ? &judged.prediction : nullptr);
  if (validation != nullptr) {
    judged.fingerprint = fingerprint_of_answers(*validation, false);
    judged.prediction = empty_prediction(heads, validation->rows());
    ScoreCollector collector(made.frame(), *validation);
    for_each_chunk(*validation, [&](std::size_t first, const DataView& inputs) {
      predict_folds(ensemble, selection, first, judged.prediction, [&](const Ensemble& part) {
        return EnsembleAccess::with_noise(part, made.frame().noise).predict(inputs, execution);
      });
    });
    collector.add(judged.prediction, 0);
    made.set_conformal(collector.finish(ScoreRows::held_out));
  }
  if (has_probabilities(made.frame()))
    EnsembleAccess::set_judged(made, std::make_shared<const JudgedRows>(std::move(judged)));
  return made;
}

Ensemble join(std::span<const Ensemble> parts, const Examples& examples, const Execution& execution,
              const Training* training) {
  if (parts.empty()) throw InvalidArgument("there are no parts to join");
  const Ensemble::Frame& frame = parts[0].frame();
  const std::uint64_t fingerprint = EnsembleAccess::fingerprint(parts[0]);
  std::vector<std::pair<std::size_t, std::size_t>> places;  // part, member
  std::set<std::pair<std::size_t, std::uint64_t>> known;    // settings, number
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!same_frame(frame, parts[p].frame()) ||
        EnsembleAccess::fingerprint(parts[p]) != fingerprint)
      throw InvalidArgument(
          text::concat("part ", p,
                       " was trained on other data or with other options than part 0; parts must "
                       "have the same data, settings and seed"));
    for (std::size_t m = 0; m < parts[p].size(); ++m) {
      const Member& member = parts[p].member(m);
      if (!known.emplace(member.settings, member.number).second)
        throw InvalidArgument(
            text::concat("member ", member.number, " of settings ", member.settings, " is in part ",
                         p, " and in an earlier part; give every part its own first_member"));
      places.emplace_back(p, m);
    }
  }
  std::stable_sort(places.begin(), places.end(), [&](const auto& a, const auto& b) {
    return parts[a.first].member(a.second).settings < parts[b.first].member(b.second).settings;
  });
  std::vector<Member> members;
  std::vector<std::vector<float>> parameters;
  for (const auto& [p, m] : places) {
    members.push_back(parts[p].member(m));
    parameters.emplace_back(parts[p].parameters(m).begin(), parts[p].parameters(m).end());
  }
  const MemberChunks chunks = training == nullptr
                                  ? chunks_of(members.size())
                                  : chunks_of(*training, frame, examples, members.size());
  Ensemble joined = make_ensemble(frame, std::move(members), std::move(parameters), fingerprint,
                                  examples, execution, nullptr, chunks);
  std::vector<const HeldOutRecord*> records;
  for (const Ensemble& part : parts) records.push_back(EnsembleAccess::record(part).get());
  EnsembleAccess::set_record(joined, join_records(records, places));
  return joined;
}

}  // namespace bootfold::ensemble
