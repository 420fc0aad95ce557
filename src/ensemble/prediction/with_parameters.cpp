#include <algorithm>
#include <cmath>

#include "bootfold/ensemble/continuation.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/error.h"
#include "ensemble/ensemble_access.h"
#include "text/concat.h"

namespace bootfold::ensemble {

Ensemble with_parameters(const Ensemble& ensemble,
                         const std::vector<std::vector<float>>& parameters) {
  if (parameters.size() != ensemble.size())
    throw InvalidArgument(text::concat("parameters of ", parameters.size(),
                                       " members are given but the ensemble has ", ensemble.size(),
                                       " members; subset() selects members"));
  bool same = true;
  for (std::size_t m = 0; m < parameters.size(); ++m) {
    const std::span<const float> own = ensemble.parameters(m);
    if (parameters[m].size() != own.size())
      throw InvalidArgument(text::concat("member ", m, " has ", own.size(), " parameters but ",
                                         parameters[m].size(), " are given"));
    if (!std::ranges::all_of(parameters[m], [](float value) { return std::isfinite(value); }))
      throw InvalidArgument(text::concat("a parameter of member ", m, " is not finite"));
    same = same && std::ranges::equal(parameters[m], own);
  }
  if (same) return ensemble;
  Ensemble::Frame frame = ensemble.frame();
  frame.noise.clear();
  frame.temperature = 1;
  frame.temperatures.clear();
  frame.conformal = {};
  frame.resampling = Resampling::none;
  frame.share = 0;
  std::vector<Member> members;
  for (std::size_t m = 0; m < ensemble.size(); ++m) {
    Member& member = members.emplace_back();
    member.settings = ensemble.member(m).settings;
    member.number = ensemble.member(m).number;
  }
  return EnsembleAccess::make(std::move(frame), std::move(members), parameters,
                              EnsembleAccess::fingerprint(ensemble));
}

}  // namespace bootfold::ensemble
