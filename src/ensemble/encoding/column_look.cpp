#include "ensemble/encoding/column_look.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bootfold/random.h"
#include "ensemble/encoding/calendar.h"
#include "ensemble/encoding/levels.h"
#include "text/concat.h"
#include "text/quantity.h"
#include "text/quoted.h"

namespace bootfold::ensemble {

double ColumnLook::code(std::string_view text, std::optional<double> truth) {
  if (const auto known = places_.find(text); known != places_.end())
    return text_code(known->second);
  if (texts_.size() == kMostTexts) return unknown_text_code(text);
  places_.emplace(text, static_cast<std::uint32_t>(texts_.size()));
  texts_.emplace_back(text);
  truths_.push_back(truth);
  text_rows_.push_back(0);
  return text_code(texts_.size() - 1);
}

void ColumnLook::add(double value) {
  ++seen_;
  if (std::isnan(value)) {
    missing_ = true;
    return;
  }
  ++rows_;
  const std::optional<std::uint64_t> text = text_of_code(value);
  const bool no_code = text && *text >= texts_.size() && texts_.size() < kMostTexts;
  if (!text || no_code) return add_number(value);
  if (*text >= texts_.size()) {
    words_ = true;
    ++other_rows_;
    return;
  }
  ++text_rows_[*text];
  if (truths_[*text])
    sample_.add(*truths_[*text], seen_ - 1);
  else
    words_ = true;
}

void ColumnLook::add_number(double value) {
  ++number_count_;
  sample_.add(value, seen_ - 1);
  beyond_truth_ = beyond_truth_ || (value != 0 && value != 1);
  if (declared_ == InputKind::date) {
    hours_ = hours_ || calendar_day(value).day_part != 0;
    return;
  }
  if (declared_ == InputKind::number) return;
  if (last_ != nullptr && last_->first == value) {  // neighbours are often equal
    ++last_->second;
    return;
  }
  const bool category = declared_ == InputKind::category || words_;
  if (full_ && !category) {
    ++other_rows_;
    return;
  }
  const auto known = number_rows_.find(value + 0.0);
  full_ = number_rows_.size() >= (category ? kMostTexts : kMostNumbers);
  if (known == number_rows_.end() && full_) {
    ++other_rows_;
    return;
  }
  last_ = &*number_rows_.try_emplace(value + 0.0, 0).first;
  ++last_->second;
}

InputKind ColumnLook::kind() const {
  if (declared_) return *declared_;
  const bool texts = std::ranges::any_of(text_rows_, [](std::uint64_t rows) { return rows > 0; });
  if (words_ || (texts && beyond_truth_)) return InputKind::category;
  return texts ? InputKind::boolean : InputKind::number;
}

bool ColumnLook::has_three_numbers() const {
  if (kind() != InputKind::number || sample_.values().empty()) return false;
  const auto [low, high] = std::ranges::minmax(sample_.values());
  return std::ranges::any_of(sample_.values(), [low = low, high = high](double value) {
    return low < value && value < high;
  });
}

void ColumnLook::encode_number(const EncodingOptions& options, std::size_t number,
                               const TreeTargets* targets, InputEncoding& found) const {
  const std::size_t bins = options.bins.value_or(0);
  const double share = options.winsorize.value_or(0);
  if (bins <= 1 && share <= 0 && options.periodic == 0) return;
  const std::vector<double> sorted = sample_.sorted();
  if (!has_three_values(sorted)) return;
  if (options.bin_edges == BinEdges::quantiles)
    found.bins = quantile_edges(sorted, bins);
  else if (bins > 1)
    found.bins = tree_edges(sample_.values(), sample_.rows(), *targets,
                            {.bins = bins, .least_rows = options.bin_rows});
  if (share > 0) found.limits = quantile_limits(sorted, share);
  random::Stream stream({.replicate = number, .purpose = random::Purpose::frequencies});
  for (std::size_t i = 0; i < options.periodic; ++i)
    found.periodic.push_back(options.periodic_scale * random::normal(stream));
}

InputEncoding ColumnLook::encoding(const EncodingOptions& options, std::size_t number,
                                   const TreeTargets* targets) const {
  InputEncoding found;
  if (kind() == InputKind::category) {
    found = category(options);
  } else {
    found.kind = kind();
    found.median = median_of(sample_.values());
    found.hours = hours_;
    if (found.kind == InputKind::number) encode_number(options, number, targets, found);
  }
  if (found.kind == InputKind::boolean) {
    found.levels = texts_;
    for (const std::optional<double>& truth : truths_) found.slots.push_back(truth == 1.0 ? 1 : 0);
  }
  found.missing = missing_;
  return found;
}

bool ColumnLook::has_dates() const {
  constexpr std::size_t kLooks = 100;
  const std::size_t looks = std::min(kLooks, texts_.size());
  return number_count_ == 0 && looks > 0 &&
         std::all_of(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(looks),
                     [](const std::string& text) { return parse_date(text).has_value(); });
}

InputEncoding ColumnLook::category(const EncodingOptions& options) const {
  InputEncoding found{.kind = InputKind::category};
  found.levels = texts_;
  std::vector<std::uint64_t> rows = text_rows_;
  std::vector<std::pair<double, std::uint64_t>> numbers(number_rows_.begin(), number_rows_.end());
  std::ranges::sort(numbers);
  for (const auto& [number, count] : numbers) {
    found.levels.push_back(level_name(number));
    rows.push_back(count);
  }
  // The most frequent levels have a column each, in the order of their names.
  std::vector<std::size_t> frequent;
  std::uint64_t rare = other_rows_;
  for (std::size_t l = 0; l < rows.size(); ++l) {
    if (rows[l] >= std::max<std::uint64_t>(1, options.rare_rows))
      frequent.push_back(l);
    else
      rare += rows[l];
  }
  const bool hashed = frequent.size() > options.levels;
  if (hashed) {
    std::ranges::sort(frequent, [&](std::size_t a, std::size_t b) {
      return rows[a] != rows[b] ? rows[a] > rows[b] : found.levels[a] < found.levels[b];
    });
    frequent.resize(options.levels);
  }
  std::ranges::sort(
      frequent, [&](std::size_t a, std::size_t b) { return found.levels[a] < found.levels[b]; });
  found.own = static_cast<std::uint32_t>(frequent.size());
  found.shared = static_cast<std::uint32_t>(hashed ? options.hashed : rare > 0 ? 1 : 0);
  found.slots.assign(rows.size(), InputEncoding::kNoColumn);
  for (std::size_t slot = 0; slot < frequent.size(); ++slot)
    found.slots[frequent[slot]] = static_cast<std::uint32_t>(slot);
  for (std::size_t l = 0; l < rows.size(); ++l)
    if (rows[l] > 0 && found.slots[l] == InputEncoding::kNoColumn)
      found.slots[l] =
          found.own + static_cast<std::uint32_t>(level_hash(found.levels[l]) % found.shared);
  return found;
}

std::string ColumnLook::note(const std::string& name, const EncodingOptions& options) const {
  if (kind() != InputKind::category) return {};
  const std::string column = text::concat("column ", text::quoted(name));
  if (!declared_ && 2 * number_count_ > rows_) {
    const auto text = std::ranges::find_if(text_rows_, [](std::uint64_t rows) { return rows > 0; });
    return text::concat(
        column, " is read as a category, because ", text::grouped(rows_ - number_count_),
        " of its ", text::grouped(rows_), " values are not numbers",
        text == text_rows_.end()
            ? std::string()
            : text::concat(
                  ", such as ",
                  text::quoted(texts_[static_cast<std::size_t>(text - text_rows_.begin())])));
  }
  if (category(options).own == 0)
    return text::concat(
        column, " has no level with ", options.rare_rows,
        " rows or more, so nothing can be learned from it; ",
        !declared_ && has_dates()
            ? text::concat("its values look like dates: give dates=", name, ", or leave it out")
            : std::string("leave it out"));
  return {};
}

}  // namespace bootfold::ensemble
