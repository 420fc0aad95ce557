#include "ensemble/fingerprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "bootfold/error.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/input_rows.h"
#include "ensemble/ranges.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

// CRC-64 of ECMA-182, as in the xz format. A word is a polynomial over GF(2) whose highest bit
// stands for x^0. The checksum of two parts is that of the first times a power of x, plus that of
// the second; so parts are read side by side, by several chains of look-ups and by several threads.
constexpr std::uint64_t kPolynomial = 0xC96C5795D7870F42;
constexpr std::size_t kWord = 8;  // bytes

constexpr std::uint64_t times_x(std::uint64_t a) {
  return (a >> 1) ^ ((a & 1) != 0 ? kPolynomial : 0);
}

/// kTables[i][b]: the checksum of byte b and i zeros behind it.
constexpr auto kTables = [] {
  std::array<std::array<std::uint64_t, 256>, kWord> tables{};
  for (std::uint64_t b = 0; b < 256; ++b) {
    tables[0][b] = b;
    for (int bit = 0; bit < 8; ++bit) tables[0][b] = times_x(tables[0][b]);
  }
  for (std::size_t i = 1; i < kWord; ++i)
    for (std::size_t b = 0; b < 256; ++b)
      tables[i][b] = (tables[i - 1][b] >> 8) ^ tables[0][tables[i - 1][b] & 0xFF];
  return tables;
}();

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (; a != 0; a <<= 1, b = times_x(b))
    if ((a >> 63) != 0) sum ^= b;
  return sum;
}

/// x^(64 words): what `words` words behind it multiply a checksum by.
std::uint64_t shift_of(std::size_t words) {
  std::uint64_t power = std::uint64_t{1} << 63;  // x^0
  std::uint64_t square = kPolynomial;            // x^64
  for (; words != 0; words >>= 1, square = product(square, square))
    if ((words & 1) != 0) power = product(power, square);
  return power;
}

std::uint64_t with_word(std::uint64_t checksum, double value) {
  const std::uint64_t word = checksum ^ std::bit_cast<std::uint64_t>(value);
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < kWord; ++i) next ^= kTables[kWord - 1 - i][(word >> (8 * i)) & 0xFF];
  return next;
}

/// The checksum of values, from 0 and not inverted.
std::uint64_t checksum_of(const double* values, std::size_t count) {
  constexpr std::size_t kChains = 4;
  const std::size_t each = count / kChains;
  std::uint64_t chains[kChains] = {};
  for (std::size_t i = 0; i < each; ++i)
    for (std::size_t k = 0; k < kChains; ++k)
      chains[k] = with_word(chains[k], values[k * each + i]);
  const std::uint64_t shift = shift_of(each);
  std::uint64_t checksum = chains[0];
  for (std::size_t k = 1; k < kChains; ++k) checksum = product(shift, checksum) ^ chains[k];
  for (std::size_t i = kChains * each; i < count; ++i) checksum = with_word(checksum, values[i]);
  return checksum;
}

/// The checksum of rows first .. last - 1, row by row.
std::uint64_t checksum_of_rows(const DataView& inputs, std::size_t first, std::size_t last) {
  const std::size_t columns = inputs.columns();
  std::vector<double> tile((last - first) * columns);
  std::vector<double> column(last - first);
  for (std::size_t c = 0; c < columns; ++c) {
    inputs.column(c).read(first, column);
    for (std::size_t row = 0; row < column.size(); ++row)
      tile[row * columns + c] = column[row] + 0.0;  // -0 is 0
  }
  return checksum_of(tile.data(), tile.size());
}

}  // namespace

void Fingerprint::add(const DataView& inputs, const Execution& execution) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::size_t kTileValues = std::size_t{1} << 14;  // they stay in the cache
  const std::size_t columns = std::max<std::size_t>(inputs.columns(), 1);
  const std::size_t each = std::clamp<std::size_t>(kTileValues / columns, 16, 4096);
  std::vector<std::uint64_t> parts((inputs.rows() + each - 1) / each);
  for_each_range(inputs.rows(), each, inputs.rows() * columns, execution,
                 [&](std::size_t first, std::size_t last) {
                   parts[first / each] = checksum_of_rows(inputs, first, last);
                 });
  const std::uint64_t shift = shift_of(each * inputs.columns());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t rows = std::min(each, inputs.rows() - i * each);
    checksum_ =
        product(rows == each ? shift : shift_of(rows * inputs.columns()), checksum_) ^ parts[i];
  }
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
