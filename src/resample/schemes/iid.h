// Scheme iid: rows are drawn independently, each with the same probability.
#pragma once

#include "resample/design.h"

namespace bootfold::resample {

class IidDesign final : public Design {
 public:
  explicit IidDesign(const scheme::Iid& scheme) : size_(scheme.size) {}

  [[nodiscard]] std::string_view name() const override { return "iid"; }
  [[nodiscard]] Traits traits(std::uint64_t rows) const override;
  [[nodiscard]] std::uint64_t draws(std::uint64_t rows) const override {
    return size_ == 0 ? rows : size_;
  }
  [[nodiscard]] std::shared_ptr<const Sampling> sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level level) const override;
  [[nodiscard]] bool streams(std::uint64_t rows) const override { return draws(rows) <= rows; }
  [[nodiscard]] std::unique_ptr<const Strata> strata(std::uint64_t rows,
                                                     std::uint64_t seed) const override;
  [[nodiscard]] std::optional<Cumulants> cumulants(std::span<const double> changes) const override;
  [[nodiscard]] std::string manner() const override { return "of fewer or more draws"; }

 private:
  std::uint64_t size_;
};

}  // namespace bootfold::resample
