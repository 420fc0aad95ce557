#include "study/column_look.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "study/content_hash.h"
#include "study/fixed_point.h"
#include "study/tile.h"
#include "study/two_values.h"
#include "text/concat.h"

namespace bootfold::study {

namespace {

/// The exponent of the lowest bit of a finite number other than 0.
int lowest_bit_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto biased = static_cast<int>(bits >> 52 & 2047U);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased != 0) mantissa |= std::uint64_t{1} << 52;
  return std::max(biased, 1) - 1075 + std::countr_zero(mantissa);
}

/// 0 if all are finite, otherwise NaN.
double poison_of(std::span<const double> values) {
  double poison = 0;
  for (const double x : values) poison += x * 0;
  return poison;
}

void keep_first(std::optional<BadValue>& bad, const std::optional<BadValue>& other) {
  if (!other) return;
  if (!bad || other->row < bad->row || (other->row == bad->row && other->column < bad->column))
    bad = other;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

std::uint64_t sample_row(std::size_t i, std::size_t size, std::uint64_t rows) noexcept {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(i) * rows / size);
}

void ValuesLook::see(std::span<const double> values, std::span<const std::uint64_t> keys) {
  double low = min;
  double high = max;
  std::uint64_t above = 0;
  for (const double x : values) {
    low = x < low ? x : low;
    high = x > high ? x : high;
    above += x > 0 ? 1 : 0;
  }
  positive += above;
  sample.add(values, keys);
  min = low + 0.0;  // 0 has one sign, whatever came first
  max = high + 0.0;
  if (lowest_bit == kNotWhole) return;
  for (const double x : values)
    if (x != 0 && std::isfinite(x)) lowest_bit = std::min(lowest_bit, lowest_bit_of(x));
  forget_low_bits();
}

void ValuesLook::see(double value, std::uint64_t times, bool sampled) {
  if (times == 0) return;
  min = std::min(min, value) + 0.0;
  max = std::max(max, value) + 0.0;
  if (value > 0) positive += times;
  if (sampled) sample.add(value, times);
  if (lowest_bit == kNotWhole) return;
  if (value != 0) lowest_bit = std::min(lowest_bit, lowest_bit_of(value));
  forget_low_bits();
}

// As the range only grows with more rows, it does not matter when this is noticed. Whatever the
// centre of the values will be, half of the range lies on one side of it.
void ValuesLook::forget_low_bits() {
  if (lowest_bit == kNoBits || lowest_bit == kNotWhole || min >= max) return;
  const double half = max / 2 - min / 2;
  if (!std::isfinite(half) || lowest_bit < unit_of(half, kLimbDigits)) lowest_bit = kNotWhole;
}

void ValuesLook::merge(const ValuesLook& other) {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  lowest_bit = std::min(lowest_bit, other.lowest_bit);
  forget_low_bits();
  positive += other.positive;
  sample.merge(other.sample);
}

bool ValuesLook::operator==(const ValuesLook& other) const {
  return same_bits(min, other.min) && same_bits(max, other.max) && lowest_bit == other.lowest_bit &&
         positive == other.positive && sample == other.sample;
}

ColumnsLook::ColumnsLook(std::size_t columns, const Features& features, std::size_t most_distinct)
    : columns_(columns),
      filled_(features.filled()),
      multiplied_(features.product_columns()),
      distinct_(multiplied_.size() + filled_.size(), most_distinct) {}

/// Looks at one tile after the other, with the memory that this takes.
class ColumnsLook::Reader {
 public:
  Reader(const DataView& piece, std::uint64_t first, const Features& features)
      : first_(first),
        features_(features),
        tile_rows_(feature_tile_rows(features.filled())),
        reader_(piece, tile_rows_),
        filled_(features.filled() * tile_rows_),
        keys_(tile_rows_) {}

  void see(ColumnsLook& look, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t row = from; row < to; row += tile_rows_)
      see_tile(look,
               reader_.read(row - first_, static_cast<std::size_t>(
                                              std::min<std::uint64_t>(tile_rows_, to - row))),
               row);
  }

 private:
  void see_tile(ColumnsLook& look, const statistic::Tile& tile, std::uint64_t row) {
    auto next = look.multiplied_.begin();
    std::optional<TwoValues> alone;  // of the last column that products multiply
    for (std::size_t c = 0; c < look.columns_.size(); ++c) {
      const std::span<const double> values = tile.column(c);
      const std::optional<TwoValues> two = TwoValues::find(values);
      const std::span<const std::uint64_t> keys = two ? keys_of(values, *two) : keys_of(values);
      const bool multiplied = next != look.multiplied_.end() && *next == c;
      if (multiplied) ++next;
      const bool sampled = multiplied || look.is_ordered(c);
      look.fingerprint_ += content_hash(keys, c, row);
      if (multiplied) alone = two;
      if (two) {
        for (const TwoValues::Value& one : two->values)
          look.columns_[c].see(one.value, one.times, sampled);
        continue;
      }
      look.columns_[c].see(values, sampled ? keys : std::span<const std::uint64_t>());
      if (poison_of(values) == 0) continue;
      const auto bad =
          std::find_if_not(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
      keep_first(look.bad_,
                 BadValue{row + static_cast<std::uint64_t>(bad - values.begin()), c, *bad});
    }
    features_.fill(tile, filled_.data(), tile_rows_);
    for (std::size_t f = 0; f < look.filled_.size(); ++f) {
      const std::span<const double> values(filled_.data() + f * tile_rows_, tile.rows);
      look.filled_[f].see(values, keys_of(values));
      if (poison_of(values) != 0) look.filled_finite_ = false;
    }
    if (look.distinct_.closed()) return;
    if (alone && look.distinct_.width() == 1) {
      for (const TwoValues::Value& one : alone->values)
        look.distinct_.add(one.value, one.times, row + one.first);
      return;
    }
    std::vector<const double*> columns;
    for (const std::uint32_t c : look.multiplied_) columns.push_back(tile.columns[c]);
    for (std::size_t f = 0; f < look.filled_.size(); ++f)
      columns.push_back(filled_.data() + f * tile_rows_);
    look.distinct_.add({columns, tile.rows}, row);
  }

  std::span<const std::uint64_t> keys_of(std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) keys_[i] = ValueSample::key_of(values[i]);
    return std::span(keys_).first(values.size());
  }

  std::span<const std::uint64_t> keys_of(std::span<const double> values, const TwoValues& two) {
    const double one = two.values[0].value;
    const std::uint64_t key = ValueSample::key_of(one);
    const std::uint64_t other = ValueSample::key_of(two.values[1].value);
    for (std::size_t i = 0; i < values.size(); ++i) keys_[i] = values[i] == one ? key : other;
    return std::span(keys_).first(values.size());
  }

  std::uint64_t first_;
  const Features& features_;
  std::size_t tile_rows_;
  TileReader reader_;
  std::vector<double> filled_;
  std::vector<std::uint64_t> keys_;
};

void ColumnsLook::see(const DataView& piece, std::uint64_t first, const Features& features,
                      std::size_t room, const Execution& execution) {
  const std::uint64_t last = first + piece.rows();
  seen_.merge(RowRanges({first, last}));
  const std::uint64_t first_chunk = first / kChunkRows;
  const std::uint64_t chunks = first == last ? 0 : (last - 1) / kChunkRows + 1 - first_chunk;
  for (std::size_t i = 0; i < ordered_.size(); ++i) {
    Execution counting = execution;
    counting.threads = static_cast<unsigned>(std::clamp<std::size_t>(
        room / KeyHistogram::kThreadBytes, 1, execution::thread_count(execution)));
    keys_[i].see(piece.column(ordered_[i]), counting);
  }
  if (chunks <= 1) {
    if (execution.stop.stop_requested()) throw Cancelled();
    Reader(piece, first, features).see(*this, first, last);
    return;
  }
  // Once one chunk has too many distinct rows, the others need not count theirs.
  std::atomic<bool> closed = distinct_.closed();
  IndexRange range{0, static_cast<std::size_t>(chunks), 1};
  const std::size_t bytes = (columns_.size() + filled_.size()) * sizeof(ValuesLook) +
                            (multiplied_.size() + filled_.size()) * ValueSample::kBytes +
                            (closed ? 0 : distinct_.most_bytes());
  const unsigned threads = execution::thread_count(execution);
  range.under_way = std::clamp<std::size_t>(room / bytes, threads, 4 * std::size_t{threads} + 1);
  ColumnsLook nothing(columns_.size(), features, distinct_.most());
  nothing.ordered_ = ordered_;
  merge_values(map_reduce(
      range, nothing,
      [&](ColumnsLook& look, std::size_t chunk) {
        if (closed) look.distinct_.close();
        Reader(piece, first, features)
            .see(look, std::max(first, (first_chunk + chunk) * kChunkRows),
                 std::min(last, (first_chunk + chunk + 1) * kChunkRows));
        if (look.distinct_.closed()) closed = true;
      },
      [&](ColumnsLook& all, ColumnsLook&& part) {
        all.merge_values(part);
        if (all.distinct_.closed()) closed = true;
      },
      Execution{execution.threads, execution.level, execution.stop, {}}));
}

void ColumnsLook::count_keys(const std::vector<std::uint32_t>& columns) {
  ordered_ = columns;
  keys_.assign(columns.size(), KeyHistogram());
}

bool ColumnsLook::counts_all_rows() const {
  const std::uint64_t rows = seen_.count();
  if (bad_ && !seen_.contains(bad_->row)) return false;
  if (!distinct_.counts_all(rows)) return false;
  for (const KeyHistogram& keys : keys_)
    if (keys.range() != KeyRange() || !keys.counts_all(rows)) return false;
  // Without a bad value there are a smallest and a largest one, and all others lie between them.
  const auto between = [](const ValuesLook& look, const std::vector<double>& values) {
    return std::ranges::all_of(values, [&](double x) { return x >= look.min && x <= look.max; });
  };
  const auto suits = [&](const ValuesLook& look, bool finite, bool sampled) {
    if (look.positive > rows || (sampled && !look.sample.suits(rows))) return false;
    return !finite || rows == 0 ||
           (std::isfinite(look.min) && std::isfinite(look.max) && look.min <= look.max &&
            between(look, look.sample.values().values));
  };
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool multiplied = std::ranges::binary_search(multiplied_, static_cast<std::uint32_t>(c));
    if (!suits(columns_[c], !bad_, multiplied || is_ordered(c))) return false;
  }
  for (const ValuesLook& look : filled_)
    if (!suits(look, filled_finite_, true)) return false;
  const DistinctRows distinct = distinct_.rows();
  for (std::size_t i = 0; i < distinct.columns.size(); ++i) {
    const bool multiplied = i < multiplied_.size();
    const ValuesLook& look =
        multiplied ? columns_[multiplied_[i]] : filled_[i - multiplied_.size()];
    if ((multiplied ? !bad_ : filled_finite_) && !between(look, distinct.columns[i])) return false;
  }
  return true;
}

bool ColumnsLook::is_ordered(std::size_t column) const {
  return std::find(ordered_.begin(), ordered_.end(), column) != ordered_.end();
}

const KeyHistogram* ColumnsLook::keys(std::uint32_t column) const {
  for (std::size_t i = 0; i < keys_.size(); ++i)
    if (ordered_[i] == column) return &keys_[i];
  return nullptr;
}

void ColumnsLook::merge_values(const ColumnsLook& other) {
  keep_first(bad_, other.bad_);
  fingerprint_ += other.fingerprint_;
  filled_finite_ = filled_finite_ && other.filled_finite_;
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].merge(other.columns_[c]);
  for (std::size_t f = 0; f < filled_.size(); ++f) filled_[f].merge(other.filled_[f]);
  distinct_.merge(other.distinct_);
  for (std::size_t i = 0; i < keys_.size() && i < other.keys_.size(); ++i)
    keys_[i].merge(other.keys_[i]);
}

void ColumnsLook::shift(std::uint64_t rows) {
  seen_.shift(rows);  // throws
  if (bad_) bad_->row += rows;
  fingerprint_ *= content_shift(rows);
  distinct_.shift(rows);
}

ColumnsLook& ColumnsLook::operator|=(const ColumnsLook& other) {
  if (other.columns_.size() != columns_.size() || other.filled_.size() != filled_.size() ||
      other.multiplied_ != multiplied_ || other.ordered_ != ordered_ ||
      other.distinct_.most() != distinct_.most())
    throw InvalidArgument(text::concat("the looks are about ", columns_.size(), " and ",
                                       other.columns_.size(), " columns, and ", filled_.size(),
                                       " and ", other.filled_.size(),
                                       " features; only looks for the same statistics at the same "
                                       "columns can be merged"));
  seen_.merge(other.seen_);
  merge_values(other);
  return *this;
}

bool ColumnsLook::operator==(const ColumnsLook& other) const {
  const auto same_bad = [](const BadValue& a, const BadValue& b) {
    return a.row == b.row && a.column == b.column && same_bits(a.value, b.value);
  };
  return seen_ == other.seen_ && fingerprint_ == other.fingerprint_ && columns_ == other.columns_ &&
         filled_ == other.filled_ && filled_finite_ == other.filled_finite_ &&
         bad_.has_value() == other.bad_.has_value() && (!bad_ || same_bad(*bad_, *other.bad_)) &&
         distinct_ == other.distinct_;
}

}  // namespace bootfold::study
