// Trains members, keeps them, and makes their out-of-bag prediction.
#include <algorithm>
#include <memory>
#include <optional>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "ensemble/calibration/score_rows.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/prediction/noise.h"
#include "ensemble/training/out_of_bag.h"
#include "ensemble/training/trainer.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

/// Makes one ensemble.
class EnsembleBuilder {
 public:
  EnsembleBuilder(const Examples& examples, const Training& training)
      : examples_(examples),
        trainer_(examples, training),
        members_(trainer_.schedule().size()),
        parameters_(members_.size()),
        optimizer_(training.keep_optimizer ? members_.size() : 0) {
    if (leaves_rows_out(trainer_.frame())) out_of_bag_.emplace(trainer_.context());
    if (training.keep_held_out) recorder_.emplace(trainer_.context(), members_.size());
  }

  Ensemble operator()() {
    try {
      return build();
    } catch (const Cancelled&) {
      throw trainer_.cancelled();
    }
  }

 private:
  struct Nothing {};

  Ensemble build() {
    Prediction prediction;
    if (!out_of_bag_) {
      train_only();
    } else if (const auto states = trainer_.states_in(room(), bytes_of(out_of_bag_->all()))) {
      prediction = train_and_predict_rows(*states);
    } else {
      train_only();
      prediction = predict_in_parts();
    }
    if (out_of_bag_) estimate_noise(trainer_.frame(), examples_.targets, prediction);
    Ensemble ensemble =
        EnsembleAccess::make(trainer_.frame(), std::move(members_), std::move(parameters_),
                             trainer_.fingerprint(), std::move(prediction));
    EnsembleAccess::set_optimizer(ensemble, std::move(optimizer_));
    ensemble.set_conformal(scores_of(ensemble));
    if (recorder_)
      EnsembleAccess::set_record(
          ensemble, std::make_shared<const HeldOutRecord>(std::move(recorder_->record())));
    return ensemble;
  }

  /// Scores of the validation rows, else those out of bag.
  [[nodiscard]] ConformalScores scores_of(const Ensemble& ensemble) const {
    const Training& training = trainer_.context().training;
    if (training.validation == nullptr)
      return out_of_bag_scores(ensemble.frame(), ensemble.out_of_bag(), examples_);
    for (std::size_t m = 0; m < ensemble.size(); ++m)
      if (ensemble.member(m).failure.empty()) {
        Execution quiet = training.execution;
        quiet.progress = {};
        quiet.stop = {};  // a finished training is kept
        return conformal_scores(ensemble, *training.validation, quiet);
      }
    return {};  // all members failed
  }

  /// Bytes of the memory limit that parameters and the record leave for sums.
  [[nodiscard]] std::size_t room() const {
    const TrainingContext& context = trainer_.context();
    std::size_t kept = 0;
    for (const Settings& settings : context.training.settings)
      kept += Shape(context.matrix.columns, settings.architecture, context.outputs).parameters *
              context.training.members * sizeof(float);
    if (recorder_) kept += recorder_->bytes();
    return context.training.memory - std::min(kept, context.training.memory);
  }

  [[nodiscard]] std::size_t bytes_of(const OutOfBag::Part& part) const {
    return bytes_of_sums((part.last - part.first) * kPoints, trainer_.context().outputs);
  }

  /// Stores a trained member, without its held-out loss.
  void keep(const Job& job, TrainedMember&& trained) {
    Member& member = members_[job.member];
    member.settings =
        static_cast<std::size_t>(job.settings - trainer_.context().training.settings.data());
    member.number = job.id.number;
    member.steps = trained.steps;
    member.loss = trained.loss;
    member.failure = std::move(trained.failure);
    member.curve = std::move(trained.curve);
    parameters_[job.member] = std::move(trained.parameters);
    if (!optimizer_.empty()) optimizer_[job.member] = std::move(trained.optimizer);
  }

  /// Sets the held-out loss: that of the validation rows, else that of the out-of-bag rows.
  void set_held_out_loss(const Job& job, double out_of_bag_loss) {
    Member& member = members_[job.member];
    if (!member.failure.empty()) return;
    member.held_out_loss =
        trainer_.validate(job, parameters_[job.member], validates_members() ? recorder() : nullptr)
            .value_or(out_of_bag_loss);
  }

  void train_only() {
    static_cast<void>(trainer_(
        Nothing{},
        [&](Nothing&, const Job& job, TrainedMember&& trained) {
          keep(job, std::move(trained));
          set_held_out_loss(job, Member::kUnknown);
          trainer_.report_finished(members_[job.member]);
        },
        [](Nothing&, Nothing&&) {}));
  }

  /// Members predict their out-of-bag rows as soon as they are trained.
  Prediction train_and_predict_rows(std::size_t states) {
    const PredictionSums total = trainer_(
        PredictionSums{},
        [&](PredictionSums& sums, const Job& job, TrainedMember&& trained) {
          keep(job, std::move(trained));
          MeanLoss loss;
          if (members_[job.member].failure.empty())
            out_of_bag_->add(job, parameters_[job.member], out_of_bag_->all(), sums, loss,
                             validates_members() ? nullptr : recorder());
          set_held_out_loss(job, loss.mean());
          trainer_.report_finished(members_[job.member]);
        },
        merge, states);
    return finish(total, trainer_.frame(), frame_rows());
  }

  /// Trained members predict some of the rows at a time, so that the sums fit in memory. Sums are
  /// made of the same chunks of members, so they are the same to the bit.
  Prediction predict_in_parts() {
    const WorkSchedule& schedule = trainer_.schedule();
    const std::size_t fit = room() / (3 * bytes_of({0, 1}));
    const std::size_t at_once = std::clamp<std::size_t>(fit, 1, out_of_bag_->blocks());
    std::vector<MeanLoss> losses(members_.size());
    Execution quiet = trainer_.context().training.execution;
    quiet.progress = {};
    Prediction prediction = finish({}, trainer_.frame(), frame_rows());
    for (std::size_t first = 0; first < out_of_bag_->blocks(); first += at_once) {
      const OutOfBag::Part part{first, std::min(first + at_once, out_of_bag_->blocks())};
      const PredictionSums total = map_reduce(
          {0, schedule.chunks(), 1, 2}, PredictionSums{},
          [&](PredictionSums& sums, std::size_t chunk, const execution::Worker& worker) {
            for (const Job& job : schedule.chunk(chunk)) {
              worker.check();
              if (members_[job.member].failure.empty())
                out_of_bag_->add(job, parameters_[job.member], part, sums, losses[job.member],
                                 validates_members() ? nullptr : recorder());
            }
          },
          merge, quiet);
      finish(total, trainer_.frame(), first * kPoints, prediction);
    }
    for (std::size_t chunk = 0; chunk < schedule.chunks(); ++chunk)
      for (const Job& job : schedule.chunk(chunk))
        if (!validates_members() && members_[job.member].failure.empty())
          members_[job.member].held_out_loss = losses[job.member].mean();
    return prediction;
  }

  [[nodiscard]] std::size_t frame_rows() const { return trainer_.context().matrix.rows; }

  /// Whether validation rows judge members, and not their out-of-bag rows.
  [[nodiscard]] bool validates_members() const { return trainer_.context().validation != nullptr; }
  [[nodiscard]] HeldOutRecorder* recorder() { return recorder_ ? &*recorder_ : nullptr; }

  const Examples& examples_;
  Trainer trainer_;
  std::vector<Member> members_;
  std::vector<std::vector<float>> parameters_;
  std::vector<OptimizerState> optimizer_;
  std::optional<OutOfBag> out_of_bag_;
  std::optional<HeldOutRecorder> recorder_;
};

}  // namespace

Ensemble train(const Examples& examples, const Training& training) {
  return EnsembleBuilder(examples, training)();
}

Ensemble train(const Examples& examples, const Architecture& architecture, Training training) {
  for (Settings& settings : training.settings) settings.architecture = architecture;
  return train(examples, training);
}

}  // namespace bootfold::ensemble
