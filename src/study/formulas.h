// Values that are computed from those of several statistics on the same resample, such as
// median(a) / mean(b): the statistics that have to be computed, and what becomes of their values.
//
//     Formulas formulas(data, statistics);
//     Study study(data, formulas.terms());   // paths, looks and parts see the terms
//     ... estimates and replicates of the terms ...
//     formulas.apply(values);                // [replicate][term value] -> [replicate][output]
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/statistic.h"

namespace bootfold::study {

class Formulas {
 public:
  /// Statistics that have a formula (Statistic::formula()) become its terms, the others stay.
  /// Throws InvalidArgument.
  Formulas(const DataView& data, std::span<const Statistic> statistics);

  /// The statistics as they were asked for.
  [[nodiscard]] std::span<const Statistic> statistics() const noexcept { return statistics_; }
  /// The statistics that have to be computed.
  [[nodiscard]] std::span<const Statistic> terms() const noexcept { return terms_; }
  /// Names of the values asked for.
  [[nodiscard]] const std::vector<std::string>& outputs() const noexcept { return outputs_; }
  /// Number of values of all terms.
  [[nodiscard]] std::size_t term_values() const noexcept { return term_values_; }
  /// Whether some value is made from those of terms; if not, terms() are statistics().
  [[nodiscard]] bool any() const noexcept { return any_; }

  /// Values of the terms [any number][term value] -> values asked for [same number][output].
  [[nodiscard]] std::vector<double> apply(std::vector<double> values) const;

  /// Where an output comes from: values first .. first + count - 1 of the terms.
  struct Output {
    std::size_t first = 0;
    std::size_t count = 1;
    /// Null: the value itself.
    std::shared_ptr<const statistic::Formula> formula = nullptr;

    /// The output from the values of all terms.
    [[nodiscard]] double of(std::span<const double> values) const;
  };
  [[nodiscard]] std::span<const Output> sources() const noexcept { return sources_; }

 private:
  void add(const DataView& data, const Statistic& statistic);

  std::vector<Statistic> statistics_;
  std::vector<Statistic> terms_;
  std::vector<std::string> outputs_;
  std::vector<Output> sources_;
  std::size_t term_values_ = 0;
  bool any_ = false;
};

}  // namespace bootfold::study
