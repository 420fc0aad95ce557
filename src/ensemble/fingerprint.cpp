#include "ensemble/fingerprint.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "bootfold/error.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/input_rows.h"
#include "ensemble/ranges.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

// CRC-64 of ECMA-182, as in the xz format. A word is a polynomial over GF(2) whose highest bit
// stands for x^0; the checksum of words w is the sum of w x^(64 (1 + number of words behind it)).
// So each column has a sum of its own, by Horner's scheme, and the rows need not be put together.
constexpr std::uint64_t kPolynomial = 0xC96C5795D7870F42;  // x^64
constexpr std::size_t kWordBits = 64;
constexpr std::uint64_t kOne = std::uint64_t{1} << (kWordBits - 1);
constexpr std::uint64_t kOverX = (kPolynomial ^ kOne) << 1 | 1;  // x^-1

constexpr std::uint64_t times_x(std::uint64_t a) {
  return (a >> 1) ^ ((a & 1) != 0 ? kPolynomial : 0);
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (; a != 0; a <<= 1, b = times_x(b))
    if ((a >> (kWordBits - 1)) != 0) sum ^= b;
  return sum;
}

static_assert(times_x(kOverX) == kOne);

/// Whether the processor multiplies polynomials, for which a level does not ask.
bool multiplies_polynomials() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_supports("pclmul") != 0;
#else
  return true;  // the kernel is null if not
#endif
}

/// x^(64 words): what `words` words behind it multiply a checksum by.
std::uint64_t shift_of(std::size_t words) {
  std::uint64_t power = kOne;
  std::uint64_t square = kPolynomial;
  for (; words != 0; words >>= 1, square = product(square, square))
    if ((words & 1) != 0) power = product(power, square);
  return power;
}

}  // namespace

RowChecksum::RowChecksum(std::size_t columns, execution::Level level)
    : products_(multiplies_polynomials() ? simd::kernels(level).columns.checksum : nullptr),
      sums_(columns) {
  const std::uint64_t row = shift_of(columns);
  std::uint64_t of_bit[kWordBits];
  std::uint64_t power = products_ != nullptr ? kPolynomial : row;
  for (std::size_t bit = kWordBits; bit-- > 0; power = times_x(power)) of_bit[bit] = power;
  for (std::size_t i = 0; i < tables_.size(); ++i)
    for (std::size_t b = 1; b < tables_[i].size(); ++b)
      tables_[i][b] =
          tables_[i][b & (b - 1)] ^ of_bit[8 * i + static_cast<std::size_t>(std::countr_zero(b))];
  if (products_ == nullptr) return;
  // The product of two words has 127 bits, of which the lowest stands for x^126: in 128 bits it is
  // that of the polynomials, times x.
  factors_.back() = kOverX;
  for (std::size_t i = kFactors - 1; i-- > 0;) factors_[i] = product(row, factors_[i + 1]);
}

std::uint64_t RowChecksum::shifted(std::uint64_t sum) const {
  std::uint64_t product = 0;
  for (std::size_t byte = 0; byte < tables_.size(); ++byte)
    product ^= tables_[byte][(sum >> (8 * byte)) & 0xFF];
  return product;
}

void RowChecksum::add(std::size_t column, std::span<const double> values) {
  std::uint64_t own = sums_[column];
  if (products_ == nullptr) {
    for (const double value : values)
      own = std::bit_cast<std::uint64_t>(value + 0.0) ^ shifted(own);  // -0 is 0
    values = {};
  }
  while (!values.empty()) {
    const std::size_t some = std::min(values.size(), kFactors - 1);
    std::uint64_t sum[2];
    products_(values.data(), some, &factors_[kFactors - 1 - some], own, sum);
    own = sum[1] ^ shifted(sum[0]);
    values = values.subspan(some);
  }
  sums_[column] = own;
}

void RowChecksum::add(std::size_t first, std::size_t last, const std::span<double>* tile) {
  if (products_ != nullptr) {
    for (std::size_t c = first; c < last; ++c) add(c, tile[c - first]);
    return;
  }
  std::uint64_t sums[kTogether] = {};
  std::copy(sums_.begin() + static_cast<std::ptrdiff_t>(first),
            sums_.begin() + static_cast<std::ptrdiff_t>(last), sums);
  for (std::size_t i = 0; i < tile[0].size(); ++i)
    for (std::size_t k = 0; k < kTogether; ++k)
      sums[k] = std::bit_cast<std::uint64_t>(tile[k][i] + 0.0) ^ shifted(sums[k]);  // -0 is 0
  std::copy(sums, sums + (last - first), sums_.begin() + static_cast<std::ptrdiff_t>(first));
}

std::uint64_t RowChecksum::value() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t own : sums_) sum = product(kPolynomial, sum) ^ own;
  return product(kPolynomial, sum);
}

void Fingerprint::add(const DataView& rows, const Execution& execution) {
  RowChecksum sum(rows.columns(), execution.level.value_or(execution::default_level()));
  for_each_tile_of<RowChecksum::kTogether>(
      rows, execution,
      [&](std::size_t first, std::size_t last, std::size_t, const std::span<double>* tile) {
        sum.add(first, last, tile);
      });
  add(sum, rows.rows());
}

void Fingerprint::add(const RowChecksum& sum, std::size_t rows) {
  checksum_ = product(shift_of(rows * sum.columns()), checksum_) ^ sum.value();
}

std::uint64_t fingerprint_of(const DataView& rows) {
  Fingerprint fingerprint;
  fingerprint.add(rows);
  return fingerprint.value();
}

std::uint64_t fingerprint_of(const Examples& examples) {
  Fingerprint fingerprint;
  for_each_chunk(examples, [&](std::size_t, const DataView& rows) { fingerprint.add(rows); });
  return fingerprint.value();
}

std::uint64_t fingerprint_of_answers(const Examples& examples, bool weights) {
  Fingerprint fingerprint;
  for_each_chunk(examples, [&](std::size_t, const DataView& rows) { fingerprint.add(rows); });
  if (examples.classes != nullptr) {
    const std::vector<double> codes(examples.classes->codes.begin(), examples.classes->codes.end());
    fingerprint.add(DataView(codes));
  } else {
    fingerprint.add(examples.targets);
  }
  if (weights && examples.weights) fingerprint.add(DataView({*examples.weights}));
  return fingerprint.value();
}

void check_training_rows(const Ensemble::Frame& frame, std::uint64_t fingerprint,
                         const Examples& examples) {
  if (examples.rows() != frame.rows)
    throw InvalidArgument(text::concat("there are ", examples.rows(),
                                       " rows but the ensemble was trained on ", frame.rows,
                                       "; give the same rows in the same order"));
  check_columns(frame, examples.columns());
  if (fingerprint_of(examples) != fingerprint)
    throw InvalidArgument(
        "the number of rows is that of the training, but the inputs or their order differ; give "
        "the same rows in the same order");
}

void check_training_rows(const Ensemble& ensemble, const Examples& examples) {
  check_training_rows(ensemble.frame(), EnsembleAccess::fingerprint(ensemble), examples);
}

}  // namespace bootfold::ensemble
