// exp(i k t) - 1 for neighbouring k by recurrence: z_(k+1) = z_k exp(i t) + z_1. Working with the
// difference from 1 keeps what matters: n log(phi) is of the order of 10 while phi is within 10 / n
// of 1. Every sixteen nodes sines are computed anew.
#include "exact/nodes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "exact/sum.h"

namespace bootfold::exact {

namespace {

constexpr std::size_t kBlock = 16;   // nodes from one sine
constexpr std::size_t kRun = 128;    // rows at a time
constexpr std::size_t kBatch = 256;  // blocks for one pass over the rows

// Bound on the relative error of a sum over rows, in units of the sum of the absolute values:
// sixteen steps of the recurrence with at most four roundings each, sines and angles (8), 32 additions
// in a lane, lanes and runs (8): 112, rounded up.
constexpr double kRounding = 128 * 0x1p-53;

struct BlockSum {
  std::array<Sum, kBlock> real;
  std::array<Sum, kBlock> imaginary;
};

/// Up to kRun rows and all that a block needs of them.
class Run {
 public:
  /// `turns`: u_1 v / (2 pi) of each row.
  Run(std::span<const double> turns, std::span<const double> weights) {
    size_ = turns.size();
    std::copy(turns.begin(), turns.end(), turns_.begin());
    std::copy(weights.begin(), weights.end(), weights_.begin());
    for (std::size_t i = 0; i < size_; ++i) {
      const double half = std::numbers::pi * (turns_[i] - std::nearbyint(turns_[i]));
      const double sine = std::sin(half);
      real1_[i] = -2 * sine * sine;
      imaginary1_[i] = 2 * sine * std::cos(half);
    }
  }

  void add_block(std::uint64_t first, BlockSum& sums) {
    if (first == 1) {
      real_ = real1_;
      imaginary_ = imaginary1_;
    } else {
      for (std::size_t i = 0; i < size_; ++i) {
        const double all = static_cast<double>(first) * turns_[i];
        const double half = std::numbers::pi * (all - std::nearbyint(all));
        const double sine = std::sin(half);
        real_[i] = -2 * sine * sine;
        imaginary_[i] = 2 * sine * std::cos(half);
      }
    }
    for (std::size_t k = 0; k < kBlock; ++k) step(k, sums);
  }

 private:
  // Rows beyond size_ have weight 0 and z = 0. Plain arrays in lanes, so that compilers vectorise.
  void step(std::size_t k, BlockSum& sums) {
    double real[4] = {};
    double imaginary[4] = {};
    for (std::size_t row = 0; row < kRun; row += 4)
      for (std::size_t lane = 0; lane < 4; ++lane) {
        const std::size_t i = row + lane;
        const double re = real_[i];
        const double im = imaginary_[i];
        real[lane] += weights_[i] * re;
        imaginary[lane] += weights_[i] * im;
        real_[i] = re + (re * real1_[i] - im * imaginary1_[i]) + real1_[i];
        imaginary_[i] = im + (re * imaginary1_[i] + im * real1_[i]) + imaginary1_[i];
      }
    sums.real[k].add((real[0] + real[1]) + (real[2] + real[3]));
    sums.imaginary[k].add((imaginary[0] + imaginary[1]) + (imaginary[2] + imaginary[3]));
  }

  std::size_t size_;
  std::array<double, kRun> turns_{};
  std::array<double, kRun> weights_{};
  std::array<double, kRun> real1_{};
  std::array<double, kRun> imaginary1_{};
  std::array<double, kRun> real_{};
  std::array<double, kRun> imaginary_{};
};

void add_rows(const Rows& rows, double period, std::size_t first, std::size_t last,
              std::span<const std::uint64_t> blocks, std::span<BlockSum> sums) {
  std::array<double, kRun> turns;
  rows.scan(first, last, [&](std::span<const double> v, std::span<const double> weights) {
    for (std::size_t at = 0; at < v.size(); at += kRun) {
      const std::size_t size = std::min(kRun, v.size() - at);
      for (std::size_t i = 0; i < size; ++i) turns[i] = v[at + i] / period;
      Run run({turns.data(), size}, weights.subspan(at, size));
      for (std::size_t b = 0; b < blocks.size(); ++b) run.add_block(blocks[b], sums[b]);
    }
  });
}

/// The sums over all rows for a batch of blocks: rows shared out where there are many, else blocks.
std::vector<BlockSum> sum_batch(const Rows& rows, double period,
                                std::span<const std::uint64_t> blocks, const Execution& execution) {
  const std::size_t chunks = (rows.values() + kChunkRows - 1) / kChunkRows;
  if (chunks >= 4)
    return map_reduce(
        {0, chunks, 1}, std::vector<BlockSum>(blocks.size()),
        [&](std::vector<BlockSum>& sums, std::size_t chunk) {
          const std::size_t first = chunk * kChunkRows;
          add_rows(rows, period, first, std::min(rows.values(), first + kChunkRows), blocks, sums);
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
  execution::run_chunks(blocks.size(), static_cast<double>(blocks.size()), silent(execution),
                        [&](const execution::Worker& worker, std::size_t b) {
                          worker.check();
                          add_rows(rows, period, 0, rows.values(), blocks.subspan(b, 1),
                                   std::span(sums).subspan(b, 1));
                        });
  return sums;
}

}  // namespace

std::vector<Node> compute_nodes(const Rows& rows, const Spread& spread, double period,
                                std::span<const NodeRange> ranges, const Execution& execution) {
  std::vector<std::uint64_t> blocks;
  for (const NodeRange& range : ranges)
    for (std::uint64_t first = range.first; first < range.last; first += kBlock)
      blocks.push_back(first);
  const auto n = static_cast<double>(rows.rows());
  std::vector<Node> nodes;
  std::size_t in_range = 0;
  for (std::size_t begin = 0; begin < blocks.size(); begin += kBatch) {
    const auto batch = std::span<const std::uint64_t>(blocks).subspan(
        begin, std::min(kBatch, blocks.size() - begin));
    if (execution.progress)
      execution.progress({static_cast<double>(begin), static_cast<double>(blocks.size())});
    const std::vector<BlockSum> sums = sum_batch(rows, period, batch, execution);
    for (std::size_t b = 0; b < batch.size(); ++b)
      for (std::size_t k = 0; k < kBlock; ++k) {
        const std::uint64_t number = batch[b] + k;
        while (number >= ranges[in_range].last && batch[b] >= ranges[in_range].last) ++in_range;
        if (number >= ranges[in_range].last) break;
        // log(1 + z), without the 1.
        const double re = sums[b].real[k].value() / n;
        const double im = sums[b].imaginary[k].value() / n;
        const double square = std::max(-1.0, 2 * re + re * re + im * im);  // |phi|^2 - 1
        const double size = n / 2 * std::log1p(square);
        const double angle = n * std::atan2(im, 1 + re);
        const double u = 2 * std::numbers::pi * static_cast<double>(number) / period;
        const double doubt = kRounding * n *
                             (u * spread.absolute +
                              std::min(2.0, u * u * (spread.variance + spread.mean * spread.mean) / 2));
        const double modulus = std::sqrt(1 + square);
        const double value = std::exp(size);
        // d(phi^n) <= n |phi|^(n - 1) |d phi|, at most as large as |phi| + |d phi| allows.
        const double relative = (doubt / std::max(modulus, 1e-300)) + 0x1p-50 * (1 + std::abs(angle));
        const double error = value * std::expm1(std::min(700.0, relative));
        nodes.push_back({number, std::polar(value, angle), std::min(error, 2.0)});
      }
  }
  return nodes;
}

}  // namespace bootfold::exact
