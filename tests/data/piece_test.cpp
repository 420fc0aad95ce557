// Pieces of files that follow each other have every row once, with its label.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "source_rows.h"
#include "temp_file.h"

namespace bootfold::data {
namespace piece_test {

using testing_data::message_of;
using testing_data::npy_file;
using testing_data::says;
using testing_data::TempFile;

/// The first column, and the first label, of each row.
using Labelled = std::vector<std::pair<double, std::string>>;

void add_rows(const Table& table, Labelled& rows) {
  ASSERT_EQ(table.labels().rows(), table.view().rows());
  for (std::size_t row = 0; row < table.view().rows(); ++row)
    rows.emplace_back(table.view().column(0)[row], table.labels().names[table.labels().codes[row]]);
}

void expect_all_rows(const std::vector<std::string>& files, const ReadOptions& options) {
  const Table whole = read(files, options);
  Labelled wanted;
  add_rows(whole, wanted);
  for (const std::uint64_t pieces : {1, 2, 3, 7, 40}) {
    SCOPED_TRACE(pieces);
    Labelled found;
    std::size_t omitted = 0;
    std::size_t filtered = 0;
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      const std::optional<Table> some = read_piece(files, options, piece, pieces);
      ASSERT_TRUE(some.has_value());
      EXPECT_EQ(some->names(), whole.names());
      add_rows(*some, found);
      omitted += some->omitted();
      filtered += some->filtered();
    }
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(omitted, whole.omitted());
    EXPECT_EQ(filtered, whole.filtered());
  }
}

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i * i % 89);
  return values;
}

TEST(Piece, OfArraysHasRowsAndLabels) {
  const TempFile a("a.npy", npy_file("<f8", "(20, 3)", numbers(60)));
  const TempFile empty("empty.npy", npy_file("<f8", "(0, 3)", std::vector<double>()));
  const TempFile b("b.npy", npy_file("<f8", "(7, 3)", numbers(21)));
  expect_all_rows({a.path()}, {.columns = {"2"}, .labels = {"3"}});
  expect_all_rows({a.path()}, {.columns = {"2"}, .labels = {"3"}, .where = "`1` > 30"});
  expect_all_rows({a.path(), empty.path(), b.path()}, {.columns = {"2"}, .labels = {"1"}});
}

TEST(Piece, OfParquetFilesHasTheTextsOfItsRowGroups) {
  const std::string folder = std::string(BOOTFOLD_TEST_DATA) + "/data/parquet/";
  try {
    (void)read(folder + "flights.parquet", {.columns = {"n"}});
  } catch (const DataError& error) {
    GTEST_SKIP() << error.what();
  }
  expect_all_rows({folder + "flights.parquet"}, {.columns = {"n"}, .labels = {"carrier"}});
  expect_all_rows({folder + "more.parquet", folder + "empty.parquet", folder + "flights.parquet"},
                  {.columns = {"n"}, .labels = {"carrier"}});
}

TEST(Piece, OfTextFilesDoesNotExist) {
  const TempFile csv("x.csv", "x,g\n1,a\n2,b\n");
  const ReadOptions options{.columns = {"x"}, .labels = {"g"}};
  EXPECT_FALSE(read_piece({csv.path()}, options, 0, 2).has_value());
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)read_piece({csv.path()}, {}, 2, 2); }),
                   "piece is 2 of 2"));
}

// Shards may be empty; otherwise that is an error.
TEST(Read, TakesFilesWithoutRowsIfTheyMayBeEmpty) {
  const TempFile csv("x.csv", "x,g\n");
  const TempFile npy("x.npy", npy_file("<f8", "(0, 2)", std::vector<double>()));
  const auto rows_of = [](const std::vector<std::string>& files, const ReadOptions& options) {
    const Table table = read(files, options);
    EXPECT_EQ(table.labels().rows(), 0U);
    return table.view().rows();
  };
  ReadOptions options{.columns = {"x"}, .labels = {"g"}};
  EXPECT_THROW((void)read(csv.path(), options), DataError);
  options.may_be_empty = true;
  EXPECT_EQ(rows_of({csv.path()}, options), 0U);
  EXPECT_EQ(rows_of({csv.path(), csv.path()}, options), 0U);
  EXPECT_EQ(rows_of({npy.path()}, {.columns = {"1"}, .labels = {"2"}, .may_be_empty = true}), 0U);
}

}  // namespace piece_test
}  // namespace bootfold::data
