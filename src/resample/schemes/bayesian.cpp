#include "resample/schemes/bayesian.h"

#include "bootfold/error.h"
#include "resample/cumulants.h"

namespace bootfold::resample {

Traits BayesianDesign::traits(std::uint64_t) const {
  Traits facts;
  facts.exchangeable = true;
  facts.any_length = true;
  facts.lists_rows = false;
  facts.weighs = true;
  facts.together = false;
  facts.formula = true;
  facts.studentized = Studentized::by_formula;
  return facts;
}

std::shared_ptr<const Sampling> BayesianDesign::sampling(std::uint64_t, std::uint64_t,
                                                         std::uint64_t, execution::Level) const {
  throw InvalidArgument(
      "scheme 'bayesian' gives every row a weight and draws none, so a replicate has no list of "
      "rows; scheme 'iid' has one");
}

std::optional<Cumulants> BayesianDesign::cumulants(std::span<const double> changes) const {
  return cumulants_of_draws(changes, {}, static_cast<double>(changes.size()));
}

}  // namespace bootfold::resample
