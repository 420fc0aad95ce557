#include "resample/sampler.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bootfold/random.h"
#include "resample/alias.h"
#include "resample/blocks.h"
#include "resample/counts.h"
#include "resample/groups.h"
#include "resample/permutation.h"
#include "resample/rows.h"
#include "resample/scheme.h"

namespace bootfold::resample {

namespace {

using execution::simd::Kernels;
using random::Purpose;
using Rows = std::vector<std::uint32_t>;

/// Draws `out.size()` of `rows` rows.
void draw_iid(const Kernels& kernels, std::uint64_t seed, std::uint64_t replicate, std::size_t rows,
              std::size_t draws, Rows& out) {
  out.resize(draws + kSideBySide);
  draw_rows(kernels, seed, replicate, static_cast<std::uint32_t>(rows), {out.data(), draws});
  out.resize(draws);
}

/// Iid: short replicates come a batch at a time.
struct Iid {
  const Kernels* kernels;
  std::uint64_t seed;
  std::size_t rows;
  std::size_t draws;
  std::uint64_t batch = ~std::uint64_t{0};
  Rows drawn = {};

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, Rows& out) {
    if (rows > kShortRows) {
      draw_iid(*kernels, seed, replicate, rows, draws, out);
      return out;
    }
    if (batch != replicate / kSideBySide) {
      batch = replicate / kSideBySide;
      drawn.resize(draws * kSideBySide);
      draw_batch(*kernels, seed, batch, static_cast<std::uint32_t>(rows), drawn);
    }
    return std::span<const std::uint32_t>(drawn).subspan(replicate % kSideBySide * draws, draws);
  }
};

/// The rows in rising order, each as often as its Poisson count says.
struct PoissonRows {
  const Kernels* kernels;
  std::uint64_t seed;
  std::size_t rows;
  std::shared_ptr<const resample::Poisson> law;
  std::vector<std::uint8_t> counts = std::vector<std::uint8_t>(kTile);
  std::vector<execution::simd::OpenRow> open = std::vector<execution::simd::OpenRow>(kTile);
  static constexpr std::size_t kTile = 4096;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, Rows& out) {
    out.clear();
    execution::simd::LaneState lanes;
    for (std::size_t row = 0; row < rows; row += kTile) {
      const std::size_t size = std::min(kTile, rows - row);
      draw_tile(*kernels, *law, {seed, replicate, 0}, row, size, lanes, counts.data(), open.data());
      for (std::size_t i = 0; i < size; ++i)
        out.insert(out.end(), counts[i], static_cast<std::uint32_t>(row + i));
    }
    return out;
  }
};

struct BalancedRows {
  std::size_t rows;
  Permutation permutation;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, Rows& out) const {
    out.resize(rows);
    for (std::size_t i = 0; i < rows; ++i)
      out[i] = static_cast<std::uint32_t>(permutation(replicate * rows + i) % rows);
    return out;
  }
};

struct WeightedRows {
  std::uint64_t seed;
  std::size_t draws;
  std::shared_ptr<const Alias> alias;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, Rows& out) const {
    out.resize(draws);
    random::Lanes lanes({seed, replicate, Purpose::weighted}, 0);
    for (std::size_t first = 0; first < draws; first += random::Lanes::kLanes) {
      const auto words = lanes();
      const std::size_t size = std::min(random::Lanes::kLanes, draws - first);
      for (std::size_t i = 0; i < size; ++i) out[first + i] = alias->row(words[i]);
    }
    return out;
  }
};

struct StratifiedRows {
  const Kernels* kernels;
  std::uint64_t seed;
  std::shared_ptr<const Groups> strata;
  Rows places = {};

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, Rows& out) {
    out.clear();
    for (std::size_t s = 0; s < strata->count(); ++s) {
      const auto rows = strata->rows(s);
      draw_iid(*kernels, seed_of_stratum(seed, s, strata->count()), replicate, rows.size(),
               rows.size(), places);
      for (const std::uint32_t place : places) out.push_back(rows[place]);
    }
    return out;
  }
};

struct ClusterRows {
  const Kernels* kernels;
  std::uint64_t seed;
  std::shared_ptr<const Groups> clusters;
  bool rows_too;
  Rows drawn = {};

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, Rows& out) {
    out.clear();
    draw_iid(*kernels, seed, replicate, clusters->count(), clusters->count(), drawn);
    random::Stream within({seed, replicate, Purpose::within_cluster});
    for (const std::uint32_t cluster : drawn) {
      const auto rows = clusters->rows(cluster);
      if (!rows_too) {
        out.insert(out.end(), rows.begin(), rows.end());
        continue;
      }
      for (std::size_t i = 0; i < rows.size(); ++i)
        out.push_back(rows[random::uniform_index(within, rows.size())]);
    }
    return out;
  }
};

struct BlockRows {
  std::uint64_t seed;
  std::shared_ptr<const BlockLaw> law;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, Rows& out) const {
    out.clear();
    law->for_each(seed, replicate, [&](const BlockList& blocks) {
      for (std::size_t b = 0; b < blocks.starts.size(); ++b)
        for (std::uint64_t i = 0; i < blocks.lengths[b]; ++i) {
          const std::uint64_t row = blocks.starts[b] + i;
          out.push_back(static_cast<std::uint32_t>(row < law->rows() ? row : row - law->rows()));
        }
    });
    return out;
  }
};

/// Nothing is drawn: replicate i has all rows but those of unit i.
struct RowsWithoutOne {
  std::size_t rows;
  std::shared_ptr<const Groups> clusters;  // or null: row by row

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, Rows& out) const {
    out.clear();
    const auto one = static_cast<std::uint32_t>(replicate);
    std::span<const std::uint32_t> left_out(&one, 1);
    if (clusters) left_out = clusters->rows(replicate);
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (!left_out.empty() && row == left_out.front())
        left_out = left_out.subspan(1);
      else
        out.push_back(row);
    }
    return out;
  }
};

/// A way of drawing, copied for every thread.
template <class Draw>
class SamplingBy final : public Sampling {
 public:
  explicit SamplingBy(Draw draw) : draw_(std::move(draw)) {}

  [[nodiscard]] std::unique_ptr<Sampler> sampler() const override {
    return std::make_unique<Own>(draw_);
  }

 private:
  class Own final : public Sampler {
   public:
    explicit Own(const Draw& draw) : draw_(draw) {}
    std::span<const std::uint32_t> draw(std::uint64_t replicate) override {
      return draw_(replicate, rows_);
    }

   private:
    Draw draw_;
    Rows rows_;
  };

  Draw draw_;
};

template <class Draw>
std::shared_ptr<const Sampling> sampling(Draw draw) {
  return std::make_shared<SamplingBy<Draw>>(std::move(draw));
}

}  // namespace

std::uint64_t seed_of_stratum(std::uint64_t seed, std::size_t stratum, std::size_t strata) {
  if (strata == 1) return seed;
  const auto words = random::block({.seed = seed, .purpose = Purpose::stratum}, stratum);
  return std::uint64_t{words[1]} << 32 | words[0];
}

std::shared_ptr<const Sampling> Sampling::make(const Scheme& scheme, std::uint64_t rows,
                                               std::uint64_t seed, std::uint64_t replicates,
                                               const Kernels& kernels) {
  const std::uint64_t draws = draws_of(scheme, rows);
  if (std::holds_alternative<scheme::Poisson>(scheme))
    return sampling(
        PoissonRows{&kernels, seed, rows, std::make_shared<const resample::Poisson>(1.0)});
  if (std::holds_alternative<scheme::Balanced>(scheme))
    return sampling(BalancedRows{rows, Permutation(rows * replicates, seed)});
  if (const auto* s = std::get_if<scheme::Weighted>(&scheme))
    return sampling(WeightedRows{seed, draws, std::make_shared<const Alias>(s->weights)});
  if (const auto* s = std::get_if<scheme::Stratified>(&scheme))
    return sampling(StratifiedRows{&kernels, seed, std::make_shared<const Groups>(s->strata)});
  if (const auto* s = std::get_if<scheme::Cluster>(&scheme))
    return sampling(
        ClusterRows{&kernels, seed, std::make_shared<const Groups>(s->clusters), s->rows_too});
  if (block_length_of(scheme))
    return sampling(BlockRows{seed, std::make_shared<const BlockLaw>(scheme, rows, kernels)});
  if (const auto* s = std::get_if<scheme::Jackknife>(&scheme))
    return sampling(RowsWithoutOne{
        rows, s->clusters.empty() ? nullptr : std::make_shared<const Groups>(s->clusters)});
  return sampling(Iid{&kernels, seed, rows, draws});
}

}  // namespace bootfold::resample
