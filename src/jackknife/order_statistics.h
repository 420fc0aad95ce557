// Order statistics of columns, found when they are asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "numeric/select.h"
#include "study/problem.h"
#include "study/tile.h"

namespace bootfold::jackknife {

/// Looks order statistics up in the column, with their neighbours, which are asked for next.
class OrderStatistics {
 public:
  explicit OrderStatistics(const study::Problem& problem, std::stop_token stop)
      : problem_(problem), stop_(std::move(stop)) {}

  double operator()(const study::Part& part, std::uint64_t rank) {
    const std::uint32_t column = part.columns[0];
    const auto known = found_.find({column, rank});
    if (known != found_.end()) return known->second;
    const std::uint64_t first = std::max<std::uint64_t>(rank, 2) - 1;
    const std::uint64_t last = std::min<std::uint64_t>(rank + 2, problem_.data.rows());
    const auto values = numeric::order_statistics(scan(column), first, last);
    for (std::uint64_t r = first; r <= last; ++r) found_[{column, r}] = values[r - first];
    return values[rank - first];
  }

 private:
  [[nodiscard]] numeric::Scan scan(std::uint32_t number) const {
    return [this, number](const std::function<void(std::span<const double>)>& see) {
      const ColumnView& column = problem_.data.column(number);
      std::vector<double> buffer(study::kTileRows);
      for (std::size_t row = 0; row < column.rows(); row += buffer.size()) {
        if (stop_.stop_requested()) throw Cancelled();
        const std::span<double> tile =
            std::span(buffer).first(std::min(buffer.size(), column.rows() - row));
        column.read(row, tile);
        see(tile);
      }
    };
  }

  const study::Problem& problem_;
  std::stop_token stop_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, double> found_;
};

}  // namespace bootfold::jackknife
