// Members trained, asked, added up and forgotten.
#include "bootfold/folded.h"

#include <optional>

#include "bootfold/error.h"
#include "ensemble/asked.h"
#include "ensemble/out_of_bag.h"
#include "ensemble/trainer.h"

namespace bootfold::ensemble {

namespace {

/// What is known of some members.
struct Sums {
  Folds points = {};
  Folds out_of_bag = {};
  std::uint64_t failed = 0;
  std::string failure = {};
  double loss = 0;
  double held_out_loss = 0;
};

void merge_sums(Sums& sums, Sums&& later) {
  merge(sums.points, std::move(later.points));
  merge(sums.out_of_bag, std::move(later.out_of_bag));
  if (sums.failed == 0) sums.failure = std::move(later.failure);
  sums.failed += later.failed;
  sums.loss += later.loss;
  sums.held_out_loss += later.held_out_loss;
}

/// Chunks that may be done and not yet merged, for each thread: those of map_reduce.
constexpr std::size_t kStatesPerThread = 5;

void check_memory(const Trainer& trainer, std::size_t points, bool leaves_out) {
  const Training& training = trainer.run().training;
  const std::size_t rows = points + (leaves_out ? trainer.run().table.rows : 0);
  // Sums, squares and variances in double, what a member just said, counts.
  const std::size_t each = trainer.run().outputs * 48 + 24;
  const std::size_t states = kStatesPerThread * execution::thread_count(training.execution) + 1;
  const std::size_t bytes = rows * each * states;
  if (bytes > training.memory)
    throw InvalidArgument(
        concat("memory is ", training.memory, " bytes but sums at ", points, " points",
               leaves_out ? concat(" and out of bag of ", trainer.run().table.rows, " rows") : "",
               " may take ", bytes,
               "; allow so many, or ask about fewer points at a time or with fewer "
               "threads"));
}

}  // namespace

Folded fold(const Examples& examples, const Training& training, const DataView& points) {
  Trainer trainer(examples, training);
  const bool leaves_out = OutOfBag::exists(training.resampling);
  check_memory(trainer, points.rows(), leaves_out);
  const Asked asked(trainer.frame(), points, trainer.run().level);
  std::optional<OutOfBag> out_of_bag;
  if (leaves_out) out_of_bag.emplace(trainer.run());

  const Sums sums = trainer(
      Sums{},
      [&](Sums& so_far, const Job& job, Trained&& trained) {
        if (!trained.failure.empty()) {
          if (so_far.failed++ == 0) so_far.failure = std::move(trained.failure);
          return;
        }
        so_far.loss += trained.loss;
        asked.add(*job.settings, trained.parameters, so_far.points);
        if (out_of_bag)
          so_far.held_out_loss += out_of_bag->add(job, trained.parameters, so_far.out_of_bag);
      },
      merge_sums);

  Folded folded;
  folded.members = trainer.jobs().size();
  folded.failed = sums.failed;
  folded.failure = sums.failure;
  const auto good = static_cast<double>(folded.members - folded.failed);
  folded.loss = sums.loss / good;
  if (out_of_bag) {
    folded.held_out_loss = sums.held_out_loss / good;
    folded.out_of_bag = out_of_bag->finish(sums.out_of_bag, examples.targets, trainer.frame());
  }
  folded.prediction = finish(sums.points, trainer.frame(), points.rows());
  folded.frame = trainer.frame();
  return folded;
}

}  // namespace bootfold::ensemble
