// Members trained and kept, and what they say of rows they did not see.
#include <optional>

#include "bootfold/ensemble.h"
#include "ensemble/out_of_bag.h"
#include "ensemble/trainer.h"

namespace bootfold::ensemble {

Ensemble train(const Examples& examples, const Training& training) {
  Trainer trainer(examples, training);
  std::vector<Member> members(trainer.jobs().size());
  std::vector<std::vector<float>> parameters(members.size());
  std::optional<OutOfBag> out_of_bag;
  if (OutOfBag::exists(training.resampling)) out_of_bag.emplace(trainer.run());

  const Folds folds = trainer(
      Folds{},
      [&](Folds& sums, const Job& job, Trained&& trained) {
        Member& member = members[job.member];
        member.settings = static_cast<std::size_t>(job.settings - training.settings.data());
        member.number = job.id.number;
        member.steps = trained.steps;
        member.loss = trained.loss;
        member.failure = trained.failure;
        member.curve = std::move(trained.curve);
        if (out_of_bag && member.failure.empty())
          member.held_out_loss = out_of_bag->add(job, trained.parameters, sums);
        parameters[job.member] = std::move(trained.parameters);
      },
      merge);

  Prediction said;
  if (out_of_bag) said = out_of_bag->finish(folds, examples.targets, trainer.frame());
  Ensemble ensemble(trainer.frame(), std::move(members), std::move(parameters));
  ensemble.set_out_of_bag(std::move(said));
  return ensemble;
}

Ensemble train(const Examples& examples, const Architecture& architecture, Training training) {
  for (Settings& settings : training.settings) settings.architecture = architecture;
  return train(examples, training);
}

}  // namespace bootfold::ensemble
