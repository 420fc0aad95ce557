// One run of training: chunks of members to packs, packs to threads, and what comes out of a pack
// to whoever asked for it.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "bootfold/ensemble.h"
#include "bootfold/map_reduce.h"
#include "ensemble/course.h"
#include "ensemble/fold.h"
#include "ensemble/jobs.h"
#include "ensemble/table.h"
#include "ensemble/validation.h"

namespace bootfold::ensemble {

class Trainer {
 public:
  /// Checks its arguments; the examples must outlive it. Throws InvalidArgument and DataError.
  Trainer(const Examples& examples, const Training& training);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  [[nodiscard]] const Run& run() const noexcept { return run_; }
  [[nodiscard]] const Jobs& jobs() const noexcept { return jobs_; }
  [[nodiscard]] Ensemble::Frame& frame() noexcept { return frame_; }

  /// Trains every member and calls see(state, job, trained) in the order of the members of a chunk.
  /// Each chunk has a state of its own, a copy of `empty`; merge(state, later) joins them in the
  /// order of the chunks, so that the result does not depend on threads. `states` of them are held
  /// at a time beside the result; 0: some for each thread.
  template <class State, class See, class Merge>
  State operator()(const State& empty, See&& see, Merge&& merge, std::size_t states = 0) const {
    return map_reduce(
        {0, jobs_.chunks(), 1, states}, empty,
        [&](State& state, std::size_t chunk, const execution::Worker& worker) {
          const std::vector<Job> jobs = jobs_.chunk(chunk);
          std::vector<Trained> trained = train(jobs, worker);
          for (std::size_t i = 0; i < jobs.size(); ++i) see(state, jobs[i], std::move(trained[i]));
        },
        std::forward<Merge>(merge), run_.training.execution, static_cast<double>(jobs_.size()));
  }

  /// How many states of so many bytes operator() may hold for a result of as many, in a memory of
  /// `room`: as many as it likes (0), fewer, or none can do: then nothing.
  [[nodiscard]] std::optional<std::size_t> states_in(std::size_t room, std::size_t bytes) const;

  /// Tells whoever asked of a member that is done.
  void tell(const Member& member) const;
  /// The loss of a member on validation rows, if there are any.
  [[nodiscard]] std::optional<double> validate(const Job& job,
                                               const std::vector<float>& parameters) const;

 private:
  /// Side by side or one by one, whichever is faster; the bits are the same.
  [[nodiscard]] bool alone(const Settings& settings) const;
  [[nodiscard]] std::vector<Trained> train(const std::vector<Job>& jobs,
                                           const execution::Worker& worker) const;

  Training training_;
  Ensemble::Frame frame_;
  Table table_;
  std::optional<Table> judges_;
  Run run_;
  std::optional<Validation> validation_;
  Jobs jobs_;
  mutable std::mutex telling_;
};

}  // namespace bootfold::ensemble
