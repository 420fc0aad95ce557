#include "bootfold/repeated.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::data {

namespace {

/// The row after the last copy of each row.
using Ends = std::vector<std::uint64_t>;

constexpr double kMostRows = 0x1p40;

Ends ends_of(std::span<const double> frequencies, std::size_t rows) {
  if (frequencies.size() != rows)
    throw InvalidArgument(text::concat("there are ", text::grouped(frequencies.size()),
                                       " frequencies but ", text::grouped(rows),
                                       " rows; every row needs one"));
  Ends ends;
  double total = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const double frequency = frequencies[row];
    if (!(frequency >= 0) || frequency != std::floor(frequency) || std::isinf(frequency))
      throw InvalidArgument(
          text::concat("frequency of row ", text::grouped(row + 1), " is ", frequency,
                       " but must be a whole number, 0 or more: the number of equal rows that it "
                       "stands for; weights may be any numbers"));
    total += frequency;
    if (total > kMostRows)
      throw InvalidArgument(text::concat("the frequencies add up to more than ",
                                         text::grouped(static_cast<std::uint64_t>(kMostRows)),
                                         " rows, which is the most that can be drawn from"));
    ends.push_back(static_cast<std::uint64_t>(total));
  }
  if (total == 0) throw InvalidArgument("all frequencies are 0 but at least one must be positive");
  return ends;
}

}  // namespace

/// A column whose rows are written out as they are read.
class RepeatedColumn final : public ColumnSource {
 public:
  RepeatedColumn(const ColumnView& column, const Ends& ends) : ends_(ends) {
    values_.resize(column.rows());
    column.read(0, values_);
  }

  [[nodiscard]] std::size_t rows() const noexcept override { return ends_.back(); }

  void read(std::size_t first, std::span<double> out) const noexcept override {
    auto row = static_cast<std::size_t>(std::ranges::upper_bound(ends_, first) - ends_.begin());
    for (std::size_t i = 0; i < out.size(); ++row) {
      const std::size_t end = std::min<std::uint64_t>(out.size(), ends_[row] - first);
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(i),
                out.begin() + static_cast<std::ptrdiff_t>(end), values_[row]);
      i = end;
    }
  }

 private:
  const Ends& ends_;
  std::vector<double> values_;
};

struct Repeated::Parts {
  Parts(const DataView& table, std::span<const double> frequencies)
      : ends(ends_of(frequencies, table.rows())) {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < table.columns(); ++c) {
      columns.push_back(std::make_unique<const RepeatedColumn>(table.column(c), ends));
      names.push_back(table.name(c));
    }
    std::vector<ColumnView> views;
    for (const auto& column : columns) views.emplace_back(*column);
    view = DataView(std::move(views), std::move(names));
  }

  Ends ends;
  std::vector<std::unique_ptr<const RepeatedColumn>> columns;
  DataView view;
};

Repeated::Repeated(const DataView& table, std::span<const double> frequencies)
    : parts_(std::make_shared<const Parts>(table, frequencies)) {}

std::uint64_t Repeated::rows() const noexcept { return parts_->ends.back(); }

const DataView& Repeated::view() const noexcept { return parts_->view; }

std::vector<std::uint32_t> Repeated::codes(std::span<const std::uint32_t> codes) const {
  if (codes.size() != parts_->ends.size())
    throw InvalidArgument(text::concat("there are ", text::grouped(codes.size()), " labels but ",
                                       text::grouped(parts_->ends.size()),
                                       " rows in the table; every row needs one"));
  std::vector<std::uint32_t> found;
  found.reserve(rows());
  for (std::size_t row = 0; row < codes.size(); ++row) found.resize(parts_->ends[row], codes[row]);
  return found;
}

}  // namespace bootfold::data
