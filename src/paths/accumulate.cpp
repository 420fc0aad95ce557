// Path `stream` for accumulators: every row is folded with its count, in row order.
//
// The top-up is known only when all counts are: so the counts are drawn twice, first for their
// total, then for use. Nothing of a replicate is kept but the rows of its top-up. A block of rows
// has a state of its own and the states are merged in order, as shards would.
#include <algorithm>

#include "paths/paths.h"
#include "resample/counts.h"
#include "study/tile.h"

namespace bootfold::paths {

namespace {

using resample::Attempt;
using study::kTileRows;
using State = statistic::Fold::State;

class Accumulation {
 public:
  Accumulation(const Run& run, const resample::Poisson& poisson, const execution::Worker& worker)
      : run_(run),
        problem_(run.prepared.problem),
        kernels_(execution::simd::kernels(run.prepared.plan.level)),
        poisson_(poisson),
        worker_(worker),
        rows_(run.prepared.plan.rows),
        reader_(problem_.data, kTileRows),
        counts_(kTileRows),
        weights_(kTileRows),
        open_(kTileRows) {}

  void make(std::uint64_t replicate) {
    Attempt attempt{run_.seed, replicate, 0};
    std::uint64_t total = draw_total(attempt);
    while (total > rows_) {
      ++attempt.number;
      total = draw_total(attempt);
    }
    drawn_.resize(rows_ - total);
    resample::TopUp(kernels_, attempt, rows_, lanes_).draw(drawn_);
    std::sort(drawn_.begin(), drawn_.end());
    fold(attempt);
    const std::span<double> values = run_.values_of(replicate);
    for (std::size_t p = 0; p < problem_.parts.size(); ++p)
      states_[p]->finish(
          values.subspan(problem_.parts[p].first_output, problem_.parts[p].outputs()));
  }

 private:
  std::uint64_t draw_counts(const Attempt& attempt, std::uint64_t row, std::size_t size) {
    return draw_tile(kernels_, poisson_, attempt, row, size, lanes_, counts_.data(), open_.data());
  }

  std::uint64_t draw_total(const Attempt& attempt) {
    std::uint64_t total = 0;
    for (std::uint64_t row = 0; row < rows_; row += kTileRows) {
      worker_.check();
      total += draw_counts(attempt, row, size_at(row));
    }
    return total;
  }

  void fold(const Attempt& attempt) {
    states_.clear();
    auto extra = drawn_.begin();
    for (std::uint64_t row = 0; row < rows_; row += kTileRows) {
      worker_.check();
      const std::size_t size = size_at(row);
      draw_counts(attempt, row, size);
      std::copy_n(counts_.begin(), size, weights_.begin());
      for (; extra != drawn_.end() && *extra < row + size; ++extra) ++weights_[*extra - row];
      if (row % resample::kBlockRows == 0) start_block();
      const statistic::Tile tile = reader_.read(row, size);
      for (std::size_t p = 0; p < problem_.parts.size(); ++p) {
        own_.clear();
        for (const std::uint32_t c : problem_.parts[p].columns) own_.push_back(tile.columns[c]);
        block_[p]->accumulate({own_, size}, {weights_.data(), size});
      }
      worker_.advance(static_cast<double>(size));
    }
    start_block();
  }

  /// Merges the block that ends here and begins the next.
  void start_block() {
    const bool first = states_.empty();
    for (std::size_t p = 0; p < problem_.parts.size(); ++p) {
      const auto& fresh = std::get<statistic::Fold>(problem_.parts[p].bound.body).fresh;
      if (first) {
        states_.push_back(fresh());
        if (block_.size() <= p) block_.push_back(nullptr);
      } else {
        states_[p]->merge(*block_[p]);
      }
      block_[p] = fresh();
    }
  }

  [[nodiscard]] std::size_t size_at(std::uint64_t row) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(kTileRows, rows_ - row));
  }

  const Run& run_;
  const study::Problem& problem_;
  const execution::simd::Kernels& kernels_;
  const resample::Poisson& poisson_;
  const execution::Worker& worker_;
  std::uint64_t rows_;
  study::TileReader reader_;
  std::vector<std::uint8_t> counts_;
  std::vector<std::uint32_t> weights_;
  std::vector<execution::simd::OpenRow> open_;
  std::vector<std::uint64_t> drawn_;
  execution::simd::LaneState lanes_{};
  std::vector<const double*> own_;
  std::vector<std::unique_ptr<State>> states_;
  std::vector<std::unique_ptr<State>> block_;
};

}  // namespace

void run_accumulate(const Run& run) {
  const resample::Poisson poisson(resample::count_mean(run.prepared.plan.rows, resample::kMargin));
  const std::uint64_t group = std::max<std::uint64_t>(1, 65536 / run.prepared.plan.rows);
  for_each_group(run, group, run.prepared.plan.rows,
                 [&](std::uint64_t first, std::uint64_t last, const execution::Worker& worker) {
                   Accumulation accumulation(run, poisson, worker);
                   for (std::uint64_t r = first; r < last; ++r) accumulation.make(r);
                 });
}

}  // namespace bootfold::paths
