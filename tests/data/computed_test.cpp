// Columns that are expressions of others: the same values from every kind of file, whole or in
// chunks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "bootfold/tables.h"
#include "source_rows.h"
#include "temp_file.h"

namespace bootfold::data {
namespace computed_test {

using testing_data::message_of;
using testing_data::npy_file;
using testing_data::Rows;
using testing_data::rows_of;
using testing_data::says;
using testing_data::TempFile;

constexpr const char* kFile =
    "price,carrier,delay,unit price,a-b\n1,UA,5,2,7\n2,AA,NA,4,8\n4,UA,-1,8,9\n8,,3,16,10\n";

/// The columns by read(), and the same by open() in chunks and by Tables.
Rows columns(const TempFile& file, const ReadOptions& options) {
  const Table table = read(file.path(), options);
  Rows found;
  for (std::size_t c = 0; c < table.view().columns(); ++c) {
    found.emplace_back(table.view().rows());
    table.view().column(c).read(0, found.back());
  }
  EXPECT_EQ(table.names(), options.columns);
  for (const std::size_t bytes : {8, 24, 1000}) {
    const auto source = open(file.path(), options, bytes);
    EXPECT_EQ(source->names(), options.columns);
    EXPECT_EQ(rows_of(*source), found);
    Rows pieces(found.size());
    const Tables tables({file.path()}, options, bytes);
    const auto pass = tables.open();
    while (const auto piece = pass->next())
      for (std::size_t c = 0; c < pieces.size(); ++c)
        for (std::size_t row = 0; row < piece->view().rows(); ++row)
          pieces[c].push_back(piece->view().column(c)[row]);
    EXPECT_EQ(pieces, found);
  }
  return found;
}

TEST(Computed, ANumberInBackticksIsAColumnThatIsCalledByIt) {
  const TempFile file("x.csv", kFile);
  const auto names = [&](const std::vector<std::string>& wanted) {
    const Table table = read(file.path(), {.columns = wanted});
    const auto source = open(file.path(), {.columns = wanted});
    EXPECT_EQ(source->names(), table.names());
    EXPECT_EQ(table.view().column(0)[2], 8);
    return table.names();
  };
  EXPECT_EQ(names({"`4`"}), std::vector<std::string>{"4"});
  EXPECT_EQ(names({"4"}), std::vector<std::string>{"unit price"});
  EXPECT_EQ(names({"`unit price`"}), std::vector<std::string>{"unit price"});
  EXPECT_EQ(names({"`4` + 0"}), std::vector<std::string>{"`4` + 0"});
  EXPECT_EQ(names({"`4`", "unit price"}), (std::vector<std::string>{"4", "unit price"}));
  // A column of this name goes first.
  const TempFile named("named.csv", "a,1\n5,6\n7,8\n");
  const auto first = [&](const std::string& column) {
    return read(named.path(), {.columns = {column}, .header = true}).view().column(0)[0];
  };
  EXPECT_EQ(first("`1`"), 6);
  EXPECT_EQ(first("`1` * 2"), 12);
  // Without a header columns are called by their numbers anyway.
  const TempFile bare("bare.csv", "5,6.5\n7,8.5\n");
  EXPECT_EQ(read(bare.path(), {.columns = {"`2`"}}).names(), std::vector<std::string>{"2"});
  EXPECT_TRUE(
      says(message_of<InvalidArgument>([&] { (void)read(file.path(), {.columns = {"`9`"}}); }),
           "has no column '9'", "unit price"));
}

TEST(Computed, AnUnfinishedExpressionIsMarkedAndAMisspelledNameIsCorrected) {
  const TempFile file("x.csv", kFile);
  const auto complaint = [&](const std::string& column) {
    return message_of<InvalidArgument>([&] { (void)read(file.path(), {.columns = {column}}); });
  };
  EXPECT_TRUE(says(complaint("price +"), "'price +'", "\n  price +\n"));
  EXPECT_TRUE(says(complaint("log(price"), "'log(price'", "\n  log(price\n"));
  EXPECT_TRUE(says(complaint("unit prise"), "has no column", "did you mean 'unit price'"));
}

TEST(Computed, ColumnsStandWhereTheyAreNamed) {
  const TempFile file("x.csv", kFile);
  EXPECT_EQ(columns(file, {.columns = {"log2(price)", "price", "`unit price` / price - 1"}}),
            (Rows{{0, 1, 2, 3}, {1, 2, 4, 8}, {1, 1, 1, 1}}));
  EXPECT_EQ(columns(file, {.columns = {"price", "carrier == 'UA'"}, .nan = NanPolicy::omit}),
            (Rows{{1, 2, 4}, {1, 0, 1}}));
  EXPECT_EQ(columns(file, {.columns = {"if(missing(delay), 0, delay)"}}), (Rows{{5, 0, -1, 3}}));
  EXPECT_EQ(columns(file, {.columns = {"delay > 0"}, .nan = NanPolicy::omit}), (Rows{{1, 0, 1}}));
  EXPECT_EQ(columns(file, {.columns = {"price > 1"}, .where = "price * 2 > 2 and price < 8"}),
            (Rows{{1, 1}}));
}

// A name of the file goes before what it could mean as an expression.
TEST(Computed, ColumnsOfTheFileGoFirst) {
  const TempFile file("x.csv", kFile);
  EXPECT_EQ(columns(file, {.columns = {"a-b"}}), (Rows{{7, 8, 9, 10}}));
}

TEST(Computed, ColumnsOfArrays) {
  const TempFile file("x.npy", npy_file<double>("<f8", "(3, 2)", {1, 10, 2, 20, 4, 40}));
  EXPECT_EQ(columns(file, {.columns = {"`2` / `1`", "2", "`1` >= 2"}}),
            (Rows{{10, 10, 10}, {10, 20, 40}, {0, 1, 1}}));
}

TEST(Computed, MissingAndUndefinedValuesAreTold) {
  const TempFile file("x.csv", kFile);
  const auto complaint = [&](const std::string& column) {
    return message_of<DataError>([&] { (void)read(file.path(), {.columns = {column}}); });
  };
  EXPECT_TRUE(
      says(complaint("delay + 1"), "x.csv:3:3", "'delay + 1' is missing or undefined", "nan=omit"));
  EXPECT_TRUE(says(complaint("sqrt(1 - price)"), "x.csv:3:1", "undefined", "nan=omit"));
  EXPECT_TRUE(says(complaint("log(price - 1)"), "x.csv:2:1", "is infinite", "where=CONDITION"));
  EXPECT_TRUE(says(complaint("carrier + 1"), "x.csv:2:2: 'UA' is not a number (column 'carrier')"));
  EXPECT_TRUE(says(
      message_of<InvalidArgument>([&] { (void)read(file.path(), {.columns = {"log(prise)"}}); }),
      "columns is 'log(prise)' but at character 5, 'prise': ",
      "x.csv has no column 'prise'; did you mean 'price'?", "\n  log(prise)\n      ^~~~~"));
}

}  // namespace computed_test
}  // namespace bootfold::data
