// Trains the members of a training in chunks on threads and hands each one to a callback.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/map_reduce.h"
#include "ensemble/prediction/prediction_sums.h"
#include "ensemble/training/member_checkpoint.h"
#include "ensemble/training/member_training.h"
#include "ensemble/training/number_inputs.h"
#include "ensemble/training/training_matrix.h"
#include "ensemble/training/validation.h"
#include "ensemble/training/work_schedule.h"

namespace bootfold::ensemble {

class Trainer {
 public:
  /// Checks its arguments; the examples must outlive it. Throws InvalidArgument and DataError.
  Trainer(const Examples& examples, const Training& training);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  [[nodiscard]] const TrainingContext& context() const noexcept { return context_; }
  [[nodiscard]] const WorkSchedule& schedule() const noexcept { return schedule_; }
  [[nodiscard]] Ensemble::Frame& frame() noexcept { return frame_; }
  /// Of the inputs of the examples.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }

  /// Trains every member and calls see(state, job, trained), in the order of the members of a
  /// chunk. Each chunk starts from a copy of `empty`; merge(state, later) joins the states in the
  /// order of the chunks, so the result does not depend on threads. At most `states` partial states
  /// exist in addition to the result; 0: several for each thread.
  template <class State, class See, class Merge>
  State operator()(const State& empty, See&& see, Merge&& merge, std::size_t states = 0) const {
    try {
      return map_reduce(
          {0, schedule_.chunks(), 1, states}, empty,
          [&](State& state, std::size_t chunk, const execution::Worker& worker) {
            const std::vector<Job> jobs = schedule_.chunk(chunk);
            std::vector<TrainedMember> trained = train_or_restore(jobs, worker);
            for (std::size_t i = 0; i < jobs.size(); ++i)
              see(state, jobs[i], std::move(trained[i]));
          },
          std::forward<Merge>(merge), context_.training.execution,
          static_cast<double>(schedule_.size()));
    } catch (const Cancelled&) {
      if (checkpoint_) checkpoint_->save();
      throw cancelled();
    } catch (...) {
      if (checkpoint_) checkpoint_->save();
      throw;
    }
  }

  /// What to throw if the caller has cancelled: it tells what a checkpoint keeps.
  [[nodiscard]] Cancelled cancelled() const {
    return checkpoint_ ? checkpoint_->cancelled() : Cancelled();
  }

  /// Number of partial states of `bytes` bytes that fit in `room` in addition to the result: 0 = no
  /// limit needed, nullopt = not even two fit.
  [[nodiscard]] std::optional<std::size_t> states_in(std::size_t room, std::size_t bytes) const;

  /// Calls Training::finished.
  void report_finished(const Member& member) const;
  /// The loss of a member on the validation rows, if there are any.
  [[nodiscard]] std::optional<double> validate(const Job& job, const std::vector<float>& parameters,
                                               HeldOutRecorder* recorder = nullptr) const;

 private:
  /// Whether members with these settings are trained one by one, which gives the same bits.
  [[nodiscard]] bool solo(const Settings& settings) const;
  /// Takes the members from the checkpoint if it has them, and else trains and stores them.
  [[nodiscard]] std::vector<TrainedMember> train_or_restore(const std::vector<Job>& jobs,
                                                            const execution::Worker& worker) const;
  [[nodiscard]] std::vector<TrainedMember> train(const std::vector<Job>& jobs,
                                                 const execution::Worker& worker) const;

  Training training_;
  std::uint64_t fingerprint_ = 0;        // set with the frame
  std::optional<NumberInputs> numbers_;  // likewise; the matrix takes the values
  Ensemble::Frame frame_;
  Heads heads_;
  TrainingMatrix matrix_;
  std::optional<TrainingMatrix> validation_rows_;
  TrainingContext context_;
  std::optional<Validation> validation_;
  WorkSchedule schedule_;
  mutable std::optional<MemberCheckpoint> checkpoint_;
  mutable std::mutex reporting_;
};

}  // namespace bootfold::ensemble
