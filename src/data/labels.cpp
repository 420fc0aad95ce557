#include "bootfold/labels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "data/label_builder.h"
#include "data/label_order.h"
#include "data/number.h"
#include "data/shortest.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {
namespace {

[[noreturn]] void throw_too_many(const std::string& column, std::uint64_t most) {
  throw DataError(text::concat(
      column.empty() ? "the labels" : "column " + text::quoted(column), " hold more than ", most,
      " different labels, which is the limit; check that it is the right column"));
}

/// Labels from codes in any order.
Labels make(std::vector<std::uint32_t> codes, std::vector<std::string> names, std::string column) {
  const std::vector<std::uint32_t> order = label_order(names);
  std::vector<std::uint32_t> places(names.size());
  Labels labels{std::move(codes), {}, std::move(column)};
  labels.names.reserve(names.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    places[order[place]] = place;
    labels.names.push_back(std::move(names[order[place]]));
  }
  for (std::uint32_t& code : labels.codes) code = places[code];
  return labels;
}

/// Calls see(key, name) for every row: rows with equal keys have equal numbers, name() is its text.
template <class See>
void for_each_number(const ColumnView& column, See&& see) {
  constexpr std::size_t kTile = 1024;
  const Type type = column.type();
  const bool wide = type == Type::int64 || type == Type::uint64;
  std::array<double, kTile> values;
  std::array<std::int64_t, kTile> integers;
  for (std::size_t first = 0; first < column.rows(); first += kTile) {
    const std::size_t rows = std::min(kTile, column.rows() - first);
    if (wide)
      column.read_integers(first, std::span(integers).first(rows));
    else
      column.read(first, std::span(values).first(rows));
    for (std::size_t row = 0; row < rows; ++row) {
      if (wide) {
        const std::int64_t integer = integers[row];
        const auto bits = static_cast<std::uint64_t>(integer);
        see(bits, [&] { return type == Type::int64 ? shortest(integer) : shortest(bits); });
        continue;
      }
      const double value = values[row] + 0.0;  // -0 is 0
      if (!std::isfinite(value))
        throw DataError(text::concat("row ", first + row + 1, " (counted from 1) of the labels is ",
                                     std::isnan(value) ? "NaN" : "infinite",
                                     "; every row needs a label, so omit such rows"));
      see(std::bit_cast<std::uint64_t>(value), [&] {
        return type == Type::float32 ? shortest(static_cast<float>(value)) : shortest(value);
      });
    }
  }
}

template <class Text>
Labels from_texts(std::span<const Text> texts) {
  LabelBuilder builder("");
  builder.reserve(texts.size());
  for (const Text& text : texts) builder.add(text);
  return builder.finish();
}

/// The parts of labels of combinations, [part][name]; nothing of others.
std::vector<std::vector<std::string>> parts_of(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> parts;
  for (const std::string& name : names) {
    std::size_t part = 0;
    for (std::size_t begin = 0; begin <= name.size(); ++part) {
      const std::size_t end = std::min(name.find(kLabelParts, begin), name.size());
      if (part == parts.size() && &name == names.data()) parts.emplace_back();
      if (part == parts.size()) return {};
      parts[part].push_back(name.substr(begin, end - begin));
      begin = end + 1;
    }
    if (part != parts.size()) return {};
  }
  if (parts.size() < 2) parts.clear();
  return parts;
}

/// Combinations are sorted by their first parts, then by their second parts, and so on.
std::vector<std::uint32_t> order_by_parts(const std::vector<std::vector<std::string>>& parts) {
  std::vector<std::vector<std::uint32_t>> ranks;
  for (const std::vector<std::string>& part : parts) {
    std::vector<std::string> known = part;
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    const std::vector<std::uint32_t> order = label_order(known);
    std::vector<std::uint32_t> places(known.size());
    for (std::uint32_t place = 0; place < order.size(); ++place) places[order[place]] = place;
    ranks.emplace_back();
    for (const std::string& text : part)
      ranks.back().push_back(places[static_cast<std::size_t>(
          std::lower_bound(known.begin(), known.end(), text) - known.begin())]);
  }
  std::vector<std::uint32_t> order(parts[0].size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (const std::vector<std::uint32_t>& rank : ranks)
      if (rank[a] != rank[b]) return rank[a] < rank[b];
    return false;
  });
  return order;
}

}  // namespace

std::vector<std::uint32_t> label_order(const std::vector<std::string>& names) {
  if (const auto parts = parts_of(names); !parts.empty()) return order_by_parts(parts);
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<double> values(names.size());
  bool numbers = true;
  for (std::size_t i = 0; numbers && i < names.size(); ++i)
    numbers = parse_number(names[i], values[i]) && std::isfinite(values[i]);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (numbers && values[a] != values[b]) return values[a] < values[b];
    // Whole numbers that are one double differ in length or, equally long, in their bytes.
    if (numbers && names[a].size() != names[b].size())
      return (names[a].size() < names[b].size()) == (values[a] >= 0);
    return numbers && values[a] < 0 ? names[a] > names[b] : names[a] < names[b];
  });
  return order;
}

void LabelBuilder::add(std::string_view text) {
  if (last_ == nullptr || last_->first != text) {
    auto found = known_.find(text);
    if (found == known_.end()) {
      if (known_.size() >= most_) throw_too_many(column_, most_);
      found = known_.emplace(text, static_cast<std::uint32_t>(known_.size())).first;
    }
    last_ = &*found;  // nodes of an unordered_map stay where they are
  }
  codes_.push_back(last_->second);
}

Labels LabelBuilder::finish() {
  std::vector<std::string> names(known_.size());
  last_ = nullptr;
  while (!known_.empty()) {
    auto node = known_.extract(known_.begin());
    names[node.mapped()] = std::move(node.key());
  }
  return make(std::exchange(codes_, {}), std::move(names), column_);
}

std::optional<std::uint32_t> Labels::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - names.begin());
}

std::vector<std::uint64_t> Labels::counts() const {
  std::vector<std::uint64_t> counts(names.size());
  for (const std::uint32_t code : codes) ++counts[code];
  return counts;
}

Labels labels(std::span<const std::string> texts) { return from_texts(texts); }

Labels labels(std::span<const std::string_view> texts) { return from_texts(texts); }

Labels labels(std::span<const std::int64_t> numbers) {
  return labels(ColumnView(numbers.data(), Type::int64, numbers.size(), sizeof(std::int64_t)));
}

Labels labels(std::span<const std::int32_t> numbers) {
  return labels(ColumnView(numbers.data(), Type::int32, numbers.size(), sizeof(std::int32_t)));
}

Labels labels(const ColumnView& numbers) {
  std::vector<std::uint32_t> codes;
  codes.reserve(numbers.rows());
  std::vector<std::string> names;
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  std::uint64_t last = 0;
  for_each_number(numbers, [&](std::uint64_t key, const auto& name) {
    if (!codes.empty() && key == last) return codes.push_back(codes.back());
    last = key;
    const auto [found, fresh] = known.try_emplace(key, static_cast<std::uint32_t>(names.size()));
    if (fresh) {
      if (names.size() >= kMostLabels) throw_too_many("", kMostLabels);
      names.push_back(name());
    }
    codes.push_back(found->second);
  });
  return make(std::move(codes), std::move(names), "");
}

}  // namespace bootfold::data
