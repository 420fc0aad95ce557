#include "bootfold/ensemble/streaming.h"

#include <optional>

#include "bootfold/ensemble/range.h"
#include "bootfold/error.h"
#include "ensemble/calibration/score_rows.h"
#include "ensemble/prediction/noise.h"
#include "ensemble/prediction/query_points.h"
#include "ensemble/training/out_of_bag.h"
#include "ensemble/training/trainer.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// Sums over some of the members.
struct Sums {
  PredictionSums points = {};
  PredictionSums out_of_bag = {};
  PredictionSums validation = {};
  std::uint64_t failed = 0;
  std::string failure = {};
  double loss = 0;
  double held_out_loss = 0;
};

void merge_sums(Sums& sums, Sums&& later) {
  merge(sums.points, std::move(later.points));
  merge(sums.out_of_bag, std::move(later.out_of_bag));
  merge(sums.validation, std::move(later.validation));
  if (sums.failed == 0) sums.failure = std::move(later.failure);
  sums.failed += later.failed;
  sums.loss += later.loss;
  sums.held_out_loss += later.held_out_loss;
}

/// Number of partial states that fit in the memory, as Trainer takes it.
std::size_t states_of(const Trainer& trainer, std::size_t points, bool leaves_out) {
  const Training& training = trainer.context().training;
  if (training.validation != nullptr) points += training.validation->rows();
  const std::size_t rows = points + (leaves_out ? trainer.context().matrix.rows : 0);
  const std::size_t bytes = bytes_of_sums(rows, trainer.context().outputs);
  const std::optional<std::size_t> states = trainer.states_in(training.memory, bytes);
  if (!states)
    throw InvalidArgument(text::concat(
        "memory is ", training.memory, " bytes but the sums at ", points, " points",
        leaves_out ? text::concat(" and ", trainer.context().matrix.rows, " out-of-bag rows") : "",
        " take at least ", 2 * bytes, " bytes; raise memory, or predict fewer points at a time"));
  return *states;
}

}  // namespace

StreamedPrediction train_and_predict(const Examples& examples, const Training& training,
                                     const DataView& points) {
  const Examples* const validation = training.validation;
  if (validation != nullptr) check_in_memory(*validation, "train_and_predict() with validation");
  Trainer trainer(examples, training);
  const bool leaves_out = leaves_rows_out(trainer.frame());
  const std::size_t states = states_of(trainer, points.rows(), leaves_out);
  const QueryPoints query(trainer.frame(), points, trainer.context().level);
  std::optional<QueryPoints> judges;
  if (validation != nullptr)
    judges.emplace(trainer.frame(), validation->inputs, trainer.context().level);
  std::optional<OutOfBag> out_of_bag;
  if (leaves_out) out_of_bag.emplace(trainer.context());

  const Sums sums = trainer(
      Sums{},
      [&](Sums& so_far, const Job& job, TrainedMember&& trained) {
        Member member{.settings = static_cast<std::size_t>(
                          job.settings - trainer.context().training.settings.data()),
                      .number = job.id.number,
                      .steps = trained.steps,
                      .loss = trained.loss,
                      .failure = std::move(trained.failure)};
        if (member.failure.empty()) {
          so_far.loss += trained.loss;
          query.add(*job.settings, trained.parameters, so_far.points);
          if (judges) judges->add(*job.settings, trained.parameters, so_far.validation);
          MeanLoss loss;
          if (out_of_bag)
            out_of_bag->add(job, trained.parameters, out_of_bag->all(), so_far.out_of_bag, loss);
          member.held_out_loss = trainer.validate(job, trained.parameters).value_or(loss.mean());
          so_far.held_out_loss += member.held_out_loss;
        } else if (so_far.failed++ == 0) {
          so_far.failure = member.failure;
        }
        trainer.report_finished(member);
      },
      merge_sums, states);

  StreamedPrediction streamed;
  streamed.members = trainer.schedule().size();
  streamed.failed = sums.failed;
  streamed.failure = sums.failure;
  const auto good = static_cast<double>(streamed.members - streamed.failed);
  streamed.loss = sums.loss / good;
  streamed.held_out_loss = sums.held_out_loss / good;  // NaN without validation and out-of-bag rows
  if (out_of_bag) {
    streamed.out_of_bag = finish(sums.out_of_bag, trainer.frame(), examples.rows());
    estimate_noise(trainer.frame(), examples.targets, streamed.out_of_bag);
    trainer.frame().conformal = out_of_bag_scores(trainer.frame(), streamed.out_of_bag, examples);
  }
  if (validation != nullptr) {  // of which the scores are, as train() makes them
    ScoreCollector collector(trainer.frame(), *validation);
    collector.add(finish(sums.validation, trainer.frame(), validation->rows()), 0);
    trainer.frame().conformal = collector.finish(ScoreRows::held_out);
  }
  streamed.prediction = finish(sums.points, trainer.frame(), points.rows());
  streamed.prediction.outside = outside_range(trainer.frame().input_range, points);
  streamed.frame = trainer.frame();
  return streamed;
}

}  // namespace bootfold::ensemble
