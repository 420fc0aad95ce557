// What networks say of points as replicates of a bootstrap.
#include <limits>

#include "bootfold/error.h"
#include "bootfold/folded.h"
#include "ensemble/asked.h"
#include "ensemble/count_influence.h"
#include "ensemble/trainer.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// Networks that learn from all rows; what they say on average is the estimate.
constexpr std::size_t kWhole = 16;

void check_bootstrap(const Training& training) {
  if (training.resampling != Resampling::bootstrap && training.resampling != Resampling::bayesian)
    throw InvalidArgument(
        text::concat("resampling is ", name(training.resampling),
                     " but replicates of a bootstrap need bootstrap or bayesian"));
  if (training.settings.size() != 1)
    throw InvalidArgument(
        text::concat("there are ", training.settings.size(),
                     " settings but replicates of a bootstrap need 1: the best ones"));
  if (training.stopping.patience > 0 && training.validation == nullptr)
    throw InvalidArgument(
        text::concat("patience is ", training.stopping.patience,
                     " but the estimate learns from all rows and has none to look at; "
                     "give validation rows, or the steps or epochs that members "
                     "stopped at"));
}

/// What every member says, [member][point][answer]; NaN where it is of no use.
std::vector<double> replicates_of(const Trainer& trainer, const Asked& asked, std::size_t values) {
  struct Nothing {};
  std::vector<double> said(trainer.jobs().size() * values,
                           std::numeric_limits<double>::quiet_NaN());
  static_cast<void>(trainer(
      Nothing{},
      [&](Nothing&, const Job& job, Trained&& trained) {
        if (trained.failure.empty())
          asked.tell(*job.settings, trained.parameters, said.data() + job.member * values);
      },
      [](Nothing&, Nothing&&) {}));
  return said;
}

Plan plan_of(const Trainer& trainer, const Ensemble::Frame& frame, std::size_t points) {
  const Training& training = trainer.run().training;
  const Table& table = trainer.run().table;
  Plan plan;
  plan.path = training.resampling == Resampling::bayesian ? Path::weights : Path::gather;
  plan.reason = "a network is trained on every resample";
  plan.scheme = training.resampling == Resampling::bayesian ? "bayesian" : "iid";
  plan.columns = frame.inputs;
  plan.rows = table.rows;
  plan.draws = table.rows;
  plan.replicates = training.members;
  for (std::size_t p = 0; p < points; ++p)
    for (const std::string& answer : frame.classes)
      plan.outputs.push_back(text::concat(answer, " at point ", p + 1));
  plan.threads = execution::thread_count(training.execution);
  plan.level = trainer.run().level;
  plan.memory_limit = training.memory;
  plan.working_bytes = (table.inputs.size() + table.targets.size()) * sizeof(float);
  plan.result_bytes = training.members * plan.outputs.size() * sizeof(double);
  plan.arithmetic = "32-bit";
  return plan;
}

}  // namespace

Result bootstrap_predictions(const Examples& examples, const Training& training,
                             const DataView& points) {
  check_bootstrap(training);
  Training on_all = training;
  on_all.resampling = Resampling::none;
  on_all.members = kWhole;
  on_all.first_member = 0;
  on_all.execution.progress = {};
  const std::size_t answers =
      examples.classes != nullptr ? examples.classes->size() : examples.targets.columns();
  const std::size_t values = points.rows() * answers;

  Trainer whole(examples, on_all);
  const Asked asked_whole(whole.frame(), points, whole.run().level);
  const std::vector<double> said = replicates_of(whole, asked_whole, values);
  std::vector<double> estimates(values);
  for (std::size_t v = 0; v < values; ++v) {
    double count = 0;
    for (std::size_t m = 0; m < kWhole; ++m)
      if (said[m * values + v] == said[m * values + v]) {
        estimates[v] += said[m * values + v];
        count += 1;
      }
    estimates[v] /= count;
  }

  Trainer trainer(examples, training);
  const Asked asked(trainer.frame(), points, trainer.run().level);
  std::vector<double> replicates = replicates_of(trainer, asked, values);
  Companions companions;
  companions.influences = count_influences(trainer.run(), estimates, replicates);
  return {plan_of(trainer, trainer.frame(), points.rows()), training.seed, std::move(estimates),
          std::move(replicates), std::move(companions)};
}

}  // namespace bootfold::ensemble
