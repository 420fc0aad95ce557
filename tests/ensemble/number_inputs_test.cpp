// One pass over numbers in memory gives the bits of the passes that tables of other kinds take.
#include "ensemble/training/number_inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "bootfold/random.h"
#include "ensemble/fingerprint.h"
#include "ensemble/prediction/range.h"
#include "ensemble/scaling.h"

namespace bootfold::ensemble {
namespace number_inputs_test {

template <class List>
bool same_bits(const List& a, const List& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

/// Columns whose numbers are usual, tiny, subnormal, huge, mostly zero, and constant.
std::vector<double> table(std::size_t rows, std::size_t columns) {
  random::Stream stream({.seed = 5});
  std::vector<double> values(rows * columns);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns; ++c) {
      double& value = values[row * columns + c];
      const double sizes[] = {1, 1e-200, 1e-305, 1e200, 1e280, 1};
      value = c % 7 == 6 ? 0.1 : sizes[c % 7 % 6] * random::normal(stream);
      if (c % 7 == 5 && random::uniform(stream) < 0.8) value = row % 2 == 0 ? 0.0 : -0.0;
    }
  return values;
}

void expect_same(const DataView& view, const Execution& execution) {
  const NumberInputs inputs(view, 3, execution);
  Means means(view.rows(), view.columns());
  means.add(view);
  Deviations deviations(view.rows(), means.mean());
  deviations.add(view);
  const Scaling scaling = deviations.scaling();
  EXPECT_TRUE(same_bits(inputs.scaling.mean, scaling.mean));
  EXPECT_TRUE(same_bits(inputs.scaling.scale, scaling.scale));
  std::vector<float> rows(view.rows() * view.columns());
  read_rows(view, scaling, 0, view.rows(), rows.data());
  ASSERT_EQ(inputs.values.size(), rows.size() + 3 * view.columns());
  EXPECT_EQ(std::memcmp(inputs.values.data(), rows.data(), rows.size() * sizeof(float)), 0);
  Range range = empty_range(view.columns());
  for (std::size_t c = 0; c < view.columns(); ++c) {
    std::vector<double> column(view.rows());
    view.column(c).read(0, column);
    widen(range, c, column);
  }
  EXPECT_TRUE(same_bits(inputs.range.low, range.low));
  EXPECT_TRUE(same_bits(inputs.range.high, range.high));
  EXPECT_EQ(inputs.fingerprint, fingerprint_of(view));
}

TEST(NumberInputs, AreThoseOfPassesOfTheirOwn) {
  for (const std::size_t rows : {1U, 7U, 8U, 255U, 256U, 257U, 1003U})
    for (const std::size_t columns : {1U, 8U, 16U, 17U, 41U}) {
      const std::vector<double> values = table(rows, columns);
      std::vector<ColumnView> across;
      for (std::size_t c = 0; c < columns; ++c)
        across.emplace_back(&values[c], data::Type::float64, rows, columns * sizeof(double));
      for (const auto level : execution::available_levels()) {
        SCOPED_TRACE(testing::Message()
                     << rows << " rows, " << columns << " columns, " << execution::name(level));
        expect_same(DataView(across), {.threads = 1, .level = level});
      }
    }
}

TEST(NumberInputs, OnThreadsAndOfFloats) {
  constexpr std::size_t kRows = 30'000;  // more than a million values
  std::vector<std::vector<float>> columns;
  const std::vector<double> values = table(kRows, 37);
  for (std::size_t c = 0; c < 37; ++c) {
    columns.emplace_back();
    for (std::size_t row = 0; row < kRows; ++row)
      columns[c].push_back(static_cast<float>(std::fmod(values[row * 37 + c], 100.0)));
  }
  for (const unsigned threads : {1U, 3U})
    expect_same(DataView(std::vector<ColumnView>(columns.begin(), columns.end())),
                {.threads = threads});
}

TEST(NumberInputs, KnowWhatIsNoNumber) {
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    std::vector<double> column(600, 1.0);
    EXPECT_TRUE(NumberInputs(DataView({ColumnView(column)}), 0, {.threads = 1}).all_numbers());
    column[599] = wrong;
    EXPECT_FALSE(NumberInputs(DataView({ColumnView(column)}), 0, {.threads = 1}).all_numbers())
        << wrong;
  }
}

}  // namespace number_inputs_test
}  // namespace bootfold::ensemble
