#include "ensemble/training/member_start.h"

#include <algorithm>

#include "bootfold/error.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/training/initialize.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// The index of a member of Training::start: they are in the order of settings and numbers.
std::size_t place_of(const Training& training, const MemberId& id, const Settings& settings) {
  const auto group = static_cast<std::size_t>(&settings - training.settings.data());
  return group * training.members + (id.number - training.first_member);
}

void require_equal(bool equal, const char* what) {
  if (!equal)
    throw InvalidArgument(text::concat("the training cannot go on from the given ensemble: ", what,
                                       " differs; train a new one"));
}

}  // namespace

MemberStart member_start(const TrainingContext& context, const Shape& shape, const MemberId& id,
                         const Settings& settings) {
  MemberStart start{std::vector<float>(shape.parameters), {}, {}, 0};
  const Ensemble* const earlier = context.training.start;
  if (earlier == nullptr) {
    initialize(shape, settings.architecture.initializer, id, start.parameters);
  } else {
    const std::size_t place = place_of(context.training, id, settings);
    const std::span<const float> own = earlier->parameters(place);
    start.parameters.assign(own.begin(), own.end());
    start.steps = earlier->member(place).steps;
    start.optimizer = EnsembleAccess::optimizer(*earlier, place);
    if (!start.optimizer.parameters.empty()) {
      if (settings.average > 0) start.averages = start.parameters;
      start.parameters = start.optimizer.parameters;
    }
  }
  start.optimizer.first.resize(shape.parameters);
  start.optimizer.second.resize(shape.parameters);
  return start;
}

void continue_frame(const Training& training, Ensemble::Frame& frame) {
  const Ensemble& start = *training.start;
  const Ensemble::Frame& earlier = start.frame();
  if (!training.checkpoint.empty())
    throw InvalidArgument(
        "a training that goes on from an ensemble keeps no checkpoint; omit checkpoint");
  require_equal(frame.inputs == earlier.inputs, "the list of inputs");
  require_equal(frame.classes == earlier.classes, "the list of classes or targets");
  require_equal(frame.loss == earlier.loss && frame.losses == earlier.losses &&
                    frame.quantiles == earlier.quantiles &&
                    frame.huber_delta == earlier.huber_delta &&
                    frame.pos_weight == earlier.pos_weight,
                "the loss");
  require_equal(training.settings.size() == earlier.settings.size(), "the number of settings");
  require_equal(training.members * training.settings.size() == start.size(),
                "the number of members");
  for (std::size_t s = 0; s < training.settings.size(); ++s) {
    require_equal(training.settings[s].architecture == earlier.settings[s].architecture,
                  "the network");
    require_equal(training.settings[s].optimizer == earlier.settings[s].optimizer, "the optimizer");
  }
  for (std::size_t m = 0; m < start.size(); ++m)
    require_equal(start.member(m).settings == m / training.members &&
                      start.member(m).number == training.first_member + m % training.members,
                  "the numbering of the members");
  frame.encoding = earlier.encoding;
  frame.input_scaling = earlier.input_scaling;
  frame.target_scaling = earlier.target_scaling;
  for (std::size_t c = 0; c < frame.inputs.size(); ++c) {
    frame.input_range.low[c] = std::min(frame.input_range.low[c], earlier.input_range.low[c]);
    frame.input_range.high[c] = std::max(frame.input_range.high[c], earlier.input_range.high[c]);
  }
}

}  // namespace bootfold::ensemble
