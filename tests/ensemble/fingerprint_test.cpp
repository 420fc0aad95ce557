// The fingerprint of rows is CRC-64 of ECMA-182, as older models have it.
#include "ensemble/fingerprint.h"

#include <gtest/gtest.h>

#include <boost/crc.hpp>
#include <vector>

#include "bootfold/random.h"

namespace bootfold::ensemble {
namespace fingerprint_test {

using Crc =
    boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~std::uintmax_t{0}, ~std::uintmax_t{0}, true, true>;

std::vector<std::vector<double>> columns_of(std::size_t rows, std::size_t columns) {
  random::Stream stream({.seed = 9});
  std::vector<std::vector<double>> made(columns, std::vector<double>(rows));
  for (auto& column : made)
    for (double& value : column) value = random::normal(stream);
  return made;
}

std::uint64_t expected(const std::vector<std::vector<double>>& columns) {
  Crc crc;
  for (std::size_t row = 0; row < columns[0].size(); ++row)
    for (const auto& column : columns) crc.process_bytes(&column[row], sizeof(double));
  return crc.checksum();
}

DataView view_of(const std::vector<std::vector<double>>& columns) {
  return std::vector<ColumnView>(columns.begin(), columns.end());
}

TEST(Fingerprint, IsTheChecksumOfTheRows) {
  for (const std::size_t rows : {1U, 2U, 3U, 16U, 17U, 4095U, 4096U, 4097U, 9000U})
    for (const std::size_t columns : {1U, 3U, 5U}) {
      const auto made = columns_of(rows, columns);
      for (const auto level : execution::available_levels()) {
        Fingerprint fingerprint;
        fingerprint.add(view_of(made), {.threads = 1, .level = level});
        EXPECT_EQ(fingerprint.value(), expected(made))
            << rows << " rows, " << columns << ", " << execution::name(level);
      }
    }
}

TEST(Fingerprint, OfManyColumnsOnThreads) {
  const auto made = columns_of(1500, 800);  // more than a million values
  for (const unsigned threads : {1U, 3U}) {
    Fingerprint fingerprint;
    fingerprint.add(view_of(made), {.threads = threads});
    EXPECT_EQ(fingerprint.value(), expected(made));
  }
}

TEST(Fingerprint, DoesNotDependOnHowRowsAreCut) {
  const auto made = columns_of(10'000, 2);
  const DataView all = view_of(made);
  Fingerprint fingerprint;
  for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, 1},
                                    {1, 777},
                                    {777, 777},
                                    {777, 6000},
                                    {6000, 10'000}})
    fingerprint.add(DataView(
        {all.column(0).slice(first, last - first), all.column(1).slice(first, last - first)}));
  EXPECT_EQ(fingerprint.value(), fingerprint_of(all));
}

TEST(Fingerprint, ZeroHasNoSign) {
  EXPECT_EQ(fingerprint_of(view_of({{0.0, 1.0}})), fingerprint_of(view_of({{-0.0, 1.0}})));
  EXPECT_NE(fingerprint_of(view_of({{0.0, 1.0}})), fingerprint_of(view_of({{1.0, 0.0}})));
}

}  // namespace fingerprint_test
}  // namespace bootfold::ensemble
