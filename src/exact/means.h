// The law of a mean or a sum.
#pragma once

#include <optional>
#include <string>

#include "exact/law.h"
#include "exact/moments.h"
#include "exact/rows.h"
#include "exact/series.h"
#include "exact/tail_bound.h"
#include "study/study.h"

namespace bootfold::exact {

class Means {
 public:
  /// Up to so many distinct values are summed with their weights; the study counts them.
  static constexpr std::size_t kFewValues = 4096;

  /// Looks at the data: how they spread, whether on a lattice. The study has one feature, the only
  /// column's product {0}; `total`: the statistic is the sum.
  Means(const study::Study& study, bool total, const Options& options);

  [[nodiscard]] Method method() const noexcept { return method_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] double estimate() const noexcept { return estimate_; }

  /// Whether the law takes a moment whatever the data: two values, or a lattice of few points.
  [[nodiscard]] bool easy() const noexcept;

  /// About what the error bound will be at least, from a sample of the frequencies. Takes a moment.
  [[nodiscard]] double forecast(const Execution& execution) const;

  /// The error bound may be anything up to 1.
  [[nodiscard]] Found law(const Execution& execution) const;

 private:
  void choose_circle();
  /// A lattice of which all frequencies are computed.
  [[nodiscard]] bool whole() const noexcept;
  /// No lattice, and too few rows for pairs to bound anything.
  [[nodiscard]] bool few_rows() const noexcept;
  [[nodiscard]] double forecast_nodes(double last, const Execution& execution) const;
  [[nodiscard]] Frequencies frequencies(const Pairs& pairs) const;
  [[nodiscard]] Found binomial() const;
  [[nodiscard]] Cover cover_all(const Execution& execution) const;
  [[nodiscard]] Scaling scaling() const;

  Rows rows_;
  bool total_;
  Spread spread_;
  Method method_ = Method::characteristic;
  std::string reason_;
  double estimate_ = 0;
  double power_ = 0;  // 10^d of decimal values
  Circle circle_;
  double aliasing_ = 0;  // probability outside the window, at most
  double last_ = 0;      // the highest frequency
};

}  // namespace bootfold::exact
