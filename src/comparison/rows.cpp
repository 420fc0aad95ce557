#include "comparison/rows.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::comparison {
namespace {

constexpr std::size_t kTile = 4096;
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

/// Where each row goes when the groups stand side by side, tile by tile.
class Placement {
 public:
  Placement(const data::Labels& labels, const std::vector<std::uint32_t>& places,
            std::vector<std::size_t> begins)
      : labels_(labels), places_(places), next_(std::move(begins)) {}

  /// For rows first .. first + rows - 1; tiles must come in order.
  std::span<const std::size_t> tile(std::size_t first, std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint32_t group = places_[labels_.codes[first + i]];
      targets_[i] = group == GroupedRows::kLeftOut ? kNowhere : next_[group]++;
    }
    return std::span(targets_).first(rows);
  }

 private:
  const data::Labels& labels_;
  const std::vector<std::uint32_t>& places_;
  std::vector<std::size_t> next_;
  std::array<std::size_t, kTile> targets_;
};

/// The first row of each group if the rows of every group are neighbours, else nothing.
std::vector<std::size_t> neighbours(const data::Labels& labels,
                                    const std::vector<std::uint32_t>& places, std::size_t groups) {
  std::vector<std::size_t> firsts(groups, kNowhere);
  std::uint32_t last = GroupedRows::kLeftOut;
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    const std::uint32_t group = places[labels.codes[row]];
    if (group == last) continue;
    last = group;
    if (group == GroupedRows::kLeftOut) continue;
    if (firsts[group] != kNowhere) return {};
    firsts[group] = row;
  }
  return firsts;
}

/// The row behind the last of all groups.
std::size_t end_of(const std::vector<std::size_t>& firsts,
                   const std::vector<std::uint64_t>& counts) {
  std::size_t end = 0;
  for (std::size_t group = 0; group < counts.size(); ++group)
    end = std::max(end, firsts[group] + counts[group]);
  return end;
}

/// float32 where it holds every value of `type`.
data::Type copied_type(data::Type type) {
  switch (type) {
    case data::Type::float32:
    case data::Type::int16:
    case data::Type::int8:
    case data::Type::uint16:
    case data::Type::uint8:
    case data::Type::boolean:
      return data::Type::float32;
    default:
      return data::Type::float64;
  }
}

template <class Number>
void scatter(std::span<const double> values, std::span<const std::size_t> targets, Number* out) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (targets[i] != kNowhere) out[targets[i]] = static_cast<Number>(values[i]);
}

}  // namespace

void check_labels(const data::Labels& labels, std::size_t rows) {
  if (rows != labels.rows())
    throw InvalidArgument(text::concat("there are ", text::grouped(labels.rows()), " labels for ",
                                       text::grouped(rows), " rows; give each row one label"));
  for (const std::uint32_t code : labels.codes)
    if (code >= labels.size())
      throw InvalidArgument(text::concat("a label has code ", code, " but there are ",
                                         labels.size(), " names; codes count from 0"));
}

GroupedRows::GroupedRows(const DataView& values, const data::Labels& labels,
                         std::vector<std::uint32_t> places,
                         const std::vector<std::uint64_t>& counts, bool together,
                         const std::stop_token& stop)
    : labels_(labels),
      places_(std::move(places)),
      rows_(std::accumulate(counts.begin(), counts.end(), std::size_t{0})) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < values.columns(); ++c) {
    names.push_back(values.name(c));
    columns_.push_back(values.column(c));
  }
  firsts_ = neighbours(labels, places_, counts.size());
  if (firsts_.empty() ||
      (together && end_of(firsts_, counts) - std::ranges::min(firsts_) != rows_)) {
    firsts_.resize(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), firsts_.begin(), std::size_t{0});
    for (ColumnView& column : columns_) {
      const data::Type type = copied_type(column.type());
      const std::size_t size = data::size_of(type);
      copies_.push_back(std::make_unique_for_overwrite<std::byte[]>(rows_ * size));
      column = ColumnView(copies_.back().get(), type, rows_, static_cast<std::ptrdiff_t>(size));
    }
    Placement placement(labels, places_, firsts_);
    std::array<double, kTile> tile;
    for (std::size_t first = 0; first < values.rows(); first += kTile) {
      if (stop.stop_requested()) throw Cancelled();
      const std::size_t size = std::min(kTile, values.rows() - first);
      const std::span<const std::size_t> targets = placement.tile(first, size);
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        values.column(c).read(first, std::span(tile).first(size));
        if (columns_[c].type() == data::Type::float32)
          scatter(std::span<const double>(tile).first(size), targets,
                  reinterpret_cast<float*>(copies_[c].get()));
        else
          scatter(std::span<const double>(tile).first(size), targets,
                  reinterpret_cast<double*>(copies_[c].get()));
      }
    }
  }
  first_ = std::ranges::min(firsts_);
  for (std::size_t group = 0; group < counts.size(); ++group) {
    std::vector<ColumnView> own;
    own.reserve(columns_.size());
    for (const ColumnView& column : columns_)
      own.push_back(column.slice(firsts_[group], counts[group]));
    views_.emplace_back(std::move(own), names);
  }
}

DataView columns_of(const DataView& values, std::span<const std::size_t> numbers) {
  std::vector<ColumnView> columns;
  std::vector<std::string> names;
  for (const std::size_t c : numbers) {
    columns.push_back(values.column(c));
    names.push_back(values.name(c));
  }
  return DataView(std::move(columns), std::move(names));
}

DataView named_columns(const DataView& values, const Statistic& statistic) {
  if (statistic.columns().empty()) return values;
  const std::size_t weights = statistic.weighted() ? 1 : 0;
  std::vector<std::size_t> own;
  for (const std::string& name : statistic.columns())
    if (const auto c = values.find(name, values.columns() - weights)) own.push_back(*c);
  if (own.size() < statistic.columns().size()) return values;
  if (statistic.weighted()) own.push_back(values.columns() - 1);
  return columns_of(values, own);
}

std::vector<ColumnView> GroupedRows::all() const {
  std::vector<ColumnView> all;
  all.reserve(columns_.size());
  for (const ColumnView& column : columns_) all.push_back(column.slice(first_, rows_));
  return all;
}

std::vector<std::uint16_t> GroupedRows::group_of_each() const {
  std::vector<std::uint16_t> groups(rows_);
  for (std::size_t group = 0; group < views_.size(); ++group)
    std::fill_n(groups.begin() + static_cast<std::ptrdiff_t>(firsts_[group] - first_),
                views_[group].rows(), static_cast<std::uint16_t>(group));
  return groups;
}

}  // namespace bootfold::comparison
