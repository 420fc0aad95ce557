// Scheme unequal: rows are drawn independently, with unequal probabilities.
#pragma once

#include "resample/design.h"

namespace bootfold::resample {

class UnequalDesign final : public Design {
 public:
  explicit UnequalDesign(const scheme::Unequal& scheme)
      : weights_(scheme.probabilities), size_(scheme.size) {}

  [[nodiscard]] std::string_view name() const override { return "unequal"; }
  void check(std::uint64_t rows) const override;
  /// Rows that can be drawn.
  [[nodiscard]] std::uint64_t units(std::uint64_t rows) const override;
  [[nodiscard]] Traits traits(std::uint64_t rows) const override;
  [[nodiscard]] std::uint64_t draws(std::uint64_t rows) const override {
    return size_ == 0 ? rows : size_;
  }
  [[nodiscard]] std::shared_ptr<const Sampling> sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level level) const override;
  /// The table of probabilities or the sorted places, and what it takes to make them.
  [[nodiscard]] std::size_t sampling_bytes(std::uint64_t rows) const override;
  [[nodiscard]] bool streams(std::uint64_t rows) const override;
  [[nodiscard]] std::uint64_t places(std::uint64_t rows) const override;
  [[nodiscard]] std::unique_ptr<const Strata> strata(std::uint64_t rows,
                                                     std::uint64_t seed) const override;
  [[nodiscard]] std::span<const double> weights() const override { return weights_; }
  [[nodiscard]] Scheme subset(const OfRows& some) const override;
  [[nodiscard]] std::optional<Cumulants> cumulants(std::span<const double> changes) const override;
  [[nodiscard]] std::string manner() const override { return "with unequal probabilities"; }

 private:
  std::span<const double> weights_;
  std::uint64_t size_;
};

}  // namespace bootfold::resample
