// Conditions on rows: what they mean, and what is said about those that mean nothing.
#include "data/where.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "source_rows.h"
#include "temp_file.h"

namespace bootfold::data {
namespace where_test {

using testing_data::message_of;
using testing_data::npy_file;
using testing_data::Rows;
using testing_data::rows_of;
using testing_data::says;
using testing_data::TempFile;

// n: 1 to 6; a value is missing in row 4, and a name in row 5.
constexpr const char* kFile =
    "n,delay,origin,flight no\n1,5,JFK,7\n2,-3,LGA,8\n3,0,JFK,9\n4,,EWR,7\n5,12,,8\n6,7,O'Hare,9\n";

std::vector<double> kept(const std::string& where) {
  const TempFile file("flights.csv", kFile);
  const Table table = read(file.path(), {.columns = {"n"}, .where = where});
  std::vector<double> values(table.view().rows());
  table.view().column(0).read(0, values);
  EXPECT_EQ(table.filtered(), 6 - values.size());
  for (const std::size_t bytes : {8, 16, 1000}) {
    const auto source = open(file.path(), {.columns = {"n"}, .where = where}, bytes);
    EXPECT_EQ(rows_of(*source), Rows{values});
    EXPECT_EQ(notes(*source).filtered, 6 - values.size());
  }
  return values;
}

using Numbers = std::vector<double>;

TEST(Where, ComparesNumbersAndText) {
  EXPECT_EQ(kept("delay > 0"), (Numbers{1, 5, 6}));
  EXPECT_EQ(kept("0 < delay"), (Numbers{1, 5, 6}));
  EXPECT_EQ(kept("delay >= 0 and delay <= 5.0"), (Numbers{1, 3}));
  EXPECT_EQ(kept("delay == -3"), (Numbers{2}));
  EXPECT_EQ(kept("delay != -.3e1"), (Numbers{1, 3, 5, 6}));
  EXPECT_EQ(kept("origin == 'JFK'"), (Numbers{1, 3}));
  EXPECT_EQ(kept("origin == \"JFK\" and delay>0"), (Numbers{1}));
  EXPECT_EQ(kept("origin <> 'JFK'"), (Numbers{2, 4, 6}));
  EXPECT_EQ(kept("origin >= 'JFK' and origin < 'M'"), (Numbers{1, 2, 3}));
  EXPECT_EQ(kept("origin == 'O''Hare'"), (Numbers{6}));
  EXPECT_EQ(kept("`flight no` == 7"), (Numbers{1, 4}));
  EXPECT_EQ(kept("`flight no` == '7'"), (Numbers{1, 4}));
  EXPECT_EQ(kept("`2` > 0"), (Numbers{1, 5, 6}));
  EXPECT_EQ(kept("delay > n"), (Numbers{1, 5, 6}));
}

TEST(Where, KnowsListsAndMissingValues) {
  EXPECT_EQ(kept("origin in ('JFK', 'EWR')"), (Numbers{1, 3, 4}));
  EXPECT_EQ(kept("origin not in ('JFK', 'EWR')"), (Numbers{2, 6}));
  EXPECT_EQ(kept("delay IN (5, 7)"), (Numbers{1, 6}));
  EXPECT_EQ(kept("delay is missing"), (Numbers{4}));
  EXPECT_EQ(kept("delay is not missing"), (Numbers{1, 2, 3, 5, 6}));
  EXPECT_EQ(kept("origin is missing or delay is missing"), (Numbers{4, 5}));
}

TEST(Where, ComputesWithColumns) {
  EXPECT_EQ(kept("delay + n > 8"), (Numbers{5, 6}));
  EXPECT_EQ(kept("abs(delay) >= 3 and not missing(origin)"), (Numbers{1, 2, 6}));
  EXPECT_EQ(kept("missing(delay) or missing(origin)"), (Numbers{4, 5}));
  EXPECT_EQ(kept("if(missing(delay), n, delay) == n"), (Numbers{4}));
  EXPECT_EQ(kept("-delay^2 + 2 * n < 0 and n % 2 == 0"), (Numbers{2, 6}));
  EXPECT_EQ(kept("min(delay, n, 3) == 3"), (Numbers{5, 6}));
}

TEST(Where, FollowsTheLogicOfThreeValues) {
  EXPECT_EQ(kept("not delay > 0"), (Numbers{2, 3}));
  EXPECT_EQ(kept("delay > 0 or origin == 'EWR'"), (Numbers{1, 4, 5, 6}));
  EXPECT_EQ(kept("not (delay > 0 and origin == 'JFK')"), (Numbers{2, 3, 4, 6}));
  EXPECT_EQ(kept("delay > 0 or delay <= 0"), (Numbers{1, 2, 3, 5, 6}));
  EXPECT_EQ(kept("n == 1 or n == 2 and n == 3"), (Numbers{1}));
  EXPECT_EQ(kept("(n == 1 or n == 2) and not n == 2"), (Numbers{1}));
}

TEST(Where, RowsThatItLeavesOutMayHoldAnything) {
  const TempFile file("x.csv", "x,ok\nabc,0\n1,1\nNA,0\ninf,0\n2,1\n");
  EXPECT_EQ(rows_of(*open(file.path(), {.columns = {"x"}, .where = "ok == 1"})), (Rows{{1, 2}}));
  EXPECT_EQ(rows_of(*open(file.path(), {.columns = {"ok"}, .where = "x in ('1', 'abc')"})),
            (Rows{{0, 1}}));
  EXPECT_EQ(rows_of(*open(file.path(), {.columns = {"x"}, .where = "ok == 1 and x > 1"})),
            (Rows{{2}}));
  EXPECT_TRUE(says(message_of<DataError>(
                       [&] { (void)read(file.path(), {.columns = {"ok"}, .where = "x > 1"}); }),
                   "x.csv:2:1: 'abc' is not a number (column 'x')", "in quotes"));
}

TEST(Where, FiltersArrays) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TempFile file("x.npy", npy_file<double>("<f8", "(4, 2)", {1, 10, nan, 20, 3, 30, 4, nan}));
  const ReadOptions options{.columns = {"1"}, .labels = {}, .where = "`2` >= 10 and `1` > 1"};
  EXPECT_EQ(rows_of(*open(file.path(), options, 16)), (Rows{{3}}));
  const Table table = read(file.path(), options);
  EXPECT_EQ(table.view().rows(), 1U);
  EXPECT_EQ(table.filtered(), 3U);
  EXPECT_TRUE(says(message_of<InvalidArgument>(
                       [&] { (void)read(file.path(), {.columns = {"1"}, .where = "`2` == 'a'"}); }),
                   "where is", "column '2'", "column of numbers"));
}

TEST(Where, LabelsAndTextsAreThoseOfTheRowsThatAreLeft) {
  const TempFile file("x.csv", "x,g,id\n1,a,p\nNA,b,q\n3,b,r\n4,a,s\n");
  const Table table = read(file.path(), {.columns = {"x"},
                                         .labels = {"g"},
                                         .texts = {"id"},
                                         .nan = NanPolicy::omit,
                                         .where = "g == 'b'"});
  EXPECT_EQ(table.view().rows(), 1U);
  EXPECT_EQ(table.labels().names, std::vector<std::string>{"b"});
  ASSERT_EQ(table.texts().rows(), 2U);
  EXPECT_EQ(table.texts()[0], "q");
  EXPECT_EQ(table.omitted_rows(), std::vector<std::size_t>{0});
  EXPECT_EQ(table.filtered(), 2U);
}

TEST(Filtered, KeepsTheRowsForWhichTheConditionIsTrue) {
  const std::vector<double> x = {1, 2, 3, 4, 5};
  const std::vector<float> y = {0, 1, 0, 1, 1};
  const DataView view({ColumnView(x), ColumnView(y)}, {"x", "y"});
  for (const std::size_t chunk : {1, 2, 7}) {
    const auto source = std::make_shared<MemorySource>(view, chunk);
    EXPECT_EQ(rows_of(Filtered(source, "y == true", {"x"})), (Rows{{2, 4, 5}}));
    EXPECT_EQ(rows_of(Filtered(source, "x > 0")), (Rows{x, {0, 1, 0, 1, 1}}));
    EXPECT_EQ(Filtered(source, "x > 0").rows(), std::nullopt);
    EXPECT_TRUE(says(message_of<InvalidArgument>([&] { Filtered(source, "z > 0"); }),
                     "the source has no column 'z'"));
    EXPECT_TRUE(says(message_of<InvalidArgument>([&] { Filtered(source, "x == 'a'"); }),
                     "column 'x' is a column of numbers"));
  }
}

std::string complaint(const std::string& where) {
  return message_of<InvalidArgument>([&] { Where{where}; });
}

TEST(Where, PointsAtMistakes) {
  EXPECT_TRUE(says(complaint("a = 1"), "where is 'a = 1' but at character 3, '=': write =="));
  EXPECT_TRUE(says(complaint("a == 1 && b == 2"), "character 8, '&'", "write 'and'"));
  EXPECT_TRUE(says(complaint("a == 1 || b"), "character 8", "write 'or'"));
  EXPECT_TRUE(says(complaint("! a == 1"), "character 1", "write 'not'"));
  EXPECT_TRUE(says(complaint(""), "at its end: a column or a value is missing"));
  EXPECT_TRUE(says(complaint("a"), "at its end: a column needs a comparison"));
  EXPECT_TRUE(says(complaint("a =="), "at its end: a column or a value is missing"));
  EXPECT_TRUE(says(complaint("a == 'x"), "character 6", "never closed"));
  EXPECT_TRUE(says(complaint("(a == 1"), "at its end", "not closed"));
  EXPECT_TRUE(says(complaint("a == 1)"), "character 7, ')'", "closes none"));
  EXPECT_TRUE(says(complaint("a == 1 b == 2"), "character 8, 'b'", "'and' or 'or'"));
  EXPECT_TRUE(says(complaint("a in 1"), "character 6", "list goes in parentheses"));
  EXPECT_TRUE(says(complaint("a in (1"), "at its end", "list is not closed"));
  EXPECT_TRUE(says(complaint("a in (b)"), "character 7, 'b'", "not columns"));
  EXPECT_TRUE(says(complaint("a is null"), "character 6, 'null'", "'is missing'"));
  EXPECT_TRUE(says(complaint("1 == 2"), "character 1, '1 == 2'", "no column", "backticks"));
  EXPECT_TRUE(says(complaint("'a' == 'b'"), "character 1", "no side"));
  EXPECT_TRUE(says(complaint("a == 5x"), "character 6, '5x'", "no number"));
  EXPECT_TRUE(says(complaint("a == 1e999"), "beyond the range"));
  EXPECT_TRUE(says(complaint("a == -"), "at its end: a column or a value is missing"));
  EXPECT_TRUE(says(complaint("and == 1"), "character 1, 'and'", "backticks"));
  EXPECT_TRUE(says(complaint("a # 1"), "character 3, '#'", "no meaning"));
  EXPECT_TRUE(says(complaint("`` == 1"), "needs a name"));
  EXPECT_TRUE(says(complaint("a + 'x' > 1"), "character 5", "text can only be compared"));
  EXPECT_TRUE(says(complaint("lgo(a) > 1"), "no function 'lgo'; did you mean 'log'?"));
  EXPECT_TRUE(says(complaint("mean(a) > 1"), "no function 'mean'", "functions of a row"));
  EXPECT_TRUE(says(complaint("log(a, 2) > 1"), "log takes 1 argument, but has 2"));
  EXPECT_TRUE(says(complaint("a < b < c"), "character 7, '<'", "two sides"));
  EXPECT_TRUE(says(complaint("a > 1 and (b = 2)"), "\n  a > 1 and (b = 2)\n               ^"));
  EXPECT_TRUE(says(complaint(std::string(5000, '(')), "too many parentheses"));
  std::string chain = "a == 1";
  for (int i = 0; i < 5000; ++i) chain += " or a == 1";
  EXPECT_TRUE(says(complaint(chain), "more than 1000 operations"));
}

// As text, 10 is less than '9'. Codes are compared with == as they are written.
TEST(Where, NumbersAreNotOrderedAsText) {
  const TempFile file("x.csv", "price,zip,grade\n10,01234,A\n9,10001,B\n100,94110,10\n");
  const auto rows = [&](const std::string& where) {
    return read(file.path(), {.columns = {"price"}, .where = where}).view().rows();
  };
  for (const char* where : {"price > '9'", "price <= '1e1'", "'5' < price", "zip > '5'"})
    EXPECT_TRUE(says(message_of<DataError>([&] { (void)rows(where); }), "x.csv:2:", "is a number",
                     "without quotes", "^~"))
        << where;
  EXPECT_TRUE(says(message_of<DataError>(
                       [&] { (void)read(file.path(), {.columns = {"if(price > '9', 1, 0)"}}); }),
                   "'10' is a number (column 'price')", "\n             ^~~"));
  EXPECT_EQ(rows("zip == '01234'"), 1U);
  EXPECT_EQ(rows("zip in ('01234', '94110')"), 2U);
  EXPECT_EQ(rows("grade >= 'B'"), 1U);
  EXPECT_EQ(rows("price > 9"), 2U);
}

// As text, '2013-10-01' is less than '2013-6-1', and a time with a blank less than one with a T.
TEST(Where, DatesAreOrderedAgainstDates) {
  const TempFile file("x.csv",
                      "n,day,at,any\n1,2013-05-31,2013-05-31T23:00:00Z,2013-01-01\n"
                      "2,2013-06-01,2013-06-01T05:00:00Z,later\n3,,NA,\n"
                      "4,2013-10-01,2013-10-01T00:00:00+02:00,2013-6-1\n");
  const auto rows = [&](const std::string& where) {
    return read(file.path(), {.columns = {"n"}, .where = where}).view().rows();
  };
  EXPECT_EQ(rows("day >= '2013-06-01'"), 2U);
  EXPECT_EQ(rows("day < '2013-06-01 12:00'"), 2U);
  EXPECT_EQ(rows("at >= '2013-06-01'"), 2U);
  EXPECT_EQ(rows("at < '2013-06-01T05:00' or at > '2013-09-30T12:00:00Z'"), 2U);
  EXPECT_EQ(rows("day == '2013-6-1' or n == 1"), 1U);
  EXPECT_EQ(rows("any >= '2013-6-1'"), 2U);
  for (const char* where : {"day >= '2013-6-1'", "'01.06.2013' < day", "day > '2013'",
                            "n > 1 and day <= 'June'", "day >= '2013-06-31'"})
    EXPECT_TRUE(says(message_of<DataError>([&] { (void)rows(where); }), "x.csv: column 'day' is of",
                     "dates or times; compare it with '2024-01-28' or '2024-01-28 13:05'", "^~"))
        << where;
  for (const char* where : {"at >= '2013-6-1'", "at > '2013-06-01 05:00'"})
    EXPECT_TRUE(says(message_of<DataError>([&] { (void)rows(where); }), "column 'at' is of dates",
                     "or '2024-01-28T13:05'\n"))
        << where;
  EXPECT_TRUE(says(message_of<DataError>([&] {
                     (void)read(file.path(), {.columns = {"if(day >= '2013-6-1', 1, 0)"}});
                   }),
                   "column 'day' is of dates", "\n            ^~~~~~~~~~"));
}

TEST(Where, MistakesInRowsAreMarked) {
  const TempFile file("x.csv", "price,cut\n1,Ideal\n");
  const auto complaint_of = [&](const std::string& where) {
    try {
      (void)read(file.path(), {.columns = {"price"}, .where = where});
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_TRUE(says(complaint_of("price > 0 and cut > 3"), "'Ideal' is not a number", "quotes",
                   "\n  price > 0 and cut > 3\n                ^~~"));
  EXPECT_TRUE(says(complaint_of("cut == Ideal"), "no column 'Ideal'",
                   "text goes in quotes: 'Ideal'", "\n         ^~~~~"));
}

TEST(Where, NamesAreFoundOrTheMessageListsThem) {
  const TempFile file("x.csv", "price,n\n1,2\n");
  EXPECT_TRUE(says(message_of<InvalidArgument>(
                       [&] { (void)read(file.path(), {.columns = {"n"}, .where = "prise > 1"}); }),
                   "x.csv has no column 'prise'; did you mean 'price'?", "\n  ^~~~~"));
}

}  // namespace where_test
}  // namespace bootfold::data
