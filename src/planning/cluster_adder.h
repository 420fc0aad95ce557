// Adds up the features of rows by cluster, as integers: pieces of the rows may be added anywhere
// and in any order.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "bootfold/data.h"
#include "numeric/wide_fixed.h"
#include "resample/numbering.h"
#include "study/study.h"

namespace bootfold::planning {

/// The sum, without overflow: rows that changed, or a damaged file, may have any numbers.
[[nodiscard]] constexpr __int128 plus(__int128 a, __int128 b) noexcept {
  return static_cast<__int128>(static_cast<unsigned __int128>(a) +
                               static_cast<unsigned __int128>(b));
}

class ClusterAdder {
 public:
  /// For the features of a study whose columns were looked at. Refers to it.
  explicit ClusterAdder(const study::Study& study);

  [[nodiscard]] std::size_t features() const noexcept { return fixed_.size(); }

  /// The sums of some clusters.
  struct Sums {
    std::vector<__int128> sums;       ///< [cluster][feature]
    std::vector<std::uint64_t> rows;  ///< of each cluster
  };
  [[nodiscard]] Sums none(std::size_t clusters) const;

  /// Adds rows with the labels of their clusters, which `number` numbers. Throws Cancelled.
  void add(const DataView& rows, std::span<const std::uint32_t> labels,
           const resample::Numbering& number, Sums& sums, const std::stop_token& stop) const;

  /// Columns of doubles: the sums of each feature, and the number of rows. [feature][cluster]
  [[nodiscard]] std::vector<std::vector<double>> columns(const Sums& sums) const;

 private:
  const study::Problem& problem_;
  std::vector<numeric::WideFixed> fixed_;  // of each feature
};

}  // namespace bootfold::planning
