#include "bootfold/ensemble/bootstrap.h"

#include <limits>

#include "bootfold/error.h"
#include "ensemble/prediction/count_influence.h"
#include "ensemble/prediction/query_points.h"
#include "ensemble/training/trainer.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// Networks that are trained on all rows; the estimate is the mean of their predictions.
constexpr std::size_t kEstimateMembers = 16;

void check_bootstrap(const Training& training) {
  if (training.resampling != Resampling::bootstrap && training.resampling != Resampling::bayesian)
    throw InvalidArgument(
        text::concat("resampling is ", name(training.resampling),
                     " but replicates of a bootstrap need resampling bootstrap or bayesian"));
  if (training.share > 0)
    throw InvalidArgument(
        text::concat("share is ", training.share,
                     " but replicates of a bootstrap need independent members; omit share"));
  if (training.settings.size() != 1)
    throw InvalidArgument(text::concat("there are ", training.settings.size(),
                                       " settings but replicates of a bootstrap need exactly 1"));
  if (training.stopping.patience > 0 && training.validation == nullptr &&
      training.stopping.patience != Stopping::kAutomaticPatience)
    throw InvalidArgument(
        text::concat("patience is ", training.stopping.patience,
                     " but the networks of the estimate are trained on all rows, so none are left "
                     "for validation; give validation rows, or set steps or epochs"));
}

/// Predictions of every member, [member][point][output]; NaN if it failed.
std::vector<double> replicates_of(const Trainer& trainer, const QueryPoints& query,
                                  std::size_t values) {
  struct Nothing {};
  std::vector<double> predicted(trainer.schedule().size() * values,
                                std::numeric_limits<double>::quiet_NaN());
  static_cast<void>(trainer(
      Nothing{},
      [&](Nothing&, const Job& job, TrainedMember&& trained) {
        if (trained.failure.empty())
          query.predict_into(*job.settings, trained.parameters,
                             predicted.data() + job.member * values);
      },
      [](Nothing&, Nothing&&) {}));
  return predicted;
}

Plan plan_of(const Trainer& trainer, const Ensemble::Frame& frame, std::size_t points) {
  const Training& training = trainer.context().training;
  const TrainingMatrix& matrix = trainer.context().matrix;
  Plan plan;
  plan.path = training.resampling == Resampling::bayesian ? Path::weights : Path::gather;
  plan.reason = "a network is trained on every resample";
  plan.scheme = training.resampling == Resampling::bayesian ? "bayesian" : "iid";
  plan.columns = frame.inputs;
  plan.rows = matrix.rows;
  plan.draws = matrix.rows;
  plan.replicates = training.members;
  for (std::size_t p = 0; p < points; ++p)
    for (const std::string& answer : prediction_names(frame))
      plan.outputs.push_back(text::concat(answer, " at point ", p + 1));
  plan.threads = execution::thread_count(training.execution);
  plan.level = trainer.context().level;
  plan.memory_limit = training.memory;
  plan.working_bytes = (matrix.inputs.size() + matrix.targets.size()) * sizeof(float);
  plan.result_bytes = training.members * plan.outputs.size() * sizeof(double);
  plan.arithmetic = "32-bit";
  return plan;
}

}  // namespace

Result bootstrap_predictions(const Examples& examples, const Training& given,
                             const DataView& points) {
  check_bootstrap(given);
  Training training = given;
  // Members must not stop early where the networks of the estimate cannot.
  if (training.validation == nullptr) training.stopping.patience = 0;
  Training on_all = training;
  on_all.resampling = Resampling::none;
  on_all.members = kEstimateMembers;
  on_all.first_member = 0;
  on_all.execution.progress = {};
  Trainer whole(examples, on_all);
  const std::size_t values = points.rows() * whole.context().heads.answers();
  const QueryPoints whole_query(whole.frame(), points, whole.context().level);
  const std::vector<double> predicted = replicates_of(whole, whole_query, values);
  std::vector<double> estimates(values);
  for (std::size_t v = 0; v < values; ++v) {
    double count = 0;
    for (std::size_t m = 0; m < kEstimateMembers; ++m)
      if (predicted[m * values + v] == predicted[m * values + v]) {
        estimates[v] += predicted[m * values + v];
        count += 1;
      }
    estimates[v] /= count;
  }

  Trainer trainer(examples, training);
  const QueryPoints query(trainer.frame(), points, trainer.context().level);
  std::vector<double> replicates = replicates_of(trainer, query, values);
  Companions companions;
  companions.influences = count_influences(trainer.context(), estimates, replicates);
  return {plan_of(trainer, trainer.frame(), points.rows()), training.seed, std::move(estimates),
          std::move(replicates), std::move(companions)};
}

}  // namespace bootfold::ensemble
