// Members trained and kept, and what they say of rows they did not see.
#include <algorithm>
#include <optional>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/map_reduce.h"
#include "ensemble/training/out_of_bag.h"
#include "ensemble/training/trainer.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

/// Trains members and keeps them. One use.
class Keeper {
 public:
  Keeper(const Examples& examples, const Training& training)
      : examples_(examples),
        trainer_(examples, training),
        members_(trainer_.jobs().size()),
        parameters_(members_.size()) {
    if (OutOfBag::exists(training.resampling)) out_of_bag_.emplace(trainer_.run());
  }

  Ensemble operator()() {
    Prediction said;
    if (!out_of_bag_) {
      train_alone();
    } else if (const auto states = trainer_.states_in(room(), bytes_of(out_of_bag_->all()))) {
      said = train_and_ask(*states);
    } else {
      train_alone();
      said = ask_in_parts();
    }
    if (out_of_bag_) find_noise(trainer_.frame(), examples_.targets, said);
    Ensemble ensemble(trainer_.frame(), std::move(members_), std::move(parameters_));
    ensemble.set_out_of_bag(std::move(said));
    return ensemble;
  }

 private:
  struct Nothing {};

  /// Bytes of the budget that parameters leave for sums.
  [[nodiscard]] std::size_t room() const {
    const Run& run = trainer_.run();
    std::size_t kept = 0;
    for (const Settings& settings : run.training.settings)
      kept += Shape(run.table.columns, settings.architecture, run.outputs).parameters *
              run.training.members * sizeof(float);
    return run.training.memory - std::min(kept, run.training.memory);
  }

  [[nodiscard]] std::size_t bytes_of(const OutOfBag::Part& part) const {
    return bytes_of_sums((part.last - part.first) * kPoints, trainer_.run().outputs);
  }

  /// Keeps a member that is not yet judged.
  void keep(const Job& job, Trained&& trained) {
    Member& member = members_[job.member];
    member.settings =
        static_cast<std::size_t>(job.settings - trainer_.run().training.settings.data());
    member.number = job.id.number;
    member.steps = trained.steps;
    member.loss = trained.loss;
    member.failure = std::move(trained.failure);
    member.curve = std::move(trained.curve);
    parameters_[job.member] = std::move(trained.parameters);
  }

  /// By validation rows, else by what it was off on those it never saw.
  void judge(const Job& job, double out_of_bag_loss) {
    Member& member = members_[job.member];
    if (!member.failure.empty()) return;
    member.held_out_loss =
        trainer_.validate(job, parameters_[job.member]).value_or(out_of_bag_loss);
  }

  void train_alone() {
    static_cast<void>(trainer_(
        Nothing{},
        [&](Nothing&, const Job& job, Trained&& trained) {
          keep(job, std::move(trained));
          judge(job, Member::kUnknown);
          trainer_.tell(members_[job.member]);
        },
        [](Nothing&, Nothing&&) {}));
  }

  /// Members are asked as soon as they are trained.
  Prediction train_and_ask(std::size_t states) {
    const Folds folds = trainer_(
        Folds{},
        [&](Folds& sums, const Job& job, Trained&& trained) {
          keep(job, std::move(trained));
          MeanLoss loss;
          if (members_[job.member].failure.empty())
            out_of_bag_->add(job, parameters_[job.member], out_of_bag_->all(), sums, loss);
          judge(job, loss.mean());
          trainer_.tell(members_[job.member]);
        },
        merge, states);
    return finish(folds, trainer_.frame(), frame_rows());
  }

  /// Asks members that are trained about some rows at a time, so that the sums fit. They are made
  /// of the same chunks of members, so they are the same to the bit.
  Prediction ask_in_parts() {
    const Jobs& jobs = trainer_.jobs();
    const std::size_t fit = room() / (3 * bytes_of({0, 1}));
    const std::size_t at_once = std::clamp<std::size_t>(fit, 1, out_of_bag_->blocks());
    std::vector<MeanLoss> losses(members_.size());
    Execution quiet = trainer_.run().training.execution;
    quiet.progress = {};
    Prediction said = finish({}, trainer_.frame(), frame_rows());
    for (std::size_t first = 0; first < out_of_bag_->blocks(); first += at_once) {
      const OutOfBag::Part part{first, std::min(first + at_once, out_of_bag_->blocks())};
      const Folds folds = map_reduce(
          {0, jobs.chunks(), 1, 2}, Folds{},
          [&](Folds& sums, std::size_t chunk, const execution::Worker& worker) {
            for (const Job& job : jobs.chunk(chunk)) {
              worker.check();
              if (members_[job.member].failure.empty())
                out_of_bag_->add(job, parameters_[job.member], part, sums, losses[job.member]);
            }
          },
          merge, quiet);
      finish(folds, trainer_.frame(), first * kPoints, said);
    }
    for (std::size_t chunk = 0; chunk < jobs.chunks(); ++chunk)
      for (const Job& job : jobs.chunk(chunk))
        if (trainer_.run().validation == nullptr && members_[job.member].failure.empty())
          members_[job.member].held_out_loss = losses[job.member].mean();
    return said;
  }

  [[nodiscard]] std::size_t frame_rows() const { return trainer_.run().table.rows; }

  const Examples& examples_;
  Trainer trainer_;
  std::vector<Member> members_;
  std::vector<std::vector<float>> parameters_;
  std::optional<OutOfBag> out_of_bag_;
};

}  // namespace

Ensemble train(const Examples& examples, const Training& training) {
  return Keeper(examples, training)();
}

Ensemble train(const Examples& examples, const Architecture& architecture, Training training) {
  for (Settings& settings : training.settings) settings.architecture = architecture;
  return train(examples, training);
}

}  // namespace bootfold::ensemble
