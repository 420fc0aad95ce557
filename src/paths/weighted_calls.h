// The part of path `weights` for statistics that need all weights of a replicate: mad, gini,
// top_share, spearman, measures of ranking, and statistics with weights of the user's own.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "bootfold/execution.h"
#include "statistic/weighted.h"
#include "study/problem.h"
#include "study/sorted_column.h"

namespace bootfold::paths {

/// What all threads share: columns in the order of their values, or as they are.
class WeightedCalls {
 public:
  /// Whether a statistic can be computed from weights of rows: all but accumulators and functions
  /// of the user's own.
  [[nodiscard]] static bool takes(const study::Part& part);

  /// What the statistics take, if any of them needs all weights.
  struct Size {
    std::size_t calls = 0;           ///< statistics that need all weights
    std::size_t sorted = 0;          ///< those that walk over sorted columns
    std::size_t shared_columns = 0;  ///< columns that are sorted or kept, at most
    std::size_t thread_columns = 0;  ///< doubles of a thread for each row
  };
  [[nodiscard]] static Size size(const study::Problem& problem);
  /// Bytes of a row that all threads share, for each of `shared_columns`.
  static constexpr std::size_t kColumnBytes = 28;

  /// Refers to the problem. Throws Cancelled.
  WeightedCalls(const study::Problem& problem, const std::stop_token& stop);

  [[nodiscard]] bool empty() const noexcept { return ordered_.empty() && general_.empty(); }

 private:
  friend class WeightedCallsFinisher;

  struct Column {
    study::SortedColumn sorted = {};
    std::vector<study::Tie> ties = {};
    double unit = 1;  // brings values below 1, so that no sum overflows
  };
  /// mad, gini, top_share or spearman.
  struct OrderedCall {
    const study::Part* part;
    statistic::Ordered ordered;
    const Column* first;
    const Column* second;  // of spearman
  };
  /// Any other statistic, as a function of its columns and of weights.
  struct GeneralCall {
    const study::Part* part;
    statistic::Call call;
    bool has_weights;  // its last column holds weights, which are multiplied by those of the rows
    double unit = 1;   // of these weights
  };

  std::size_t rows_;
  std::map<std::uint32_t, Column> sorted_;             // by number
  std::map<std::uint32_t, std::vector<double>> kept_;  // columns of general statistics
  std::vector<OrderedCall> ordered_;
  std::vector<GeneralCall> general_;
};

/// Computes the values of a replicate; one for each thread.
class WeightedCallsFinisher {
 public:
  /// Refers to `calls`.
  explicit WeightedCallsFinisher(const WeightedCalls& calls) : calls_(calls) {}

  /// `weights` of all rows, with their total; sets the values of the statistics that need them.
  void operator()(std::span<const std::uint32_t> weights, std::uint64_t total,
                  std::span<double> values, const execution::Worker& worker);

 private:
  using Column = WeightedCalls::Column;

  [[nodiscard]] double ordered(const WeightedCalls::OrderedCall& call);
  [[nodiscard]] double by_gaps(const Column& column, const statistic::Ordered& ordered) const;
  [[nodiscard]] double mad(const Column& column) const;
  [[nodiscard]] double spearman(const Column& first, const Column& second);
  void general(const WeightedCalls::GeneralCall& call, std::span<double> values);

  const WeightedCalls& calls_;
  std::span<const std::uint32_t> weights_;
  std::uint64_t total_ = 0;
  std::vector<double> ranks_;    // of the first column of spearman
  std::vector<double> doubles_;  // weights of general statistics
};

}  // namespace bootfold::paths
