// Products of matrices whose sums run over their terms in order, as those of a pack do.
//
// Included by the file of each instruction set behind its Vector.
#pragma once

#include <algorithm>

#include "ensemble/simd/kernels.h"
#include "ensemble/simd/tiles.h"

namespace bootfold::ensemble::simd {
namespace {

/// A matrix of single numbers: entry (row, term) is at row * row_stride + term * term_stride.
struct Factor {
  const float* first;
  std::size_t row_stride;
  std::size_t term_stride;
};

/// A matrix whose rows are read as vectors: entry (term, column) is at term * stride + column.
struct Columns {
  const float* first;
  std::size_t stride;
};

/// Terms of a sum that are taken together: so much of a panel stays in the first cache while all
/// rows go through it.
constexpr std::size_t kTermsTogether = 128;

/// Numbers of a factor that are taken together: so many stay in the second cache while all panels
/// go past them.
constexpr std::size_t kFactorTogether = 32 * 1024;

static_assert(kPanel * kLanes <= kMostPanel);

/// What sums start from, where they rest between groups of terms, and whether these are the last.
struct Resting {
  const float* start;  // [row]; null: 0
  float* sums;         // [row][column of the panel]; null: all terms are one group
  bool first;
  bool last;
};

/// finish(row, column, start[row] + sum over terms of factor(row, term) in(term, column)) for a
/// tile of kRows rows and kWide vectors of columns; or a part of it, which is left to rest.
template <std::size_t kRows, std::size_t kWide, class Finish>
BOOTFOLD_INLINE inline void multiply_tile(const Factor& factor, std::size_t terms,
                                          const Columns& in, const Resting& resting,
                                          Finish&& finish) {
  Vector sums[kRows * kWide];
  const auto each = [&](auto&& body) BOOTFOLD_INLINE {
    repeat<kRows>([&](auto r) BOOTFOLD_INLINE {
      repeat<kWide>([&](auto c) BOOTFOLD_INLINE { body(r, c); });
    });
  };
  if (!resting.first) {
    each([&](auto r, auto c) BOOTFOLD_INLINE {
      sums[r * kWide + c] = Vector::load(resting.sums + (r * kWide + c) * kLanes);
    });
  } else {
    repeat<kRows>([&](auto r) BOOTFOLD_INLINE {
      const Vector first =
          resting.start == nullptr ? Vector::zero() : Vector::all(resting.start[r]);
      repeat<kWide>([&](auto c) BOOTFOLD_INLINE { sums[r * kWide + c] = first; });
    });
  }
  const float* numbers = factor.first;
  const float* vectors = in.first;
#pragma GCC unroll 4
  for (std::size_t k = 0; k < terms; ++k) {
    Vector x[kWide];
    repeat<kWide>([&](auto c) BOOTFOLD_INLINE { x[c] = Vector::load(vectors + c * kLanes); });
    repeat<kRows>([&](auto r) BOOTFOLD_INLINE {
      const Vector number = Vector::all(numbers[r * factor.row_stride]);
      repeat<kWide>([&](auto c) BOOTFOLD_INLINE {
        sums[r * kWide + c] = fused(number, x[c], sums[r * kWide + c]);
      });
    });
    numbers += factor.term_stride;
    vectors += in.stride;
  }
  if (resting.last) {
    each([&](auto r, auto c) BOOTFOLD_INLINE { finish(r, c * kLanes, sums[r * kWide + c]); });
  } else {
    each([&](auto r, auto c) BOOTFOLD_INLINE {
      sums[r * kWide + c].store(resting.sums + (r * kWide + c) * kLanes);
    });
  }
}

/// A tile of sums that is finished: rows first row .. first row + rows - 1, vectors likewise.
struct Tile {
  std::size_t row;
  std::size_t rows;
  std::size_t column;
  std::size_t vectors;
};
struct Ignore {
  void operator()(const Tile&) const {}
};

/// multiply_tile for all rows of one panel of kWide vectors.
template <std::size_t kWide, class Finish, class Done>
BOOTFOLD_INLINE inline void multiply_panel(const Factor& factor, std::size_t rows,
                                           std::size_t terms, const Columns& in,
                                           const Resting& resting, Finish&& finish, Done&& done) {
  constexpr std::size_t kRows = kSums / kWide;
  const auto some = [&]<std::size_t kSome>(std::size_t first) BOOTFOLD_INLINE {
    Resting here = resting;
    if (here.start != nullptr) here.start += first;
    if (here.sums != nullptr) here.sums += first * kWide * kLanes;
    multiply_tile<kSome, kWide>(
        {factor.first + first * factor.row_stride, factor.row_stride, factor.term_stride}, terms,
        in, here, [&](std::size_t r, std::size_t c, Vector sum) BOOTFOLD_INLINE {
          finish(first + r, c, sum);
        });
    if (here.last) done(Tile{first, kSome, 0, kWide});
  };
  std::size_t r = 0;
  for (; r + kRows <= rows; r += kRows) some.template operator()<kRows>(r);
  if constexpr (kRows > 4)
    for (; r + 4 <= rows; r += 4) some.template operator()<4>(r);
  for (; r + 2 <= rows; r += 2) some.template operator()<2>(r);
  for (; r < rows; ++r) some.template operator()<1>(r);
}

/// finish(row, column, sum) for all rows and all columns, vector by vector; `columns` is a multiple
/// of the lanes. `sums` has room for `rows` times kPanel vectors, or is null. done(tile) follows
/// the vectors of each tile.
template <class Finish, class Done = Ignore>
BOOTFOLD_INLINE inline void multiply_all(const Factor& factor, std::size_t rows, std::size_t terms,
                                         const Columns& in, std::size_t columns, const float* start,
                                         float* sums, Finish&& finish, Done&& done = {}) {
  constexpr std::size_t kRows = kSums / kPanel;
  const std::size_t together = sums == nullptr ? terms : kTermsTogether;
  const std::size_t rows_together =
      std::max<std::size_t>(kFactorTogether / std::max<std::size_t>(terms, 1) / kRows, 4) * kRows;
  for (std::size_t from = 0; from < rows; from += rows_together) {
    const std::size_t some_rows = std::min(rows_together, rows - from);
    const float* factors = factor.first + from * factor.row_stride;
    const float* starts = start == nullptr ? nullptr : start + from;
    std::size_t c = 0;
    const auto panel = [&]<std::size_t kWide>() BOOTFOLD_INLINE {
      std::size_t k = 0;
      do {
        const std::size_t some = std::min(together, terms - k);
        multiply_panel<kWide>(
            {factors + k * factor.term_stride, factor.row_stride, factor.term_stride}, some_rows,
            some, {in.first + k * in.stride + c, in.stride},
            {starts, sums, k == 0, k + some == terms},
            [&](std::size_t r, std::size_t column, Vector sum)
                BOOTFOLD_INLINE { finish(from + r, c + column, sum); },
            [&](const Tile& tile) BOOTFOLD_INLINE {
              done(Tile{from + tile.row, tile.rows, c, tile.vectors});
            });
        k += some;
      } while (k < terms);
      c += kWide * kLanes;
    };
    while (c + kPanel * kLanes <= columns) panel.template operator()<kPanel>();
    while (c + 2 * kLanes <= columns) panel.template operator()<2>();
    while (c < columns) panel.template operator()<1>();
  }
}

/// The part of a product that one thread makes. Rows are split first: those of a layer's weights
/// then stay in the cache of one thread.
struct ProductPart {
  Part rows;
  Part columns;
};
inline ProductPart product_part(const Share& share, std::size_t rows, std::size_t columns) {
  constexpr std::size_t kRows = kSums / kPanel;
  std::size_t row_parts = share.threads;
  while (row_parts > 1 && (share.threads % row_parts != 0 || row_parts * kRows > rows + kRows - 1))
    --row_parts;
  return {part_of(rows, share.thread % row_parts, row_parts, kRows),
          part_of(columns, share.thread / row_parts, share.threads / row_parts, kPanel * kLanes)};
}

/// out[row][column] = start[row] + sum. One copy of the code for all products whose sums are kept.
__attribute__((noinline)) void multiply_into(const Factor& factor, std::size_t rows,
                                             std::size_t terms, const Columns& in,
                                             std::size_t columns, const float* start, float* sums,
                                             float* out, std::size_t out_stride) {
  multiply_all(factor, rows, terms, in, columns, start, sums,
               [&](std::size_t r, std::size_t c, Vector sum)
                   BOOTFOLD_INLINE { sum.store(out + r * out_stride + c); });
}

}  // namespace
}  // namespace bootfold::ensemble::simd
