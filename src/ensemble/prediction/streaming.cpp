// Members trained, asked, added up and forgotten.
#include "bootfold/ensemble/streaming.h"

#include <optional>

#include "bootfold/error.h"
#include "ensemble/prediction/query_points.h"
#include "ensemble/training/out_of_bag.h"
#include "ensemble/training/trainer.h"
#include "text/concat.h"

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

/// How many states the budget has room for, as Trainer takes it.
std::size_t states_of(const Trainer& trainer, std::size_t points, bool leaves_out) {
  const Training& training = trainer.run().training;
  const std::size_t rows = points + (leaves_out ? trainer.run().table.rows : 0);
  const std::size_t bytes = bytes_of_sums(rows, trainer.run().outputs);
  const std::optional<std::size_t> states = trainer.states_in(training.memory, bytes);
  if (!states)
    throw InvalidArgument(text::concat(
        "memory is ", training.memory, " bytes but sums at ", points, " points",
        leaves_out ? text::concat(" and out of bag of ", trainer.run().table.rows, " rows") : "",
        " take at least ", 2 * bytes, "; allow so many, or ask about fewer points at a time"));
  return *states;
}

}  // namespace

Folded fold(const Examples& examples, const Training& training, const DataView& points) {
  Trainer trainer(examples, training);
  const bool leaves_out = OutOfBag::exists(training.resampling);
  const std::size_t states = states_of(trainer, points.rows(), leaves_out);
  const Asked asked(trainer.frame(), points, trainer.run().level);
  std::optional<OutOfBag> out_of_bag;
  if (leaves_out) out_of_bag.emplace(trainer.run());

  const Sums sums = trainer(
      Sums{},
      [&](Sums& so_far, const Job& job, Trained&& trained) {
        Member member{.settings = static_cast<std::size_t>(job.settings - training.settings.data()),
                      .number = job.id.number,
                      .steps = trained.steps,
                      .loss = trained.loss,
                      .failure = std::move(trained.failure)};
        if (member.failure.empty()) {
          so_far.loss += trained.loss;
          asked.add(*job.settings, trained.parameters, so_far.points);
          MeanLoss loss;
          if (out_of_bag)
            out_of_bag->add(job, trained.parameters, out_of_bag->all(), so_far.out_of_bag, loss);
          member.held_out_loss = trainer.validate(job, trained.parameters).value_or(loss.mean());
          so_far.held_out_loss += member.held_out_loss;
        } else if (so_far.failed++ == 0) {
          so_far.failure = member.failure;
        }
        trainer.tell(member);
      },
      merge_sums, states);

  Folded folded;
  folded.members = trainer.jobs().size();
  folded.failed = sums.failed;
  folded.failure = sums.failure;
  const auto good = static_cast<double>(folded.members - folded.failed);
  folded.loss = sums.loss / good;
  folded.held_out_loss = sums.held_out_loss / good;  // NaN where nobody judged
  if (out_of_bag) {
    folded.out_of_bag = finish(sums.out_of_bag, trainer.frame(), examples.inputs.rows());
    find_noise(trainer.frame(), examples.targets, folded.out_of_bag);
  }
  folded.prediction = finish(sums.points, trainer.frame(), points.rows());
  folded.frame = trainer.frame();
  return folded;
}

}  // namespace bootfold::ensemble
