// Parquet files are read through Arrow C++, where the build has it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "source_rows.h"
#include "temp_file.h"

namespace bootfold::data {
namespace parquet_test {

using testing_data::contents_of;
using testing_data::message_of;
using testing_data::Rows;
using testing_data::rows_of;
using testing_data::says;
using testing_data::TempFile;
using Paths = std::vector<std::string>;

/// A file of tests/data/make_parquet.py.
std::string file_of(const std::string& name) {
  return std::string(BOOTFOLD_TEST_DATA) + "/data/parquet/" + name;
}

class Parquet : public testing::Test {
 protected:
  void SetUp() override {
    try {
      (void)open(file_of("types.parquet"), {.columns = {"int8"}});
    } catch (const DataError& error) {
      ASSERT_TRUE(says(error.what(), "types.parquet", "built without Arrow C++", "BOOTFOLD_ARROW"));
      GTEST_SKIP() << error.what();
    }
  }
};

TEST_F(Parquet, EveryCutGivesTheSameRows) {
  for (const std::size_t rows : {1, 2, 7, 1000}) {
    const auto source = open(file_of("flights.parquet"), {.columns = {"n"}}, 8 * rows);
    EXPECT_EQ(source->names(), Paths{"n"});
    EXPECT_EQ(source->rows(), 10U);
    EXPECT_EQ(rows_of(*source), (Rows{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}));
    EXPECT_EQ(rows_of(*source), (Rows{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}));
    const auto chunk = source->open()->next();
    ASSERT_TRUE(chunk);
    EXPECT_EQ(chunk->view.column(0).type(), Type::int32);
  }
}

TEST_F(Parquet, KeepsEveryType) {
  const Table table = read(file_of("types.parquet"), {.all_but = Paths{}});
  ASSERT_EQ(table.view().columns(), 10U);
  for (std::size_t c = 0; c < 10; ++c) {
    EXPECT_EQ(name(table.view().column(c).type()), table.names()[c]);
    EXPECT_EQ(table.view().column(c)[2], 100);
  }
}

TEST_F(Parquet, NullsAreMissing) {
  const std::string path = file_of("flights.parquet");
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)read(path, {.columns = {"delay"}}); }),
                   "flights.parquet: row 4, column 'delay' is null or NaN; nan=omit"));
  for (const std::string column : {"delay", "seats", "late"}) {
    const Table table = read(path, {.columns = {column}, .nan = NanPolicy::omit});
    EXPECT_EQ(table.view().rows(), 9U);
    EXPECT_EQ(table.omitted_rows(), std::vector<std::size_t>{column == "seats" ? 2U : 3U});
    for (const std::size_t bytes : {8, 1000}) {
      const auto source = open(path, {.columns = {column}, .nan = NanPolicy::omit}, bytes);
      EXPECT_EQ(rows_of(*source)[0].size(), 9U);
      EXPECT_EQ(notes(*source).omitted, 1U);
    }
  }
}

TEST_F(Parquet, ReadsDecimalsAsDoubles) {
  const Rows rows = rows_of(*open(file_of("flights.parquet"), {.columns = {"fare"}}));
  ASSERT_EQ(rows[0].size(), 10U);
  for (std::size_t row = 0; row < 10; ++row)
    EXPECT_EQ(rows[0][row], 1.25 * static_cast<double>(row) - 2.5 * (row == 1 ? 1 : 0));
}

TEST_F(Parquet, ReadsLabelsAndTexts) {
  const Table table = read(file_of("flights.parquet"), {.columns = {"n"},
                                                        .labels = {"origin", "carrier"},
                                                        .texts = {"carrier"},
                                                        .nan = NanPolicy::omit});
  EXPECT_EQ(table.view().rows(), 9U);
  EXPECT_EQ(table.labels(0).names, (Paths{"EWR", "JFK", "LGA"}));
  EXPECT_EQ(table.labels(1).names, (Paths{"AA", "UA"}));
  EXPECT_EQ(table.labels(1).codes[1], 0U);
  EXPECT_EQ(table.texts().rows(), 10U);
  EXPECT_EQ(table.texts()[9], "AA");
}

TEST_F(Parquet, FiltersRows) {
  const auto rows = [&](const std::string& where) {
    for (const std::size_t bytes : {8, 1 << 20}) {
      const auto source =
          open(file_of("flights.parquet"), {.columns = {"n"}, .where = where}, bytes);
      const Rows found = rows_of(*source);
      const Table table = read(file_of("flights.parquet"), {.columns = {"n"}, .where = where});
      std::vector<double> values(table.view().rows());
      table.view().column(0).read(0, values);
      EXPECT_EQ(found[0], values);
      if (bytes > 8) return found[0];
    }
    return std::vector<double>{};
  };
  using Numbers = std::vector<double>;
  EXPECT_EQ(rows("origin == 'JFK' and delay > 0"), (Numbers{1, 6, 9}));
  EXPECT_EQ(rows("origin is missing or delay is missing"), (Numbers{4, 5}));
  EXPECT_EQ(rows("carrier in ('UA') and not late == true"), (Numbers{3, 8}));
  EXPECT_EQ(rows("seats >= 9"), (Numbers{1, 2, 10}));
  EXPECT_EQ(rows("day >= '2024-01-30'"), (Numbers{3, 4}));
  EXPECT_EQ(rows("fare == 2.5 or fare > 10"), (Numbers{3, 10}));
  EXPECT_EQ(rows("departure < '2024-03-01 00:00:01'"), (Numbers{1, 2}));
  EXPECT_EQ(rows("departure == '2024-03-01 00:00:00.5'"), (Numbers{2}));
  EXPECT_EQ(rows("departure == '2024-03-01'"), (Numbers{1}));  // at midnight
  EXPECT_EQ(rows("departure <= '2024-03-01'"), (Numbers{1}));
  const std::string path = file_of("flights.parquet");
  // The ways to write a moment are one moment: midnight is the date.
  EXPECT_EQ(rows("departure == '2024-03-01 00:00:00'"), (Numbers{1}));
  EXPECT_EQ(rows("departure <= '2024-03-01T00:00'"), (Numbers{1}));
  EXPECT_EQ(rows("departure in ('2024-03-01T00:00:00.500', '2024-03-01 00:00')"), (Numbers{1, 2}));
  EXPECT_EQ(rows("departure > '2024-03-01 00:00:00.50'").size(), 8U);
  EXPECT_EQ(rows("day >= '2024-01-30 00:00:00'"), (Numbers{3, 4}));
  for (const char* where : {"day >= '30.01.2024'", "day == '2024-1-30'", "day > '2024-02-30'",
                            "departure < '2024-03-01 24:00'", "departure < '2024-03'",
                            "day in ('2024-01-30', 'today')"})
    EXPECT_TRUE(says(
        message_of<InvalidArgument>([&] { (void)read(path, {.columns = {"n"}, .where = where}); }),
        "is of dates or times; compare it with '2024-01-28'", "^~~"))
        << where;
  EXPECT_TRUE(says(message_of<InvalidArgument>(
                       [&] { (void)read(path, {.columns = {"n"}, .where = "origin > 5"}); }),
                   "column 'origin'", "is text", "quotes", "^~~~~~"));
}

TEST_F(Parquet, SeveralFilesAreOne) {
  const Paths all = {file_of("flights.parquet"), file_of("empty.parquet"), file_of("more.parquet")};
  const ReadOptions options{.columns = {"seats"}, .nan = NanPolicy::omit};
  const auto source = open(all, options, 16);
  EXPECT_EQ(rows_of(*source)[0].size(), 11U);
  const Table table = read(all, {.columns = {"n"}, .labels = {"carrier"}});
  EXPECT_EQ(table.view().rows(), 13U);
  EXPECT_EQ(table.view().column(0).type(), Type::int32);
  EXPECT_EQ(table.labels().rows(), 13U);
  EXPECT_EQ(read(all, options).view().rows(), 11U);
  EXPECT_TRUE(says(message_of<DataError>([&] {
                     (void)open(Paths{all[2], file_of("other_type.parquet")}, {.columns = {"n"}});
                   }),
                   "column 'n' of ", "other_type.parquet is of type float64", "more.parquet",
                   "int32"));
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     (void)open(Paths{all[2], file_of("no_n.parquet")}, {.columns = {"n"}});
                   }),
                   "no_n.parquet has no column 'n'"));
  EXPECT_TRUE(says(message_of<DataError>(
                       [&] { (void)rows_of(*open(file_of("empty.parquet"), {.columns = {"n"}})); }),
                   "empty.parquet has no rows"));
}

TEST_F(Parquet, RefusesWhatIsNoNumber) {
  const std::string path = file_of("flights.parquet");
  const auto error = [&](const std::string& column) {
    return message_of<DataError>([&] { (void)read(path, {.columns = {column}}); });
  };
  EXPECT_TRUE(says(error("origin"), "column 'origin' of ", "is text; choose a column of numbers"));
  EXPECT_TRUE(says(error("day"), "column 'day' of ", "is a date; choose a column of numbers"));
  EXPECT_TRUE(says(error("stops"), "column 'stops' of ", "Arrow's type '+l'"));
  EXPECT_TRUE(says(message_of<InvalidArgument>(
                       [&] { (void)read(path, {.columns = {"n"}, .missing = Paths{"-"}}); }),
                   "missing is given, but in ", "are null"));
}

TEST_F(Parquet, DamagedFilesAreErrors) {
  const std::string contents = contents_of(file_of("flights.parquet"));
  const auto error = [](const std::string& bytes) {
    const TempFile file("x.parquet", bytes);
    return message_of<DataError>([&] { (void)read(file.path(), {.columns = {"delay"}}); });
  };
  EXPECT_TRUE(says(error(contents.substr(0, contents.size() / 2)), "cannot read ", "x.parquet"));
  EXPECT_TRUE(says(error(""), "cannot read ", "x.parquet"));
  EXPECT_TRUE(says(error("PAR1" + std::string(100, 'x') + "PAR1"), "cannot read ", "x.parquet"));
  std::string hole = contents;
  hole.replace(10, 600, std::string(600, '\xff'));
  EXPECT_TRUE(says(error(hole), "cannot read ", "x.parquet"));
}

TEST_F(Parquet, NoticesThatAFileChanged) {
  const TempFile file("x.parquet", contents_of(file_of("flights.parquet")));
  const auto source = open(file.path(), {.columns = {"n"}});
  EXPECT_EQ(rows_of(*source)[0].size(), 10U);
  file.write(contents_of(file_of("more.parquet")));
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)rows_of(*source); }), "x.parquet changed"));
}

}  // namespace parquet_test
}  // namespace bootfold::data
