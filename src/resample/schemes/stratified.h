// Scheme stratified: within each stratum as many rows are drawn as it has, independently.
#pragma once

#include "resample/design.h"
#include "resample/groups.h"

namespace bootfold::resample {

/// "stratified, 12 strata".
[[nodiscard]] std::string describe_strata(std::size_t strata);
/// Whether strata have enough rows on average that counts are streamed over them.
[[nodiscard]] bool strata_stream(std::uint64_t rows, std::size_t strata);
[[nodiscard]] Traits strata_traits();

/// Draws rows within each stratum into `out`, stratum by stratum.
void draw_within(const SmallStrata& strata, execution::Level level, std::uint64_t replicate,
                 std::vector<std::uint32_t>& out);

class StratifiedDesign final : public Design {
 public:
  explicit StratifiedDesign(const scheme::Stratified& scheme) : strata_(scheme.strata) {}

  [[nodiscard]] std::string_view name() const override { return "stratified"; }
  [[nodiscard]] std::string describe(std::uint64_t rows) const override;
  void check(std::uint64_t rows) const override;
  [[nodiscard]] std::uint64_t fixed_units(std::uint64_t rows) const override;
  [[nodiscard]] Traits traits(std::uint64_t rows) const override;
  [[nodiscard]] std::shared_ptr<const Sampling> sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level level) const override;
  /// The order of the rows by stratum, and what it takes to sort them or to draw from them.
  [[nodiscard]] std::size_t sampling_bytes(std::uint64_t rows) const override {
    return (streams(rows) ? 2 : 3) * sizeof(std::uint32_t) * rows;
  }
  [[nodiscard]] std::unique_ptr<const SmallStrata> small_strata(std::uint64_t seed) const override;
  [[nodiscard]] bool streams(std::uint64_t rows) const override;
  [[nodiscard]] std::unique_ptr<const Strata> strata(std::uint64_t rows,
                                                     std::uint64_t seed) const override;
  [[nodiscard]] std::span<const std::uint32_t> stratum_labels() const override {
    return strata_.labels();
  }
  [[nodiscard]] std::span<const std::uint32_t> labels() const override { return strata_.labels(); }
  [[nodiscard]] std::shared_ptr<const Groups> groups() const override { return strata_.get(); }
  [[nodiscard]] Scheme subset(const OfRows& some) const override;
  [[nodiscard]] std::optional<Cumulants> cumulants(std::span<const double> changes) const override;
  [[nodiscard]] std::string manner() const override { return "within strata"; }

 private:
  LazyGroups strata_;
};

}  // namespace bootfold::resample
