// One replicate of a sorted column, by running counts: order statistics without sorting.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "numeric/quantile.h"
#include "paths/simd/kernels.h"
#include "study/sorted_column.h"

namespace bootfold::paths {

/// Ranks begin at 1, places at 0. All of it takes O(log^2 rows) looks, but where rows that are not
/// drawn lie in between.
class CountedColumn {
 public:
  /// `counts`: of each row, with kLanes from row to row; `running`: of each kRunning-th place, the
  /// draws before it; of `draws` in all, at least 1.
  CountedColumn(const study::SortedColumn& column, const std::uint8_t* counts,
                const std::uint32_t* running, std::uint64_t draws)
      : column_(column), counts_(counts), running_(running), draws_(draws) {}

  /// Type 7, as numeric::select_quantile() of the rows written out.
  [[nodiscard]] double quantile(double q) const {
    const numeric::QuantilePosition position = numeric::quantile_position(q, draws_);
    const std::size_t place = place_of(position.low);
    const double low = column_.values[place];
    if (position.weight == 0 || up_to(place + 1) > position.low) return low;
    return numeric::interpolate(low, column_.values[drawn_from(place + 1)], position.weight);
  }

  /// The median of the absolute deviations from the median.
  [[nodiscard]] double mad() const {
    const Deviations deviations(*this, quantile(0.5));
    const numeric::QuantilePosition position = numeric::quantile_position(0.5, draws_);
    const double low = deviations.order_statistic(position.low);
    return position.weight == 0
               ? low
               : numeric::interpolate(low, deviations.next(low, position.low), position.weight);
  }

 private:
  /// Deviations from a centre: rows up to it and rows above it, both sorted the nearest first.
  class Deviations {
   public:
    Deviations(const CountedColumn& counted, double centre)
        : counted_(counted),
          values_(counted.column_.values),
          centre_(centre),
          split_(
              first_place(0, values_.size(), [&](std::size_t i) { return values_[i] > centre; })) {}

    [[nodiscard]] double order_statistic(std::uint64_t rank) const {
      // The nearest place up to the centre within whose deviation so many are drawn ...
      const std::size_t left = split_ - first_place(0, split_, [&](std::size_t i) {
                                 return reaches(split_ - 1 - i, rank);
                               });
      // ... and the nearest above it, which is nearer than that if it decides.
      const std::size_t begin = left < split_ ? within(deviation(left)).end : split_;
      const std::size_t end = left > 0 ? within(deviation(left - 1)).end : values_.size();
      const std::size_t right =
          first_place(begin, end, [&](std::size_t i) { return reaches(i, rank); });
      if (left == 0) return deviation(right);
      return right < end ? std::min(deviation(left - 1), deviation(right)) : deviation(left - 1);
    }

    /// Order statistic number rank + 1, where number `rank` is `low`.
    [[nodiscard]] double next(double low, std::uint64_t rank) const {
      const Places places = within(low);
      if (drawn(places) > rank) return low;
      const std::size_t right = counted_.drawn_from(places.end);
      const std::size_t left = counted_.drawn_before(places.begin);
      if (left == 0) return deviation(right);
      return right < values_.size() ? std::min(deviation(left - 1), deviation(right))
                                    : deviation(left - 1);
    }

   private:
    struct Places {
      std::size_t begin;
      std::size_t end;
    };

    [[nodiscard]] double deviation(std::size_t place) const {
      return std::abs(values_[place] - centre_);
    }
    /// The places whose deviations are at most that.
    [[nodiscard]] Places within(double most) const {
      return {
          first_place(0, split_, [&](std::size_t i) { return deviation(i) <= most; }),
          first_place(split_, values_.size(), [&](std::size_t i) { return deviation(i) > most; })};
    }
    [[nodiscard]] std::uint64_t drawn(const Places& places) const {
      return counted_.up_to(places.end) - counted_.up_to(places.begin);
    }
    [[nodiscard]] bool reaches(std::size_t place, std::uint64_t rank) const {
      return drawn(within(deviation(place))) >= rank;
    }

    const CountedColumn& counted_;
    const std::vector<double>& values_;
    double centre_;
    std::size_t split_;
  };

  /// The first place for which `holds`, which stays true from there on; `end` if there is none.
  template <class Holds>
  [[nodiscard]] static std::size_t first_place(std::size_t begin, std::size_t end,
                                               const Holds& holds) {
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (holds(middle))
        end = middle;
      else
        begin = middle + 1;
    }
    return begin;
  }

  [[nodiscard]] std::uint64_t count(std::size_t place) const {
    return counts_[std::size_t{column_.rows[place]} * simd::kLanes];
  }
  [[nodiscard]] std::uint64_t running(std::size_t block) const {
    return running_[block * simd::kLanes];
  }

  /// The draws of the first places.
  [[nodiscard]] std::uint64_t up_to(std::size_t places) const {
    if (places == column_.rows.size()) return draws_;
    const std::size_t block = places / simd::kRunning;
    std::uint64_t found = running(block);
    for (std::size_t i = block * simd::kRunning; i < places; ++i) found += count(i);
    return found;
  }

  /// Where the order statistic of this rank is.
  [[nodiscard]] std::size_t place_of(std::uint64_t rank) const {
    const std::size_t blocks = (column_.rows.size() + simd::kRunning - 1) / simd::kRunning;
    const std::size_t block =
        first_place(1, blocks, [&](std::size_t b) { return running(b) >= rank; }) - 1;
    std::size_t place = block * simd::kRunning;
    for (std::uint64_t found = running(block) + count(place); found < rank; found += count(place))
      ++place;
    return place;
  }

  /// The first drawn place from this one on; the number of places if there is none.
  [[nodiscard]] std::size_t drawn_from(std::size_t place) const {
    while (place < column_.rows.size() && count(place) == 0) ++place;
    return place;
  }
  /// The places up to the last drawn one before this one; 0 if there is none.
  [[nodiscard]] std::size_t drawn_before(std::size_t place) const {
    while (place > 0 && count(place - 1) == 0) --place;
    return place;
  }

  const study::SortedColumn& column_;
  const std::uint8_t* counts_;
  const std::uint32_t* running_;
  std::uint64_t draws_;
};

}  // namespace bootfold::paths
