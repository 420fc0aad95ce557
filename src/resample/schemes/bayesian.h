// Scheme bayesian: rows are not drawn but weighted, by a flat Dirichlet distribution.
#pragma once

#include "resample/design.h"

namespace bootfold::resample {

class BayesianDesign final : public Design {
 public:
  [[nodiscard]] std::string_view name() const override { return "bayesian"; }
  [[nodiscard]] Traits traits(std::uint64_t rows) const override;
  /// Throws InvalidArgument: no rows are listed.
  [[nodiscard]] std::shared_ptr<const Sampling> sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level level) const override;
  [[nodiscard]] std::optional<Cumulants> cumulants(std::span<const double> changes) const override;
};

}  // namespace bootfold::resample
