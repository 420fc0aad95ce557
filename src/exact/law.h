// A distribution function, however it is kept.
#pragma once

#include <memory>
#include <span>

#include "bootfold/exact.h"

namespace bootfold::exact {

class Law {
 public:
  Law(double mean, double deviation) : mean_(mean), deviation_(deviation) {}
  virtual ~Law() = default;
  Law(const Law&) = delete;
  Law& operator=(const Law&) = delete;

  [[nodiscard]] virtual double at_most(double x) const = 0;
  [[nodiscard]] virtual double below(double x) const = 0;
  /// The smallest x with at_most(x) >= p.
  [[nodiscard]] virtual double quantile(double p) const = 0;
  [[nodiscard]] virtual std::span<const Atom> atoms() const noexcept { return {}; }

  [[nodiscard]] double mean() const noexcept { return mean_; }
  [[nodiscard]] double deviation() const noexcept { return deviation_; }

 private:
  double mean_;
  double deviation_;
};

/// A law and the bound on the error of its distribution function.
struct Found {
  std::shared_ptr<const Law> law;
  double error_bound = 0;
  double undefined = 0;
};

}  // namespace bootfold::exact
