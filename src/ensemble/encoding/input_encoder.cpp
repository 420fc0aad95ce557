#include "ensemble/encoding/input_encoder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "ensemble/column_tiles.h"
#include "ensemble/encoding/calendar.h"
#include "ensemble/encoding/column_look.h"
#include "ensemble/encoding/levels.h"
#include "ensemble/ranges.h"
#include "ensemble/scaling.h"
#include "numeric/elementary.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double truth_of(const InputEncoding& input, double value) {
  const std::optional<std::uint64_t> text = text_of_code(value);
  if (!text) return value;
  return *text < input.slots.size() ? static_cast<double>(input.slots[*text]) : kMissing;
}

/// Whether all values are finite and none is text. Fast, because that is so nearly always.
bool all_are_numbers(const DataView& data, const Execution& execution) {
  std::atomic<bool> all = true;
  for_each_column_tile(data, execution,
                       [&](std::size_t, std::size_t, std::span<const double> tile) {
                         bool numbers = true;
                         for (const double value : tile) numbers &= std::abs(value) < kLeastText;
                         if (!numbers) all = false;
                       });
  return all;
}

/// How much of a bin is below a value: 0 to 1.
float share_of_bin(double low, double high, double value) {
  return static_cast<float>(std::clamp((value - low) / (high - low), 0.0, 1.0));
}

}  // namespace

double number_of_input(const Encoding& encoding, std::size_t input, double value) {
  if (encoding.empty()) return value;
  const InputEncoding& own = encoding.inputs[input];
  if (own.kind == InputKind::category) return kMissing;
  return own.kind == InputKind::boolean ? truth_of(own, value) : value;
}

InputEncoder::InputEncoder(const Encoding& encoding, const Scaling& scaling, std::size_t inputs)
    : encoding_(encoding),
      scaling_(scaling),
      columns_(encoding.columns(inputs)),
      numbers_(encoding.inputs.size()) {
  for (std::size_t c = 0; c < encoding.inputs.size(); ++c) {
    const InputEncoding& input = encoding.inputs[c];
    if (input.kind != InputKind::category) continue;
    for (std::size_t l = 0; l < input.levels.size(); ++l)
      if (const double number = level_number(input.levels[l]); !std::isnan(number))
        numbers_[c].emplace_back(number, l);
    std::ranges::sort(numbers_[c]);
  }
}

InputEncoder::InputEncoder(const Ensemble::Frame& frame)
    : InputEncoder(frame.encoding, frame.input_scaling, frame.inputs.size()) {}

void InputEncoder::encode(const DataView& data, std::size_t first, std::size_t rows,
                          float* out) const {
  if (encoding_.empty()) return static_cast<void>(read_rows(data, scaling_, first, rows, out));
  for (std::size_t c = 0; c < encoding_.inputs.size(); ++c) {
    switch (encoding_.inputs[c].kind) {
      case InputKind::number:
      case InputKind::boolean:
        encode_numbers(data.column(c), c, first, rows, out);
        break;
      case InputKind::category:
        encode_levels(data.column(c), c, first, rows, out);
        break;
      case InputKind::date:
        encode_dates(data.column(c), c, first, rows, out);
        break;
    }
    out += encoding_.inputs[c].columns();
  }
}

void InputEncoder::encode_numbers(const ColumnView& column, std::size_t input, std::size_t first,
                                  std::size_t rows, float* out) const {
  const InputEncoding& own = encoding_.inputs[input];
  const double mean = scaling_.mean[input];
  const double scale = scaling_.scale[input];
  const std::size_t last = own.columns() - 1;
  const std::size_t waves = own.periodic.size();
  const std::size_t sines = own.bins.empty() ? 1 : own.bins.size();
  for_each_tile(column, first, rows, [&](std::size_t row, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      float* const at = out + (row - first + i) * columns_;
      const double value = own.kind == InputKind::boolean ? truth_of(own, values[i]) : values[i];
      const bool missing = std::isnan(value);
      // A word that is neither true nor false is a value that is not known.
      const bool filled = missing && (encoding_.accepts_missing || !std::isnan(values[i]));
      const double number = limited(own, filled ? own.median : value);
      const double standardized = (number - mean) / scale;
      at[0] = static_cast<float>(standardized);
      for (std::size_t bin = 1; bin < own.bins.size(); ++bin)
        at[bin] = share_of_bin(own.bins[bin - 1], own.bins[bin], number);
      for (std::size_t wave = 0; wave < waves; ++wave) {
        const auto [sine, cosine] =
            numeric::sine_cosine_of_turns(own.periodic[wave] * standardized);
        at[sines + wave] = static_cast<float>(sine);
        at[sines + waves + wave] = static_cast<float>(cosine);
      }
      if (own.missing) at[last] = missing ? 1.0F : 0.0F;
    }
  });
}

std::uint32_t InputEncoder::slot(std::size_t input, double value, bool& known) const {
  const InputEncoding& own = encoding_.inputs[input];
  std::uint64_t hash = 0;
  if (const std::optional<std::uint64_t> text = text_of_code(value)) {
    if (*text < own.slots.size() && own.slots[*text] != InputEncoding::kNoColumn)
      return own.slots[*text];
    hash = *text >= kUnknownTexts      ? *text - kUnknownTexts
           : *text < own.levels.size() ? level_hash(own.levels[*text])
                                       : 0;
  } else {
    const auto& numbers = numbers_[input];
    const auto at =
        std::ranges::lower_bound(numbers, value, {}, &std::pair<double, std::size_t>::first);
    if (at != numbers.end() && at->first == value &&
        own.slots[at->second] != InputEncoding::kNoColumn)
      return own.slots[at->second];
    hash = level_hash(level_name(value));
  }
  known = own.levels.size() >= ColumnLook::kMostTexts;  // not all levels are listed
  if (own.shared == 0) return InputEncoding::kNoColumn;
  return own.own + static_cast<std::uint32_t>(hash % own.shared);
}

void InputEncoder::encode_levels(const ColumnView& column, std::size_t input, std::size_t first,
                                 std::size_t rows, float* out) const {
  const InputEncoding& own = encoding_.inputs[input];
  const std::size_t width = own.columns();
  for_each_tile(column, first, rows, [&](std::size_t row, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      float* const at = out + (row - first + i) * columns_;
      std::fill_n(at, width, 0.0F);
      if (std::isnan(values[i])) {
        if (own.missing) at[width - 1] = 1.0F;
        continue;
      }
      bool known = true;
      const std::uint32_t place = slot(input, values[i], known);
      if (place != InputEncoding::kNoColumn) at[place] = 1.0F;
    }
  });
}

void InputEncoder::encode_dates(const ColumnView& column, std::size_t input, std::size_t first,
                                std::size_t rows, float* out) const {
  const InputEncoding& own = encoding_.inputs[input];
  const std::size_t width = own.columns();
  constexpr std::size_t kMonth = 1;
  constexpr std::size_t kWeekday = kMonth + 12;
  constexpr std::size_t kHour = kWeekday + 7;
  for_each_tile(column, first, rows, [&](std::size_t row, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      float* const at = out + (row - first + i) * columns_;
      std::fill_n(at, width, 0.0F);
      const bool missing = std::isnan(values[i]);
      const double moment = missing ? own.median : values[i];
      at[0] = static_cast<float>((moment - scaling_.mean[input]) / scaling_.scale[input]);
      if (own.missing) at[width - 1] = missing ? 1.0F : 0.0F;
      if (missing) continue;  // no month and no weekday
      const CalendarDay day = calendar_day(moment);
      at[kMonth + day.month] = 1.0F;
      at[kWeekday + day.weekday] = 1.0F;
      if (!own.hours) continue;
      const auto [sine, cosine] = numeric::sine_cosine_of_turns(day.day_part);
      at[kHour] = static_cast<float>(sine);
      at[kHour + 1] = static_cast<float>(cosine);
    }
  });
}

bool InputEncoder::is_outside(const Range& range, std::size_t input, double value) const {
  if (encoding_.empty())  // NaN is outside
    return !(value >= range.low[input] && value <= range.high[input]);
  const InputEncoding& own = encoding_.inputs[input];
  if (std::isnan(value)) return !own.missing;
  if (own.kind == InputKind::category) {
    bool known = true;
    static_cast<void>(slot(input, value, known));
    return !known;
  }
  const double number = number_of_input(encoding_, input, value);
  return !(number >= range.low[input] && number <= range.high[input]);
}

void InputEncoder::check_and_encode(const DataView& data, std::size_t first,
                                    const Execution& execution, float* out) const {
  constexpr std::size_t kRowsAtOnce = 1024;
  if (!encoding_.empty()) check_inputs(encoding_, data, first, execution);
  std::atomic<bool> all = true;
  for_each_range(
      data.rows(), kRowsAtOnce, data.rows() * columns_, execution,
      [&](std::size_t begin, std::size_t end) {
        float* const to = out + begin * columns_;
        if (!encoding_.empty()) {
          encode(data, begin, end - begin, to);
          if (has_far({to, (end - begin) * columns_})) all = false;
        } else if (!read_rows(data, scaling_, begin, end - begin, to, kMostStandardized)) {
          all = false;
        }
      });
  if (all) return;
  check_inputs(encoding_, data, first, execution);
  check_reach(data, 0, data.rows(), first);
}

bool InputEncoder::has_far(std::span<const float> encoded) {
  bool far = false;
  for (const float value : encoded) far |= std::abs(value) > kMostStandardized;
  return far;
}

std::optional<FarValue> InputEncoder::find_far(const DataView& data, std::size_t first,
                                               std::size_t rows) const {
  std::optional<FarValue> found;
  for (std::size_t c = 0; c < data.columns(); ++c) {
    for_each_tile(data.column(c), first, rows, [&](std::size_t row, std::span<const double> tile) {
      for (std::size_t i = 0; i < tile.size(); ++i) {
        if (found && found->row <= row + i) return;
        double number = number_of_input(encoding_, c, tile[i]);
        if (!encoding_.empty()) number = limited(encoding_.inputs[c], number);
        const double standardized = (number - scaling_.mean[c]) / scaling_.scale[c];
        if (std::abs(standardized) > kMostStandardized)
          found = FarValue{row + i, c, tile[i], standardized};
      }
    });
  }
  return found;
}

void InputEncoder::check_reach(const DataView& data, std::size_t first, std::size_t rows,
                               std::size_t before) const {
  if (const std::optional<FarValue> far = find_far(data, first, rows))
    throw DataError(text::concat("column ", data.name(far->column), ", row ", before + far->row + 1,
                                 ": ", far_value_words(*far)));
}

std::string far_value_words(const FarValue& far) {
  return text::concat(far.value, " is ", far.standardized,
                      " when it is standardized as in the training, but networks take numbers of "
                      "size 1e30 or less; correct it, or remove such rows");
}

void check_inputs(const Encoding& encoding, const DataView& data, std::size_t first,
                  const Execution& execution) {
  if (all_are_numbers(data, execution)) return;
  for (std::size_t c = 0; c < data.columns(); ++c) {
    const InputKind kind = encoding.empty() ? InputKind::number : encoding.inputs[c].kind;
    const bool texts = kind == InputKind::category || kind == InputKind::boolean;
    const bool missing = !encoding.empty() && encoding.accepts_missing;
    for_each_tile(
        data.column(c), 0, data.rows(), [&](std::size_t row, std::span<const double> values) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (missing && std::isnan(values[i])) continue;
            if (!std::isfinite(values[i]))
              throw DataError(text::concat("column ", data.name(c), ", row ", first + row + i + 1,
                                           ": ", values[i], " is not finite; remove such rows"));
            if (!encoding.empty() && !texts && text_of_code(values[i]))
              throw DataError(text::concat("column ", data.name(c), ", row ", first + row + i + 1,
                                           ": text in a column of kind ", name(kind),
                                           "; learn the encoding from all training rows"));
          }
        });
  }
}

}  // namespace bootfold::ensemble
