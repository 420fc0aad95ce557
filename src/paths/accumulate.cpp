// Path `stream` for accumulators: every row is accumulated with its count, in row order.
//
// The counts of a super-block are drawn and topped up before they are used; nothing else of a
// replicate is kept. A super-block has a state of its own, and the states are merged in order, as
// shards would.
#include "paths/accumulate.h"

#include <algorithm>
#include <memory>

#include "planning/choose.h"
#include "resample/counts.h"
#include "resample/rows.h"
#include "study/tile.h"

namespace bootfold::paths::accumulate {

namespace {

using resample::BlockCounts;
using resample::SuperBlocks;
using resample::simd::kCountTile;
using State = statistic::Fold::State;

struct Shared {
  Shared(const Question& question, const Resources& resources)
      : problem(question.problem()),
        level(resources.level()),
        seed(question.seed),
        laws(std::make_unique<resample::CountLaws>()) {}

  const study::Problem& problem;
  execution::Level level;
  std::uint64_t seed;
  std::unique_ptr<resample::CountLaws> laws;
};

class Accumulation final : public Maker {
 public:
  explicit Accumulation(const Shared& shared)
      : shared_(shared),
        problem_(shared.problem),
        rows_(problem_.data.rows()),
        reader_(problem_.data, kCountTile),
        counts_(std::min(rows_, resample::kSuperBlockRows) + kCountTile + 64),
        weights_(kCountTile),
        replaced_(std::make_unique<resample::simd::Replaced>()) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    worker_ = &worker;
    const std::size_t outputs = values.size() / (last - first);
    for (std::uint64_t r = first; r < last; ++r)
      make_one(r, values.subspan((r - first) * outputs, outputs));
  }

 private:
  void make_one(std::uint64_t replicate, std::span<double> values) {
    const SuperBlocks blocks(rows_);
    states_.clear();
    for (std::uint64_t b = 0; b < blocks.count(); ++b) {
      start_block();
      draw(blocks, replicate, b);
      fold(blocks.first_row(b), blocks.rows(b));
    }
    start_block();
    for (std::size_t p = 0; p < problem_.parts.size(); ++p)
      states_[p]->finish(
          values.subspan(problem_.parts[p].first_output, problem_.parts[p].outputs()));
  }

  /// The counts of a super-block, and the rows of its top-up in order.
  void draw(const SuperBlocks& blocks, std::uint64_t replicate, std::uint64_t b) {
    const std::uint64_t rows = blocks.rows(b);
    const std::uint64_t draws = blocks.draws(shared_.seed, replicate, rows_, b);
    // Few draws of a small super-block are all left to the top-up: their mean is 0.
    const double mean = draws > 0 ? resample::count_mean(rows, draws) : 0;
    resample::TileLaws laws;
    if (mean > 0) laws = (*shared_.laws)(mean, rows);
    BlockCounts counts(shared_.level, laws, {shared_.seed, replicate, b}, rows, draws);
    const auto room = [&](std::uint64_t row) {
      worker_->check();
      return counts_.data() + row;
    };
    const auto keep = [](std::uint64_t, std::span<const std::uint8_t>) {};
    drawn_ = counts.draw(*replaced_, room_, room, keep).late;
    std::sort(drawn_.begin(), drawn_.end());
  }

  void fold(std::uint64_t first, std::uint64_t rows) {
    auto extra = drawn_.begin();
    for (std::uint64_t row = 0; row < rows; row += kCountTile) {
      worker_->check();
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kCountTile, rows - row));
      std::copy_n(counts_.begin() + static_cast<std::ptrdiff_t>(row), size, weights_.begin());
      for (; extra != drawn_.end() && *extra < row + size; ++extra) ++weights_[*extra - row];
      const statistic::Tile tile = reader_.read(first + row, size);
      for (std::size_t p = 0; p < problem_.parts.size(); ++p) {
        own_.clear();
        for (const std::uint32_t c : problem_.parts[p].columns) own_.push_back(tile.columns[c]);
        block_[p]->accumulate({own_, size}, {weights_.data(), size});
      }
      worker_->advance(static_cast<double>(size));
    }
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

  const Shared& shared_;
  const study::Problem& problem_;
  const execution::Worker* worker_ = nullptr;
  std::uint64_t rows_;
  study::TileReader reader_;
  std::vector<std::uint8_t> counts_;
  std::vector<std::uint32_t> weights_;
  std::unique_ptr<resample::simd::Replaced> replaced_;
  std::vector<std::uint32_t> room_;
  std::span<std::uint32_t> drawn_;  // rows of the last top-up
  std::vector<const double*> own_;
  std::vector<std::unique_ptr<State>> states_;
  std::vector<std::unique_ptr<State>> block_;
};

}  // namespace

bool suits(const Question& question) { return question.problem().all<statistic::Fold>(); }

std::string serves(const Question& question) {
  const bool same_size = question.traits.iid && question.draws == question.rows;
  return same_size && question.design.streams(question.rows) ? "" : no_way_for(question.design);
}

Estimate estimate(const Question& question) {
  const study::Problem& problem = question.problem();
  const Size size = size_of(question);
  Estimate found;
  // Short resamples are drawn 16 side by side, which is quicker.
  found.tier = question.rows > resample::kShortRows ? Tier::counts : Tier::last_resort;
  found.reason = "an accumulator: every row is accumulated with its count";
  found.replicate_nanoseconds = stream::cost(size) + 3 * size.rows;
  found.shared_bytes =
      question.rows <= resample::kSuperBlockRows ? std::size_t{1} << 16 : std::size_t{1} << 19;
  found.thread_bytes =
      planning::tile_bytes(problem, 0) + 8 * kCountTile + sizeof(resample::simd::Replaced) +
      static_cast<std::size_t>(std::min(question.rows, resample::kSuperBlockRows)) + 65536;
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  return std::make_unique<EngineOf<Shared, Accumulation>>(
      std::max<std::uint64_t>(1, 65536 / question.rows), question.rows,
      std::make_shared<const Shared>(question, resources));
}

}  // namespace bootfold::paths::accumulate
