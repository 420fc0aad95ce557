// The inner loops of features and their sums, once for each instruction set.
//
// A kernel works on plain memory, is noexcept, and gives the same bits at every level: sums are
// integers, and the few floating point operations are single IEEE operations in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bootfold/execution.h"
#include "random/simd/kernels.h"
#include "resample/simd/kernels.h"

namespace bootfold::study::simd {

using random::simd::LaneState;
using resample::simd::RowDraw;

/// Replicates whose dot products can share the loads of the planes.
inline constexpr std::size_t kDotReplicates = 4;

/// Rows whose weighted sums fit the lanes of a kernel: 128 weights of at most 2^25 fit 32 bits, and
/// their products with integers of 32 bits 64.
inline constexpr std::size_t kWeighedRows = 1024;
static_assert(std::uint64_t{128} * random::simd::kMostWeight < std::uint64_t{1} << 32);

/// Copies of a value that are written without asking how many are wanted.
inline constexpr std::size_t kRepeated = 4;

/// How a feature is rounded to integers: q = round((f - centre) * scale * rescale). Two factors
/// because one power of two cannot scale denormals up.
struct FixedPoint {
  double centre = 0;
  double scale = 1;
  double rescale = 1;
};

/// How sums of integers become means: centre + sum / rows * factor * refactor.
struct MeanScale {
  double centre = 0;
  double factor = 1;
  double refactor = 1;
};

struct Kernels {
  /// Rounds values to integers below 2^55.
  void (*quantize)(const double* values, std::size_t rows, const FixedPoint& point,
                   std::int64_t* integers) noexcept;

  /// Splits integers into `digits` signed base-256 digits, one plane each, lowest first.
  void (*split)(const std::int64_t* integers, std::size_t rows, std::size_t digits,
                std::int8_t* planes, std::size_t plane_stride) noexcept;

  /// sums[r * planes + p] += dot(counts of replicate r, plane p) and totals[r] += sum of its
  /// counts. `rows` is a multiple of 128, at most 65536; counts are at most 31. Counts of
  /// kDotReplicates replicates share the loads of the planes.
  void (*dot)(const std::uint8_t* counts, std::size_t count_stride, std::size_t replicates,
              const std::int8_t* planes, std::size_t plane_stride, std::size_t plane_count,
              std::size_t rows, std::int64_t* sums, std::uint64_t* totals) noexcept;

  /// Draws 16 row numbers a step and adds the rows' features: sums[f * 16 + lane]. In the last of
  /// `steps` (at most 128) only the first `last_lanes` draws count. A rejected draw adds nothing;
  /// step * 16 + lane is listed in `rejected` (room for all draws).
  void (*gather)(LaneState& lanes, const RowDraw& draw, std::size_t steps, std::size_t last_lanes,
                 const std::int64_t* features, std::size_t feature_stride,
                 std::size_t feature_count, std::int64_t* sums, std::uint32_t* rejected,
                 std::size_t& rejections) noexcept;

  /// Writes each value as often as its count says, in order; returns the end. Room for kRepeated
  /// values is needed behind it.
  double* (*repeat)(const double* values, const std::uint8_t* counts, std::size_t rows,
                    double* out) noexcept;

  /// The means of `rows` rows each from `count` sums of integers.
  void (*means)(const std::int64_t* sums, std::size_t count, double rows, const MeanScale& scale,
                double* means) noexcept;

  /// sums[f] = sum of weight * feature f over the rows, in eight lanes that are added up in a fixed
  /// order. `rows` is a multiple of 8.
  void (*weigh)(const double* weights, const double* features, std::size_t feature_stride,
                std::size_t feature_count, std::size_t rows, double* sums) noexcept;

  /// sums[f] += sum of weight * integer over the rows. `rows` is a multiple of 16, at most
  /// kWeighedRows; weights are at most kMostWeight, integers below 2^31 - 2^23 in size.
  void (*weigh_integers)(const std::uint32_t* weights, const std::int32_t* integers,
                         std::size_t stride, std::size_t count, std::size_t rows,
                         __int128* sums) noexcept;

  /// sums[m] += sum of the weights of the rows whose mask is ~0; the others have 0. As above.
  void (*weigh_masks)(const std::uint32_t* weights, const std::uint32_t* masks, std::size_t stride,
                      std::size_t count, std::size_t rows, std::uint64_t* sums) noexcept;

  /// The sum of a feature over blocks, modulo 2^64: running[i] is its sum over the first i of
  /// `rows` rows. Behind the last row comes the first; no block is longer than all rows.
  std::uint64_t (*sum_blocks)(const std::uint64_t* running, std::uint32_t rows,
                              const std::uint32_t* starts, const std::uint32_t* lengths,
                              std::size_t blocks) noexcept;
};

/// The kernels of a level; it must be available.
[[nodiscard]] const Kernels& kernels(execution::Level level) noexcept;

// One definition in each file of this folder; all but portable only where they are built.
extern const Kernels kPortable;
extern const Kernels kAvx2;
extern const Kernels kAvx512;
extern const Kernels kNeon;
extern const Kernels kDotprod;

}  // namespace bootfold::study::simd
