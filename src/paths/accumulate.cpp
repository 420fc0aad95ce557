// Path `stream` for accumulators: every row is folded with its count, in row order.
//
// The top-up is known only when all counts are: so the counts are drawn twice, first for their
// total, then for use. Nothing of a replicate is kept but the rows of its top-up. A block of rows
// has a state of its own and the states are merged in order, as shards would.
#include "paths/accumulate.h"

#include <algorithm>
#include <cmath>

#include "planning/choose.h"
#include "resample/counts.h"
#include "study/tile.h"

namespace bootfold::paths::accumulate {

namespace {

using resample::Attempt;
using study::kTileRows;
using State = statistic::Fold::State;

struct Shared {
  Shared(const Question& question, const Resources& resources)
      : problem(question.problem()),
        level(resources.level()),
        seed(question.seed),
        poisson(resample::count_mean(question.rows, resample::kMargin)) {}

  const study::Problem& problem;
  execution::Level level;
  std::uint64_t seed;
  resample::Poisson poisson;
};

class Accumulation final : public Maker {
 public:
  explicit Accumulation(const Shared& shared)
      : shared_(shared),
        problem_(shared.problem),
        rows_(problem_.data.rows()),
        reader_(problem_.data, kTileRows),
        counts_(kTileRows),
        weights_(kTileRows),
        open_(kTileRows) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    worker_ = &worker;
    const std::size_t outputs = values.size() / (last - first);
    for (std::uint64_t r = first; r < last; ++r)
      make_one(r, values.subspan((r - first) * outputs, outputs));
  }

 private:
  void make_one(std::uint64_t replicate, std::span<double> values) {
    Attempt attempt{shared_.seed, replicate, 0};
    std::uint64_t total = draw_total(attempt);
    while (total > rows_) {
      ++attempt.number;
      total = draw_total(attempt);
    }
    drawn_.resize(rows_ - total);
    resample::TopUp(shared_.level, attempt, rows_, lanes_).draw(drawn_);
    std::sort(drawn_.begin(), drawn_.end());
    fold(attempt);
    for (std::size_t p = 0; p < problem_.parts.size(); ++p)
      states_[p]->finish(
          values.subspan(problem_.parts[p].first_output, problem_.parts[p].outputs()));
  }

  std::uint64_t draw_counts(const Attempt& attempt, std::uint64_t row, std::size_t size) {
    return draw_tile(shared_.level, shared_.poisson, attempt, row, size, lanes_, counts_.data(),
                     open_.data());
  }

  std::uint64_t draw_total(const Attempt& attempt) {
    std::uint64_t total = 0;
    for (std::uint64_t row = 0; row < rows_; row += kTileRows) {
      worker_->check();
      total += draw_counts(attempt, row, size_at(row));
    }
    return total;
  }

  void fold(const Attempt& attempt) {
    states_.clear();
    auto extra = drawn_.begin();
    for (std::uint64_t row = 0; row < rows_; row += kTileRows) {
      worker_->check();
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
      worker_->advance(static_cast<double>(size));
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

  const Shared& shared_;
  const study::Problem& problem_;
  const execution::Worker* worker_ = nullptr;
  std::uint64_t rows_;
  study::TileReader reader_;
  std::vector<std::uint8_t> counts_;
  std::vector<std::uint32_t> weights_;
  std::vector<resample::simd::OpenRow> open_;
  std::vector<std::uint64_t> drawn_;
  random::simd::LaneState lanes_{};
  std::vector<const double*> own_;
  std::vector<std::unique_ptr<State>> states_;
  std::vector<std::unique_ptr<State>> block_;
};

}  // namespace

Estimate estimate(const Question& question) {
  const study::Problem& problem = question.problem();
  const Size size = size_of(question);
  Estimate found;
  // Short resamples are drawn 16 side by side, which is quicker.
  found.tier = question.rows > resample::kShortRows ? Tier::counts : Tier::last_resort;
  found.reason = "an accumulator: every row is accumulated with its count";
  found.replicate_nanoseconds = 2 * stream::cost(size) + 3 * size.rows;
  found.shared_bytes = 65536;
  found.thread_bytes = planning::tile_bytes(problem, 0) + 24 * kTileRows +
                       static_cast<std::size_t>(16 * std::sqrt(size.rows) * 8);
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  return std::make_unique<EngineOf<Shared, Accumulation>>(
      std::max<std::uint64_t>(1, 65536 / question.rows), question.rows,
      std::make_shared<const Shared>(question, resources));
}

}  // namespace bootfold::paths::accumulate
