// Selects members, and scores the selection on rows that did not select.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/fingerprint.h"
#include "ensemble/selection/judges.h"
#include "ensemble/selection/row_draws.h"
#include "ensemble/training/out_of_bag.h"
#include "ensemble/training/validation.h"
#include "text/choice.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// The training of an ensemble, as far as its predictions of held-out rows go.
Training training_of(const Ensemble& ensemble, const SelectionOptions& options) {
  const Ensemble::Frame& frame = ensemble.frame();
  Training training{.members = ensemble.size(), .settings = frame.settings};
  training.resampling = frame.resampling;
  training.seed = frame.seed;
  training.stopping = options.stopping;
  training.validation = options.validation;
  training.execution = options.execution;
  return training;
}

/// Predicts the rows that judge again, with members that are trained.
HeldOutRecord predicted_record(const Ensemble& ensemble, const Examples& examples,
                               const SelectionOptions& options) {
  constexpr std::size_t kBlocksOfPart = 4096;
  const Ensemble::Frame& frame = ensemble.frame();
  const Training training = training_of(ensemble, options);
  const Heads heads(frame);
  const execution::Level level = options.execution.level.value_or(execution::default_level());
  // With validation rows, the training rows are not needed.
  const TrainingMatrix matrix = options.validation != nullptr
                                    ? validation_matrix(*options.validation, frame)
                                    : TrainingMatrix(examples, frame, 0, options.execution);
  TrainingContext context{matrix, training,
                          heads,  heads.outputs(),
                          level,  options.validation != nullptr ? &matrix : nullptr};
  HeldOutRecorder recorder(context, ensemble.size());
  const OutOfBag out_of_bag(context);
  const Validation validation(context);
  Execution quiet = options.execution;
  quiet.progress = {};
  execution::detail::run_chunks(
      ensemble.size(), 0, quiet, [&](const execution::Worker& worker, std::size_t m) {
        const Member& member = ensemble.member(m);
        if (!member.failure.empty()) return;
        const Job job{
            m, {frame.seed, member.number, frame.share}, &training.settings[member.settings]};
        const std::vector<float> parameters(ensemble.parameters(m).begin(),
                                            ensemble.parameters(m).end());
        if (options.validation != nullptr) {
          static_cast<void>(validation.loss(job, parameters, &recorder));
          return;
        }
        MeanLoss loss;
        for (std::size_t first = 0; first < out_of_bag.blocks(); first += kBlocksOfPart) {
          worker.check();
          PredictionSums sums;
          out_of_bag.add(job, parameters,
                         {first, std::min(first + kBlocksOfPart, out_of_bag.blocks())}, sums, loss,
                         &recorder);
        }
      });
  return std::move(recorder.record());
}

std::shared_ptr<const HeldOutRecord> record_of(const Ensemble& ensemble, const Examples& examples,
                                               const SelectionOptions& options) {
  const auto& kept = EnsembleAccess::record(ensemble);
  if (kept != nullptr && kept->validation == (options.validation != nullptr) &&
      kept->fingerprint == fingerprint_of_judges(options.validation))
    return kept;
  SelectionOptions own = options;
  if (kept != nullptr) own.stopping.patience = 0;  // by the rows of the record, which are others
  return std::make_shared<const HeldOutRecord>(predicted_record(ensemble, examples, own));
}

SelectedSums sums_of(const Judges& judges, const Picks& picks) {
  SelectedSums sums = judges.no_members();
  for (const auto& [g, c] : picks) {
    const Judges::Group& group = judges.groups()[g];
    judges.add(group, group.candidates[c], sums);
  }
  return sums;
}

constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();

/// The mean of losses[row], NaN for rows that do not count.
SelectionScore score_of(const Judges& judges, const std::vector<double>& losses) {
  SelectionScore score;
  double total = 0;
  double sum = 0;
  for (std::size_t row = 0; row < losses.size(); ++row) {
    if (std::isnan(losses[row])) continue;
    ++score.rows;
    total += judges.weight(row);
    sum += judges.weight(row) * losses[row];
  }
  if (!(total > 0)) return score;
  score.loss = sum / total;
  double squares = 0;
  for (std::size_t row = 0; row < losses.size(); ++row) {
    if (std::isnan(losses[row])) continue;
    const double off = judges.weight(row) * (losses[row] - score.loss);
    squares += off * off;
  }
  const auto count = static_cast<double>(score.rows);
  if (count > 1) score.standard_error = std::sqrt(squares * count / (count - 1)) / total;
  return score;
}

std::vector<double> losses_of(const Judges& judges, const Picks& picks, const Judges::Mask& mask) {
  std::vector<double> losses(judges.rows(), kNoLoss);
  judges.losses(sums_of(judges, picks), mask, losses);
  return losses;
}

std::vector<std::size_t> members_of(const Judges& judges, const Picks& picks) {
  std::vector<std::size_t> members;
  for (const auto& [g, c] : picks) members.push_back(judges.groups()[g].candidates[c].member);
  return members;
}

void check_judges(const Ensemble& ensemble, const Examples& examples,
                  const SelectionOptions& options) {
  const Ensemble::Frame& frame = ensemble.frame();
  if (options.validation != nullptr) return;
  if (!leaves_rows_out(frame))
    throw InvalidArgument(text::concat(
        "with resampling ", name_of_all_rows(frame.resampling),
        " members are trained on all rows, so none are left to select members; give validation "
        "rows, or use resampling bootstrap or subsample"));
  check_training_rows(ensemble, examples);
}

}  // namespace

std::string_view name(SelectionRule rule) noexcept {
  return rule == SelectionRule::greedy ? "greedy" : "best";
}

SelectionRule parse_selection_rule(std::string_view name) {
  return text::choose("select", name, std::array{SelectionRule::greedy, SelectionRule::best});
}

Selection select(const Ensemble& ensemble, const Examples& examples,
                 const SelectionOptions& options) {
  constexpr std::size_t kFolds = SelectionOptions::kFolds;
  check_judges(ensemble, examples, options);
  const std::shared_ptr<const HeldOutRecord> record = record_of(ensemble, examples, options);
  const Heads heads(ensemble.frame());
  const Judges judges(ensemble, heads, *record,
                      options.execution.level.value_or(execution::default_level()));
  if (judges.groups().empty())
    throw InvalidArgument(
        "no rows can judge members: all members failed, or each is trained on all rows that do not "
        "stop members; use more rows, a smaller subsample or validation rows");
  if (options.count == 0) throw InvalidArgument("count is 0 but must be at least 1");

  // One selection without each fold, and one by all rows.
  std::vector<Judges::Mask> folds(kFolds, Judges::Mask(judges.rows()));
  std::vector<Judges::Mask> masks(kFolds + 1, Judges::Mask(judges.rows(), 1));
  for (std::size_t i = 0; i < judges.rows(); ++i) {
    const std::size_t fold =
        RowDraws(ensemble.frame().seed, record->validation, judges.row(i)).fold(kFolds);
    folds[fold][i] = 1;
    masks[fold][i] = 0;
  }
  const std::vector<Picks> picks =
      options.rule == SelectionRule::greedy
          ? select_greedily(judges, options.count, masks, options.execution)
          : select_best(judges, options.count, masks, options.execution);

  Selection selection;
  selection.validation = record->validation;
  selection.stopped_members = record->stopped && record->share == 1;
  selection.members = members_of(judges, picks[kFolds]);
  std::vector<double> losses(judges.rows(), kNoLoss);
  for (std::size_t f = 0; f < kFolds; ++f) {
    selection.without_fold.push_back(members_of(judges, picks[f]));
    judges.losses(sums_of(judges, picks[f]), folds[f], losses);
  }
  Picks everyone;
  for (std::size_t g = 0; g < judges.groups().size(); ++g)
    for (std::size_t c = 0; c < judges.groups()[g].candidates.size(); ++c)
      everyone.emplace_back(g, c);
  // All scores are of the same rows: those that a selection without their fold predicts.
  Judges::Mask scored(judges.rows());
  for (std::size_t i = 0; i < losses.size(); ++i) scored[i] = std::isnan(losses[i]) ? 0 : 1;
  const std::vector<double> by_all = losses_of(judges, everyone, scored);
  selection.other_rows = score_of(judges, losses);
  selection.same_rows = score_of(judges, losses_of(judges, picks[kFolds], scored));
  selection.all_members = score_of(judges, by_all);
  for (std::size_t i = 0; i < losses.size(); ++i) losses[i] -= by_all[i];
  selection.difference = score_of(judges, losses);
  return selection;
}

}  // namespace bootfold::ensemble
