// Scheme jackknife: nothing is drawn; replicate i has all rows but those of unit i.
#pragma once

#include "resample/design.h"
#include "resample/groups.h"

namespace bootfold::resample {

class JackknifeDesign final : public Design {
 public:
  explicit JackknifeDesign(const scheme::Jackknife& scheme) : clusters_(scheme.clusters) {}

  [[nodiscard]] std::string_view name() const override { return "jackknife"; }
  [[nodiscard]] std::string describe(std::uint64_t rows) const override;
  void check(std::uint64_t rows) const override;
  [[nodiscard]] std::uint64_t units(std::uint64_t rows) const override {
    return by_row() ? rows : groups()->count();
  }
  [[nodiscard]] Traits traits(std::uint64_t rows) const override;
  [[nodiscard]] std::uint64_t draws(std::uint64_t rows) const override;
  [[nodiscard]] std::optional<std::uint64_t> replicates(std::uint64_t rows) const override;
  [[nodiscard]] std::shared_ptr<const Sampling> sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level level) const override;
  /// The order of the rows by cluster, and what it takes to sort them.
  [[nodiscard]] std::size_t sampling_bytes(std::uint64_t rows) const override {
    return by_row() ? 0 : 2 * sizeof(std::uint32_t) * rows;
  }
  [[nodiscard]] std::span<const std::uint32_t> clusters() const override { return labels(); }
  [[nodiscard]] std::span<const std::uint32_t> labels() const override {
    return clusters_.labels();
  }
  [[nodiscard]] std::shared_ptr<const Groups> groups() const override {
    return by_row() ? nullptr : clusters_.get();
  }
  [[nodiscard]] Scheme subset(const OfRows& some) const override;
  [[nodiscard]] Scheme of_clusters() const override;
  [[nodiscard]] Scheme drawing_what_is_deleted() const override;

 private:
  [[nodiscard]] bool by_row() const { return labels().empty(); }

  LazyGroups clusters_;
};

}  // namespace bootfold::resample
