// Delimiters, decimal commas, thousands separators and words for missing values.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "gzip.h"
#include "temp_file.h"

namespace bootfold::data {
namespace dialect_test {

using testing_data::gzipped;
using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

using Values = std::vector<double>;
using Names = std::vector<std::string>;

Table table(std::string_view text, const ReadOptions& options = {},
            const std::string& name = "prices.csv") {
  const TempFile file(name, text);
  return read(file.path(), options);
}

Values values(const Table& table, std::size_t column = 0) {
  Values out(table.view().rows());
  table.view().column(column).read(0, out);
  return out;
}

Values read_text(std::string_view text, const ReadOptions& options = {},
                 const std::string& name = "prices.csv") {
  return values(table(text, options, name));
}

std::string data_error(std::string_view text, const ReadOptions& options = {}) {
  return message_of<DataError>([&] { (void)read_text(text, options); });
}

std::string misuse(const ReadOptions& options) {
  return message_of<InvalidArgument>([&] { (void)read_text("x\n1\n", options); });
}

// Read with commas, "1" and "5;2" would be names of columns, and the first row would be lost.
TEST(Delimiter, IsAskedForWhereTheFirstRowMayHaveDecimalCommas) {
  const char* const text = "1,5;2\n2,5;3\n";
  const ReadOptions first{.columns = {"1"}};
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)read_text(text, first); }),
                   "prices.csv:1", "decimal=comma", "header=yes"));
  EXPECT_EQ(read_text(text, {.columns = {"1"}, .decimal = ','}), (Values{1.5, 2.5}));
  EXPECT_EQ(read_text("1,5;b\n2,3\n", first), (Values{2}));  // a name is there
}

TEST(Delimiter, IsWhatIsSaid) {
  for (const char delimiter : {',', ';', '\t', ' ', '|', ':', '/', '#', '~'}) {
    SCOPED_TRACE(delimiter);
    std::string text = "day,x\n1,2.5\n\"3,4\",-1e3\n";
    for (char& c : text)
      if (c == ',') c = delimiter;
    for (const char* name : {"prices.csv", "prices.tsv", "prices.txt"}) {
      EXPECT_EQ(read_text(text, {.columns = {"x"}, .delimiter = delimiter}, name),
                (Values{2.5, -1000}));
    }
  }
}

TEST(Delimiter, SpacesCountOnceAndNotAtTheEnds) {
  const Table read =
      table("  day    x \n  Mon  1.5\n\"T ue\" \"2.5\"  \nWed   \"\"\n",
            {.columns = {"x"}, .texts = {"day"}, .nan = NanPolicy::omit, .delimiter = ' '});
  EXPECT_EQ(values(read), (Values{1.5, 2.5}));
  EXPECT_EQ(read.texts()[1], "T ue");
  EXPECT_EQ(read.omitted(), 1U);
}

TEST(Delimiter, SemicolonsAndTabsAreFoundIfTheFirstTwoLinesAgree) {
  const ReadOptions second{.columns = {"2"}};
  for (const char* text :
       {"a;b\n1;2\n3;4\n", "\n\na;b\r\n1;2\r\n3;4\r\n", "a\tb\n1\t2\n3\t4",
        "\"a,1\";\"b\nc\"\n1;2\n3;4\n", "\xEF\xBB\xBF\"a\"\tb\n\"1\"\t2\n3\t4\n"})
    EXPECT_EQ(read_text(text, second), (Values{2, 4})) << text;
  EXPECT_EQ(read_text(gzipped("a;b\n1;2\n3;4\n"), second, "prices.csv.gz"), (Values{2, 4}));
  EXPECT_EQ(read_text("x;y\n1,5;2\n", {.columns = {"y"}}), Values{2});  // no comma in line 1
}

TEST(Delimiter, OtherFilesAreSeparatedByCommas) {
  EXPECT_EQ(read_text("price; EUR\n1\n2\n"), (Values{1, 2}));
  EXPECT_EQ(read_text("price\tEUR\n1\n2\n"), (Values{1, 2}));
  EXPECT_EQ(read_text("x\t\n1\t\n2\t\n"), (Values{1, 2}));  // blanks at the end of a line
  EXPECT_EQ(table("a;1,b\nx;1,2\n", {.columns = {"b"}}).names(), Names{"b"});
  EXPECT_EQ(table("\"a;b\",c\n\"1;2\",3\n", {.columns = {"2"}}).names(), Names{"c"});
  EXPECT_TRUE(says(data_error("a;b\tc\n1;2\t3\n"), "'1;2", "delimiter=semicolon splits"));
  EXPECT_TRUE(says(data_error("x\n1\n2;3\n"), "prices.csv:3:1: '2;3' is not a number",
                   "the delimiter is the comma", "delimiter=semicolon"));
}

TEST(Delimiter, MustNotBeInNumbersOrQuotes) {
  for (const char delimiter : {'a', 'E', '0', '.', '-', '+', '"', '\n', '\r', '\0', '\xE9'})
    EXPECT_TRUE(says(misuse({.delimiter = delimiter}), "delimiter is '", "semicolon, tab"));
}

TEST(Decimal, CommaIsReadAsThePointOfTheSameNumber) {
  const ReadOptions comma{.decimal = ','};
  EXPECT_EQ(read_text("x\n1,5\n-2\n+,5\n3,\n1,25e2\n\" 0,1 \"\n"
                      "179769313486231570000,5e288\n",
                      comma),
            (Values{1.5, -2, 0.5, 3, 125, 0.1, 1.7976931348623157e308}));
  EXPECT_EQ(read_text("1,5\n2,5\n", comma), (Values{1.5, 2.5}));  // no header
  EXPECT_EQ(read_text("a;b\n1,5;2,5\n", {.columns = {"b"}, .decimal = ','}), Values{2.5});
  EXPECT_EQ(read_text("a\tb\n1,5\t2,5\n", {.columns = {"b"}, .decimal = ','}), Values{2.5});
  EXPECT_EQ(read_text("a\tb\n1,5\t2,5\n", {.columns = {"b"}, .decimal = ','}, "x.tsv"),
            Values{2.5});
}

// The same digits with a point and with a comma are the same bits.
TEST(Decimal, KeepsEveryDigit) {
  std::mt19937_64 random(3);
  std::string points = "x\n";
  std::string commas = "x\n";
  for (int i = 0; i < 2000; ++i) {
    const std::string whole = std::to_string(random() % 1'000'000);
    const std::string part = std::to_string(random());
    points += whole + "." + part + "\n";
    commas += whole + "," + part + "\n";
  }
  EXPECT_EQ(read_text(commas, {.decimal = ','}), read_text(points));
}

TEST(Decimal, APointIsNoDecimalCommaAndViceVersa) {
  EXPECT_TRUE(says(data_error("x\n1,5\n1.5\n", {.decimal = ','}),
                   "prices.csv:3:1: '1.5' is not a number (column 'x')", "decimal=point"));
  EXPECT_TRUE(
      says(data_error("a;b\n1,5;2\n", {.columns = {"a"}}),
           "prices.csv:2:1: '1,5' is not a number (column 'a'); with decimal=comma it is one"));
  EXPECT_TRUE(says(data_error("a;b\n1,234;2\n", {.columns = {"a"}}),
                   "; with decimal=comma or thousands=comma it is one"));
  EXPECT_TRUE(says(data_error("a;b\n1.234,5;2\n", {.columns = {"a"}}),
                   "; with decimal=comma and thousands=point it is one"));
}

TEST(Decimal, MustBeAPointOrACommaAndNotTheDelimiter) {
  EXPECT_TRUE(says(misuse({.decimal = ';'}), "decimal is ';' but must be a point or a comma"));
  EXPECT_TRUE(says(misuse({.delimiter = ',', .decimal = ','}), "decimal is ','",
                   "so is the delimiter", "delimiter=semicolon"));
}

TEST(Decimal, AHeaderOfCommasIsAskedAbout) {
  const auto asked = [](std::string_view text) {
    return message_of<InvalidArgument>([&] { (void)read_text(text, {.decimal = ','}); });
  };
  EXPECT_TRUE(says(asked("a,b\n1,2\n3,4\n"), "prices.csv:1: 'a,b' may be one name or several",
                   "delimiter=semicolon"));
  EXPECT_EQ(read_text("price, EUR\n1,5\n", {.delimiter = ';', .decimal = ','}), Values{1.5});
  EXPECT_EQ(read_text("\"price, EUR\"\n1,5\n", {.decimal = ','}), Values{1.5});
}

TEST(Thousands, AreGroupsOfThreeDigits) {
  EXPECT_EQ(read_text("x,y\n\"1,234,567.89\",1\n\"-1,000\",2\n1234.5,3\n\"+12,345e-3\",4\n0.5,5\n",
                      {.columns = {"x"}, .thousands = ','}),
            (Values{1234567.89, -1000, 1234.5, 12.345, 0.5}));
  EXPECT_EQ(read_text("x;y\n1.234.567,89;1\n1,5;2\n",
                      {.columns = {"x"}, .decimal = ',', .thousands = '.'}),
            (Values{1234567.89, 1.5}));
  EXPECT_EQ(read_text("x\n1'234.5\n", {.thousands = '\''}), Values{1234.5});
  EXPECT_EQ(read_text("x\n1_234\n", {.thousands = '_'}), Values{1234});
  // A space, a no-break space and a narrow one.
  EXPECT_EQ(read_text("x\n1 234,5\n1\xC2\xA0"
                      "234,5\n1\xE2\x80\xAF"
                      "234\xE2\x80\xAF"
                      "567,5\n",
                      {.decimal = ',', .thousands = ' '}),
            (Values{1234.5, 1234.5, 1234567.5}));
}

TEST(Thousands, AreErrorsInOtherPlaces) {
  for (const char* text : {"12,34", "1234,567", "1,2345", ",123", "1,,234", "1,234,", "0,123",
                           "1.234,567", "1,23.4", "-,123", "1e1,000"}) {
    const std::string file = "day,price\nMon,1\nTue,\"" + std::string(text) + "\"\n";
    EXPECT_TRUE(says(data_error(file, {.columns = {"price"}, .thousands = ','}),
                     "prices.csv:3:2: '" + std::string(text) + "' is not a number",
                     "column 'price'", "thousands=comma", "1,234,567.89", "groups of three"));
  }
  EXPECT_TRUE(says(data_error("x\n1\n\"1,234\"\n"), "prices.csv:3:1: '1,234' is not a number",
                   "thousands=comma"));
}

TEST(Thousands, MustDifferFromTheDecimalSeparator) {
  EXPECT_TRUE(says(misuse({.thousands = '.'}), "thousands is '.'", "differ", "decimal=comma"));
  EXPECT_TRUE(
      says(misuse({.decimal = ',', .thousands = ','}), "thousands is ','", "decimal=point"));
  EXPECT_TRUE(says(misuse({.thousands = 'x'}), "thousands is 'x'", "comma, point, space"));
}

TEST(Missing, IsWhatIsListedAndTheEmptyField) {
  const ReadOptions omit{
      .columns = {"x"}, .nan = NanPolicy::omit, .missing = Names{"-", ".", "k.A."}};
  const Table read = table("d,x\na,1\nb,-\nc, . \nd,\"k.A.\"\ne,\nf,2\n", omit);
  EXPECT_EQ(values(read), (Values{1, 2}));
  EXPECT_EQ(read.omitted_rows(), (std::vector<std::size_t>{1, 2, 3, 4}));
  EXPECT_TRUE(says(data_error("d,x\na,1\nb,-\n", {.columns = {"x"}, .missing = Names{"-"}}),
                   "prices.csv:3:2: missing value (column 'x')", "nan=omit"));
}

TEST(Missing, TakesThePlaceOfTheUsualWords) {
  const ReadOptions omit{.nan = NanPolicy::omit, .missing = Names{"-"}};
  for (const char* text : {"NA", "null", "N/A"})
    EXPECT_TRUE(says(data_error("x\n1\n" + std::string(text) + "\n", omit), "is not a number",
                     "missing=LIST"));
  EXPECT_EQ(read_text("x\n1\nNaN\n2\n", omit), (Values{1, 2}));  // NaN is not a number
  EXPECT_TRUE(
      says(data_error("x\n1\n-\n"), "'-' is not a number", "empty field or NA", "missing=TEXT"));
  EXPECT_EQ(read_text("-\n1\n2\n", {.missing = Names{"NA"}}), (Values{1, 2}));  // a header
}

TEST(Missing, NumbersAreMissingInEverySpelling) {
  EXPECT_EQ(read_text("x\n-999\n1\n-999.0\n-9.99e2\n-9990\n",
                      {.nan = NanPolicy::omit, .missing = Names{"-999", "NA"}}),
            (Values{1, -9990}));
  EXPECT_EQ(read_text("x\n-99,9\n1\n-99,90\n",
                      {.nan = NanPolicy::omit, .decimal = ',', .missing = Names{"-99,9"}}),
            Values{1});
}

TEST(Missing, LabelsAreMissingWithoutQuotes) {
  const ReadOptions omit{
      .columns = {"x"}, .labels = {"g"}, .nan = NanPolicy::omit, .missing = Names{"?"}};
  const Table read = table("x,g\n1,a\n2,?\n3,\"?\"\n4,NA\n", omit);
  EXPECT_EQ(values(read), (Values{1, 3, 4}));
  EXPECT_EQ(read.labels().names.size(), 3U);
}

TEST(Missing, IsForTextFiles) {
  const TempFile file("x.npy");
  write_npy(file.path(), Values{1, 2}, std::vector<std::size_t>{2});
  EXPECT_TRUE(says(
      message_of<InvalidArgument>([&] { (void)read(file.path(), {.missing = Names{"-999"}}); }),
      "missing is given", "x.npy", "NaN"));
  EXPECT_EQ(read(file.path(), {.delimiter = ';', .decimal = ','}).view().rows(), 2U);
}

// A byte order mark belongs neither to the first name nor to the first label or number, and a
// carriage return not to the last field, with and without quotes and compression.
TEST(LineEnds, MarksAndCarriageReturnsAreInNoField) {
  const std::string mark = "\xEF\xBB\xBF";
  for (const std::string name : {"prices.csv", "prices.csv.gz"}) {
    SCOPED_TRACE(name);
    const auto read = [&](const std::string& text, const ReadOptions& options) {
      return table(name.ends_with("gz") ? gzipped(text) : text, options, name);
    };
    for (const std::string head : {"g,x\r\n", "\"g\",\"x\"\r\n"}) {
      const Table named =
          read(mark + head + "a,1\r\n\"b\",\"2\"\r\n", {.columns = {"x"}, .labels = {"g"}});
      EXPECT_EQ(named.names(), Names{"x"});
      EXPECT_EQ(values(named), (Values{1, 2}));
    }
    const Table bare =
        read(mark + "a,1,u\r\nb,2,v\r\na,3,u",
             {.columns = {"2"}, .labels = {"1", "3"}, .texts = {"3"}, .header = false});
    EXPECT_EQ(bare.labels(0).names, (Names{"a", "b"}));
    EXPECT_EQ(bare.labels(1).names, (Names{"u", "v"}));
    EXPECT_EQ(bare.texts()[0], "u");
    EXPECT_EQ(values(read(mark + "1\r\n2\r\n", {})), (Values{1, 2}));
    EXPECT_EQ(values(read(mark + "\"1,5\"\r\n2\r\n-\r\n",
                          {.nan = NanPolicy::omit, .decimal = ',', .missing = Names{"-"}})),
              (Values{1.5, 2}));
  }
}

}  // namespace dialect_test
}  // namespace bootfold::data
