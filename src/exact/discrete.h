// A law with so few values that they can be listed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "exact/law.h"

namespace bootfold::exact {

/// Mean and standard deviation where they are known better than the atoms tell.
struct Moments {
  double mean = 0;
  double deviation = 0;
};

class Discrete final : public Law {
 public:
  /// Sorts; values that differ by rounding only become one. `slack`: what a cumulated probability
  /// may be short by when it is compared with p.
  static std::shared_ptr<const Discrete> make(std::vector<Atom> atoms, double slack,
                                              std::optional<Moments> moments = std::nullopt);

  Discrete(std::vector<Atom> atoms, double slack, const Moments& moments);

  [[nodiscard]] double at_most(double x) const override;
  [[nodiscard]] double below(double x) const override;
  [[nodiscard]] double quantile(double p) const override;
  [[nodiscard]] std::span<const Atom> atoms() const noexcept override { return atoms_; }

 private:
  std::vector<Atom> atoms_;
  std::vector<double> cumulated_;
  double slack_;
  double blur_;  // values closer than this are equal
};

}  // namespace bootfold::exact
