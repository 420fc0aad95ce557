#include "ensemble/trainer.h"

#include <algorithm>

#include "ensemble/check.h"
#include "ensemble/pack.h"
#include "ensemble/single.h"

namespace bootfold::ensemble {

namespace {

Ensemble::Frame frame_of(const Examples& examples, const Training& training) {
  check(examples, training);
  Ensemble::Frame frame;
  frame.loss = training.loss.value_or(examples.classes != nullptr ? Loss::cross_entropy
                                                                  : Loss::squared_error);
  for (std::size_t c = 0; c < examples.inputs.columns(); ++c)
    frame.inputs.push_back(examples.inputs.name(c));
  if (examples.classes != nullptr) {
    frame.classes = examples.classes->names;
    frame.target = examples.classes->column;
  } else {
    for (std::size_t t = 0; t < examples.targets.columns(); ++t)
      frame.classes.push_back(examples.targets.name(t));
  }
  const auto scaled = [&](const DataView& data) {
    return training.standardize ? scaling_of(data) : no_scaling(data.columns());
  };
  frame.input_scaling = scaled(examples.inputs);
  frame.target_scaling = scaled(examples.targets);
  frame.settings = training.settings;
  frame.resampling = training.resampling;
  frame.seed = training.seed;
  frame.rows = examples.inputs.rows();
  return frame;
}

std::size_t longest_batch(const Training& training) {
  std::size_t longest = 0;
  for (const Settings& settings : training.settings)
    longest = std::max(longest, settings.batch_size);
  return longest;
}

}  // namespace

Trainer::Trainer(const Examples& examples, const Training& training)
    : frame_(frame_of(examples, training)),
      table_(examples, frame_.input_scaling, frame_.target_scaling, longest_batch(training)),
      run_{table_, training, frame_.loss, outputs_of(frame_),
           training.execution.level.value_or(execution::default_level())},
      jobs_(training, [this](const Settings& settings) { return alone(settings); }) {}

bool Trainer::alone(const Settings& settings) const {
  return better_alone(Shape(table_.columns, settings.architecture, run_.outputs),
                      batch_of(run_.training, settings, table_.rows));
}

std::vector<Trained> Trainer::train(const std::vector<Job>& jobs,
                                    const execution::Worker& worker) const {
  std::vector<MemberId> ids;
  std::vector<const Settings*> settings;
  for (const Job& job : jobs) {
    ids.push_back(job.id);
    settings.push_back(job.settings);
  }
  if (!alone(*settings[0])) return Pack(run_, *settings[0]).train(ids, settings, worker);
  Single single(run_, *settings[0]);
  std::vector<Trained> trained;
  for (std::size_t i = 0; i < ids.size(); ++i)
    trained.push_back(single.train(ids[i], *settings[i], worker));
  return trained;
}

}  // namespace bootfold::ensemble
