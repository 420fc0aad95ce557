// exp(i k t) - 1 for neighbouring k by recurrence: z_(k+1) = z_k exp(i t) + z_1. Working with the
// difference from 1 keeps what matters: n log(phi) is of the order of 10 while phi is within 10 / n
// of 1. Every 32 nodes sines are computed anew.
#include "exact/nodes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "bootfold/map_reduce.h"
#include "exact/simd/kernels.h"
#include "numeric/compensated.h"

namespace bootfold::exact {

namespace {

using simd::kBlock;
using simd::kRun;

constexpr std::size_t kBatch = 64;  // blocks for one pass over many rows
constexpr std::size_t kGroup = 16;  // blocks for one worker where rows are few

// Bound on the relative error of a sum over rows, in units of the sum of the absolute values: 32
// steps of the recurrence with at most four roundings each, sines and angles (8), 16 additions in a
// lane, lanes and runs (8): 160, rounded up.
constexpr double kRounding = 192 * 0x1p-53;

struct BlockSum {
  std::array<numeric::Compensated, kBlock> real;
  std::array<numeric::Compensated, kBlock> imaginary;
};

/// exp(2 pi i turns) - 1.
inline void wave(double turns, double& real, double& imaginary) {
  const double half = std::numbers::pi * (turns - std::nearbyint(turns));
  const double sine = std::sin(half);
  real = -2 * sine * sine;
  imaginary = 2 * sine * std::cos(half);
}

/// Up to kRun rows and all that a block needs of them. Rows that are missing have weight 0.
class Run {
 public:
  /// `turns`: u_1 v / (2 pi) of each row.
  Run(std::span<const double> turns, std::span<const double> weights) : turns_(turns) {
    waves_.rows = (turns.size() + simd::kLanes - 1) / simd::kLanes * simd::kLanes;
    std::copy(weights.begin(), weights.end(), waves_.weights);
    for (std::size_t i = 0; i < turns.size(); ++i)
      wave(turns[i], waves_.real1[i], waves_.imaginary1[i]);
  }

  void add_block(std::uint64_t first, const simd::Kernels& kernels, BlockSum& sums) {
    const auto k = static_cast<double>(first);
    if (first == 1) {
      std::copy_n(waves_.real1, kRun, waves_.real);
      std::copy_n(waves_.imaginary1, kRun, waves_.imaginary);
    } else {
      for (std::size_t i = 0; i < turns_.size(); ++i)
        wave(k * turns_[i], waves_.real[i], waves_.imaginary[i]);
    }
    double real[kBlock];
    double imaginary[kBlock];
    kernels.sum_block(waves_, real, imaginary);
    for (std::size_t i = 0; i < kBlock; ++i) {
      sums.real[i].add(real[i]);
      sums.imaginary[i].add(imaginary[i]);
    }
  }

 private:
  std::span<const double> turns_;
  simd::Waves waves_;
};

void add_rows(const Rows& rows, double period, std::size_t first, std::size_t last,
              std::span<const std::uint64_t> blocks, const simd::Kernels& kernels,
              std::span<BlockSum> sums) {
  std::array<double, kRun> turns;
  rows.scan(first, last, [&](std::span<const double> v, std::span<const double> weights) {
    for (std::size_t at = 0; at < v.size(); at += kRun) {
      const std::size_t size = std::min(kRun, v.size() - at);
      for (std::size_t i = 0; i < size; ++i) turns[i] = v[at + i] / period;
      Run run({turns.data(), size}, weights.subspan(at, size));
      for (std::size_t b = 0; b < blocks.size(); ++b) run.add_block(blocks[b], kernels, sums[b]);
    }
  });
}

/// Are there rows enough for all workers?
bool many(const Rows& rows) { return rows.values() > 4 * kChunkRows; }

/// The sums over all rows for a batch of blocks: rows shared out where there are many, else blocks.
std::vector<BlockSum> sum_batch(const Rows& rows, double period,
                                std::span<const std::uint64_t> blocks, const Execution& execution) {
  const simd::Kernels& kernels =
      simd::kernels(execution.level.value_or(execution::default_level()));
  if (many(rows))
    return map_reduce(
        {0, (rows.values() + kChunkRows - 1) / kChunkRows, 1}, std::vector<BlockSum>(blocks.size()),
        [&](std::vector<BlockSum>& sums, std::size_t chunk) {
          const std::size_t first = chunk * kChunkRows;
          add_rows(rows, period, first, std::min(rows.values(), first + kChunkRows), blocks,
                   kernels, sums);
        },
        [](std::vector<BlockSum>& total, std::vector<BlockSum>&& part) {
          for (std::size_t b = 0; b < total.size(); ++b)
            for (std::size_t k = 0; k < kBlock; ++k) {
              total[b].real[k].merge(part[b].real[k]);
              total[b].imaginary[k].merge(part[b].imaginary[k]);
            }
        },
        silent(execution));
  std::vector<BlockSum> sums(blocks.size());
  const std::size_t groups = (blocks.size() + kGroup - 1) / kGroup;
  execution::detail::run_chunks(groups, static_cast<double>(groups), silent(execution),
                                [&](const execution::Worker&, std::size_t group) {
                                  const std::size_t first = group * kGroup;
                                  const std::size_t size = std::min(kGroup, blocks.size() - first);
                                  add_rows(rows, period, 0, rows.values(),
                                           blocks.subspan(first, size), kernels,
                                           std::span(sums).subspan(first, size));
                                });
  return sums;
}

}  // namespace

Computed compute_nodes(const Rows& rows, const Spread& spread, double period,
                       std::span<const NodeRange> ranges, double worth,
                       const Execution& execution) {
  std::vector<std::uint64_t> blocks;
  for (const NodeRange& range : ranges)
    for (std::uint64_t first = range.first; first < range.last; first += kBlock)
      blocks.push_back(first);
  const auto n = static_cast<double>(rows.rows());
  Computed found;
  std::size_t in_range = 0;
  const std::size_t most = many(rows) ? kBatch : 256 * kBatch;
  for (std::size_t begin = 0; begin < blocks.size(); begin += most) {
    const auto batch = std::span<const std::uint64_t>(blocks).subspan(
        begin, std::min(most, blocks.size() - begin));
    if (execution.progress)
      execution.progress({static_cast<double>(begin), static_cast<double>(blocks.size())});
    const std::vector<BlockSum> sums = sum_batch(rows, period, batch, execution);
    for (std::size_t b = 0; b < batch.size(); ++b)
      for (std::size_t i = 0; i < kBlock; ++i) {
        const std::uint64_t number = batch[b] + i;
        while (number >= ranges[in_range].last && batch[b] >= ranges[in_range].last) ++in_range;
        if (number >= ranges[in_range].last) break;
        const auto k = static_cast<double>(number);
        // log(1 + z), without the 1.
        const double re = sums[b].real[i].value() / n;
        const double im = sums[b].imaginary[i].value() / n;
        const double square = std::max(-1.0, 2 * re + re * re + im * im);  // |phi|^2 - 1
        const double size = n / 2 * std::log1p(square);
        const double angle = n * std::atan2(im, 1 + re);
        const double u = 2 * std::numbers::pi * k / period;
        const double doubt =
            kRounding * n *
            (u * spread.absolute +
             std::min(2.0, u * u * (spread.variance + spread.mean * spread.mean) / 2));
        const double modulus = std::sqrt(1 + square);
        const double value = std::exp(size);
        // d(phi^n) <= n |phi|^(n - 1) |d phi|, at most as large as |phi| + |d phi| allows.
        const double relative =
            (doubt / std::max(modulus, 1e-300)) + 0x1p-50 * (1 + std::abs(angle));
        const double error = std::min(2.0, value * std::expm1(std::min(700.0, relative)));
        found.harmonic += error / k;
        found.plain += value + error;
        if (value >= worth * k)
          found.nodes.push_back({number, std::polar(value, angle)});
        else
          found.harmonic += value / k;
      }
  }
  return found;
}

}  // namespace bootfold::exact
