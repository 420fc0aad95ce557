// Slices of a source that follow each other have every row once, wherever it is cut.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "source_rows.h"
#include "temp_file.h"

namespace bootfold::data {
namespace slice_test {

using testing_data::message_of;
using testing_data::npy_file;
using testing_data::Rows;
using testing_data::rows_of;
using testing_data::says;
using testing_data::TempFile;

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i * i % 89);
  return values;
}

/// Rows of `pieces` slices, one after the other.
Rows joined(const Source& source, std::uint64_t pieces) {
  const std::uint64_t rows = source.stored_rows().value();
  Rows all(source.names().size());
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uint64_t begin = rows * i / pieces;
    const auto slice = source.slice(begin, rows * (i + 1) / pieces - begin);
    const Rows some = rows_of(*slice);
    EXPECT_EQ(some[0].size(), slice->rows().value_or(some[0].size()));
    for (std::size_t c = 0; c < all.size(); ++c)
      all[c].insert(all[c].end(), some[c].begin(), some[c].end());
  }
  return all;
}

void expect_same_rows(const Source& source) {
  for (const std::uint64_t pieces : {1, 2, 3, 4, 7, 100}) {
    SCOPED_TRACE(pieces);
    EXPECT_EQ(joined(source, pieces), rows_of(source));
  }
}

TEST(Slice, OfArraysHasTheRows) {
  const std::vector<double> x = numbers(60);
  for (const bool fortran : {false, true}) {
    const TempFile file("x.npy", npy_file("<f8", "(20, 3)", x, fortran));
    for (const std::size_t chunk : {8, 100, 100000}) {
      expect_same_rows(*open(file.path(), {.columns = {"2"}}, chunk));
      expect_same_rows(*open(file.path(), {.columns = {"3", "1", "2"}}, chunk));
    }
    expect_same_rows(*open(file.path(), {.columns = {"2"}, .where = "`1` > 30"}));
  }
  const TempFile raw("x.bin", std::string(reinterpret_cast<const char*>(x.data()), 60 * 8));
  expect_same_rows(*open_raw(raw.path(), {.columns = 4}, {.columns = {"1", "4"}}));
}

TEST(Slice, OfMemoryHasTheRows) {
  const std::vector<double> x = numbers(20);
  expect_same_rows(MemorySource(x, 3));
}

TEST(Slice, OfASliceHasTheRows) {
  const TempFile file("x.npy", npy_file("<f8", "(20,)", numbers(20)));
  const auto slice = open(file.path())->slice(3, 13);
  EXPECT_EQ(slice->stored_rows(), 13U);
  expect_same_rows(*slice);
}

TEST(Slice, CutsSeveralFiles) {
  const TempFile a("a.npy", npy_file("<f8", "(20,)", numbers(20)));
  const TempFile empty("empty.npy", npy_file("<f8", "(0,)", std::vector<double>()));
  const TempFile b("b.npy", npy_file("<f8", "(7,)", numbers(7)));
  const auto source = open(std::vector{a.path(), empty.path(), b.path(), empty.path()});
  EXPECT_EQ(source->stored_rows(), 27U);
  expect_same_rows(*source);
}

TEST(Slice, HasTheRowGroupsThatBeginThere) {
  const std::string folder = std::string(BOOTFOLD_TEST_DATA) + "/data/parquet/";
  std::unique_ptr<Source> source;
  try {
    source = open(folder + "flights.parquet", {.columns = {"n"}});
  } catch (const DataError& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_EQ(source->stored_rows(), 10U);  // groups of 4, 4 and 2
  expect_same_rows(*source);
  EXPECT_EQ(rows_of(*source->slice(1, 4)), (Rows{{5, 6, 7, 8}}));
  EXPECT_EQ(source->slice(1, 4)->rows(), 4U);
  EXPECT_EQ(rows_of(*source->slice(5, 3)), (Rows{{}}));
  expect_same_rows(*open(
      std::vector{folder + "more.parquet", folder + "empty.parquet", folder + "flights.parquet"},
      {.columns = {"n"}}));
  expect_same_rows(*open(folder + "flights.parquet",
                         {.columns = {"delay"}, .nan = NanPolicy::omit, .where = "n > 2"}));
}

TEST(Slice, NamesTheRowOfTheFileAndOfAllFiles) {
  std::vector<double> x = numbers(20);
  x[17] = std::numeric_limits<double>::quiet_NaN();
  const TempFile good("good.npy", npy_file("<f8", "(20,)", numbers(20)));
  const TempFile bad("bad.npy", npy_file("<f8", "(20,)", x));
  const auto error_of = [](const std::unique_ptr<Source>& slice) {
    return message_of<DataError>([&] { (void)rows_of(*slice); });
  };
  const std::string one = error_of(open(bad.path())->slice(15, 5));
  EXPECT_TRUE(says(one, bad.path() + ": row 18, column 1"));
  const auto both = open(std::vector{good.path(), bad.path()});
  for (const std::uint64_t first : {15, 20, 30})
    EXPECT_TRUE(says(error_of(both->slice(first, 40 - first)), "row 18, row 38 of all files"));
}

TEST(Slice, RefusesWhatCannotBeCut) {
  const TempFile csv("x.csv", "x\n1\n2\n");
  const auto text = open(csv.path());
  EXPECT_EQ(text->stored_rows(), std::nullopt);
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)text->slice(0, 1); }),
                   "only be read from its beginning", ".npy"));
  const TempFile file("x.npy", npy_file("<f8", "(7,)", numbers(7)));
  const auto source = open(file.path());
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)source->slice(5, 3); }), "rows 5 to 8",
                   "has 7 rows"));
}

}  // namespace slice_test
}  // namespace bootfold::data
