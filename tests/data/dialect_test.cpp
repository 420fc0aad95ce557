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

std::string note_of(std::string_view text, const ReadOptions& options = {},
                    const std::string& name = "prices.csv") {
  return table(text, options, name).note();
}

// Read with commas, "1" and "5;2" would be names of columns, and the first row would be lost.
TEST(Delimiter, ALineOfDecimalCommasIsARow) {
  const ReadOptions first{.columns = {"1"}};
  EXPECT_EQ(read_text("1,5;2\n2,5;3\n", first), (Values{1.5, 2.5}));
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)read_text("1,5;2\n", first); }),
                   "prices.csv:1", "decimal=comma", "header=yes"));
  EXPECT_EQ(read_text("1,5;2\n", {.columns = {"1"}, .decimal = ','}), Values{1.5});
  EXPECT_EQ(read_text("1,5;b\n2,3\n", first), (Values{2}));  // a name is there
}

TEST(Delimiter, IsFoundByTheFirstLinesAndTold) {
  struct Case {
    const char* text;
    const char* note;
  };
  const ReadOptions second{.columns = {"b"}};
  for (const auto& [text, note] : std::vector<Case>{
           {"a,b\n1,2\n3,4\n", ""},
           {"a;b\n1;2\n3;4\n", "delimiter=semicolon"},
           {"a|b\n1|2\n3|4\n", "delimiter=pipe"},
           {"a\tb\n1\t2\n3\t4\n", "delimiter=tab"},
           {"  a   b\n 1.5  2\n 3.25\t4  \n", "delimiter=space"},
           {"a,1;b\n1;2\n3;4\n", "delimiter=semicolon"},         // more lines agree
           {"a, EUR;b\n1,5;2\n3,5;4\n", "delimiter=semicolon"},  // fewer texts
           {"a;b\n1;2\n3;4\n5;6;7;8\n", "delimiter=semicolon"},  // one wrong line
       }) {
    SCOPED_TRACE(text);
    if (std::string_view(text).find("7;8") != std::string_view::npos) {
      EXPECT_TRUE(says(data_error(text, second), "prices.csv:4: 4 fields", "the header has 2"));
      continue;
    }
    for (const char* name : {"x.csv", "x.txt", "x.data", "x.dat", "X.TXT"}) {
      EXPECT_EQ(read_text(text, second, name), (Values{2, 4}));
      EXPECT_TRUE(says(note_of(text, second, name), note));
    }
    if (*note == 0) {
      EXPECT_EQ(note_of(text, second), "");
    }
  }
  EXPECT_EQ(note_of("a\tb\n1\t2\n", second, "x.tsv"), "");
  EXPECT_EQ(note_of("a;b\n1;2\n", {.columns = {"b"}, .delimiter = ';'}), "");
  EXPECT_EQ(read_text("two words\n1\n2\n"), (Values{1, 2}));  // no delimiter below
}

TEST(Delimiter, AWrongOneIsNamed) {
  for (const auto& [other, name] : {std::pair{';', "semicolon"}, {'|', "pipe"}, {'\t', "tab"}}) {
    std::string text = "a;b\n1;2\n";
    for (char& c : text)
      if (c == ';') c = other;
    EXPECT_TRUE(says(message_of<InvalidArgument>(
                         [&] { (void)read_text(text, {.columns = {"a"}, .delimiter = ','}); }),
                     "prices.csv has no column 'a'", std::string("separated by ") + name + "s?",
                     std::string("delimiter=") + name));
  }
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
      says(data_error("a;b\n1,5;2\n", {.columns = {"a"}, .decimal = '.'}),
           "prices.csv:2:1: '1,5' is not a number (column 'a'); with decimal=comma it is one"));
  EXPECT_TRUE(says(data_error("a;b\n1,234;2\n", {.columns = {"a"}}),
                   "; with decimal=comma or thousands=comma it is one"));
  EXPECT_TRUE(says(data_error("a;b\n1.234,5;2\n", {.columns = {"a"}, .thousands = kNoSeparator}),
                   "; with decimal=comma and thousands=point it is one"));
}

struct Spelled {
  const char* text;
  Values values;
  const char* note;
};

TEST(Spelling, IsFoundInTheFirstRowsAndTold) {
  const ReadOptions first{.columns = {"a"}};
  for (const auto& [text, expected, note] : std::vector<Spelled>{
           {"a;b\n1,5;x\n2;y\n", {1.5, 2}, "delimiter=semicolon and decimal=comma"},
           {"a;b\n1,234;x\n1,5;y\n", {1.234, 1.5}, "decimal=comma"},
           {"a;b\n1.234,5;x\n2.000;y\n", {1234.5, 2000}, "decimal=comma and thousands=point"},
           {"a;b\n1 234,5;x\n2;y\n", {1234.5, 2}, "decimal=comma and thousands=space"},
           {"a;b\n1.234.567;x\n2;y\n", {1234567, 2}, "thousands=point"},
           {"a,b\n\"1,234.5\",x\n7,y\n", {1234.5, 7}, "thousands=comma"},
           {"a,b\n\"1,234\",x\n0.5,y\n", {1234, 0.5}, "thousands=comma"},
           {"a|b\n1'234.5|x\n7|y\n", {1234.5, 7}, "delimiter=pipe and thousands=apostrophe"},
           {"\xEF\xBB\xBF"
            "a\tb\r\n\"1,5\"\tx\r\n",
            {1.5},
            "delimiter=tab and decimal=comma"},
       }) {
    SCOPED_TRACE(text);
    EXPECT_EQ(read_text(text, first), expected);
    EXPECT_TRUE(says(note_of(text, first), "prices.csv: read with ", note));
  }
  EXPECT_EQ(read_text("x\n\"1,5\"\n\"2,5\"\n"), (Values{1.5, 2.5}));
}

// 1,234 may be 1234 or 1.234: both are read without a word only where other rows decide.
TEST(Spelling, WhatCanBeReadInTwoWaysIsAsked) {
  for (const char* text : {"a;b\n1,234;x\n", "a;b\n1;x\n-12,345;y\n"})
    EXPECT_TRUE(says(data_error(text, {.columns = {"a"}}), "is not a number (column 'a')",
                     "with decimal=comma or thousands=comma it is one"));
  EXPECT_TRUE(says(data_error("x\n\"1,234\"\n"), "decimal=comma or thousands=comma"));
  EXPECT_EQ(read_text("a;b\n1,234;x\n", {.columns = {"a"}, .decimal = ','}), Values{1.234});
  EXPECT_EQ(read_text("a;b\n1,234;x\n", {.columns = {"a"}, .thousands = ','}), Values{1234});
  // A point is a decimal point unless the column cannot be read with it.
  EXPECT_EQ(read_text("a;b\n1.234;x\n2.500;y\n", {.columns = {"a"}}), (Values{1.234, 2.5}));
}

// The first rows decide; a number in another spelling far below is an error, never another number.
TEST(Spelling, WhatContradictsTheFirstRowsIsAnError) {
  std::string rows;
  for (int i = 0; i < 100'000; ++i) rows += "1,5;x\n";
  const ReadOptions first{.columns = {"a"}};
  EXPECT_EQ(read_text("a;b\n" + rows + "7;x\n", first).back(), 7);
  EXPECT_TRUE(says(data_error("a;b\n" + rows + "2.5;x\n", first), "prices.csv:100002:1: '2.5'",
                   "decimal=point"));
  EXPECT_TRUE(
      says(data_error("a;b\n" + rows + "1.234,5;x\n", first), "'1.234,5'", "thousands=point"));
  std::string whole;
  for (int i = 0; i < 100'000; ++i) whole += "15;x\n";
  EXPECT_TRUE(
      says(data_error("a;b\n" + whole + "2,5;x\n", first), ":100002:1: '2,5'", "decimal=comma"));
}

TEST(Spelling, OptionsGoBeforeWhatIsFound) {
  const char* const text = "a;b\n1.234,5;x\n2.000;y\n";
  EXPECT_TRUE(says(data_error(text, {.columns = {"a"}, .decimal = '.'}), "'1.234,5'"));
  EXPECT_TRUE(says(data_error(text, {.columns = {"a"}, .decimal = ',', .thousands = kNoSeparator}),
                   "'1.234,5'"));
  EXPECT_EQ(read_text(text, {.columns = {"a"}, .decimal = ','}), (Values{1234.5, 2000}));
}

TEST(Percentages, AreFractions) {
  const char* const text = "a,b\n12%,x\n12.3 %,y\n-0.1%,z\n,w\n";
  const ReadOptions omit{.columns = {"a"}, .nan = NanPolicy::omit};
  EXPECT_EQ(read_text(text, omit), (Values{0.12, 0.123, -0.001}));
  EXPECT_TRUE(says(note_of(text, omit), "column 'a' holds percentages", "12 % is 0.12"));
  EXPECT_EQ(read_text("a;b\n12,5 %;x\n1.250 %;y\n", {.columns = {"a"}}), (Values{0.125, 12.5}));
  EXPECT_EQ(read_text("12%\n13%\n"), (Values{0.12, 0.13}));  // no header
  for (const char* mixed : {"a\n12%\n0.5\n", "a\n0.5\n12%\n"})
    EXPECT_TRUE(says(data_error(mixed), "percent sign", "column 'a'", "in one way"));
}

// F beside M and a grade F among grades are no words for false, and M is no missing value.
TEST(Truth, LettersAmongOthersAreText) {
  for (const char* text : {"x,a\n1,F\n2,M\n3,F\n", "x,a\n1,M\n2,F\n", "x,a\n1,E\n2,F\n3,F\n",
                           "x,a\n1,A\n2,N\n3,T\n4,B\n5,C\n",
                           "x,a\n1,yes\n2,maybe\n3,perhaps\n4,no\n5,often\n6,never\n"}) {
    const std::string message = data_error(text, {.columns = {"a"}});
    EXPECT_TRUE(
        says(message, "is not a number (column 'a'", "this column holds text, numbers are in 'x'"));
    EXPECT_FALSE(says(message, "missing"));
  }
  for (const char* text : {"x,a\n1,T\n2,F\n3,F\n4,U\n", "x,a\n1,yes\n2,yes\n3,U\n"})
    EXPECT_TRUE(says(data_error(text, {.columns = {"a"}}), "say missing='NA,U'"));
}

TEST(Truth, WordsAreOneAndZero) {
  for (const char* text : {"a,b\nTRUE,x\nfalse,y\n,z\n", "a,b\nyes,x\n No ,y\nNA,z\n",
                           "a,b\n,z\nT,x\nF,y\n", "a,b\nY,x\n\"n\",y\n,z\n"}) {
    SCOPED_TRACE(text);
    const ReadOptions omit{.columns = {"a"}, .nan = NanPolicy::omit};
    EXPECT_EQ(read_text(text, omit), (Values{1, 0}));
    EXPECT_TRUE(says(note_of(text, omit), "column 'a'", "true and false", "1 and 0"));
  }
  EXPECT_EQ(read_text("a,b\nTRUE,1\nFALSE,2\n", {.columns = {"b"}, .where = "a == true"}),
            Values{1});
  EXPECT_EQ(read_text("a,b\nyes,1\nno,2\n",
                      {.columns = {"a"}, .nan = NanPolicy::omit, .missing = Names{"no"}}),
            Values{1});
}

// T among numbers of precipitation is a trace, not 1.
TEST(Truth, WordsAmongNumbersAreText) {
  EXPECT_TRUE(says(data_error("a\n1.5\nT\n0\n"), "prices.csv:3:1: 'T' is not a number"));
  EXPECT_TRUE(says(data_error("a\nT\n1.5\n"), "prices.csv:2:1: 'T' is not a number"));
  std::string rows;
  for (int i = 0; i < 100'000; ++i) rows += "yes\n";
  EXPECT_TRUE(says(data_error("a\n" + rows + "3\n"), ":100002:1: '3' is a number",
                   "words for true and false", "column 'a'"));
}

TEST(Truth, AFirstLineOfWordsIsAskedAbout) {
  EXPECT_TRUE(says(message_of<InvalidArgument>(
                       [&] { (void)read_text("TRUE,1\nFALSE,2\n", {.columns = {"1"}}); }),
                   "prices.csv:1", "may be a header or a row", "header=no"));
  EXPECT_EQ(read_text("TRUE,1\nFALSE,2\n", {.columns = {"1"}, .header = false}), (Values{1, 0}));
  EXPECT_EQ(read_text("t,f\n1,2\n3,4\n", {.columns = {"1"}}), (Values{1, 3}));
  EXPECT_EQ(read_text("t,f\nT,F\nF,F\n", {.columns = {"t"}}), (Values{1, 0}));
}

TEST(TextInNumbers, IsShownWithItsRowsAndARemedy) {
  EXPECT_TRUE(says(data_error("d,x\na,1\nb,-\nc,2\nd,lost\ne,-\n", {.columns = {"x"}}),
                   "prices.csv:3:2: '-' is not a number (column 'x'; also 'lost' in line 5, '-' "
                   "in line 6)",
                   "missing='NA,-,lost'", "nan=omit"));
  EXPECT_TRUE(says(data_error("x\n1\na\nb\nc\nd\ne\n"),
                   "also 'b' in line 4, 'c' in line 5, 'd' in line 6 and more)"));
  EXPECT_TRUE(says(data_error("x\n1\na\n", {.missing = Names{"-", "?"}}), "missing='-,?,a'"));
  EXPECT_TRUE(says(data_error("day,x,y\nMon,1,2\nTue,3,4\n", {.columns = {"day"}}),
                   "'Mon' is not a number (column 'day'; also 'Tue' in line 3)",
                   "this column holds text, numbers are in 'x', 'y'"));
  // Rows that the condition leaves out are not shown.
  EXPECT_FALSE(
      says(data_error("d,x\na,1\nb,-\nc,lost\n", {.columns = {"x"}, .where = "d != 'c'"}), "lost"));
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
  EXPECT_TRUE(says(asked("a,b\n1,2\n3,4\n"), "or do not say decimal=comma"));
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
                     "missing='-," + std::string(text) + "'"));
  EXPECT_EQ(read_text("x\n1\nNaN\n2\n", omit), (Values{1, 2}));  // NaN is not a number
  EXPECT_TRUE(says(data_error("x\n1\n-\n"), "'-' is not a number", "missing='NA,-'"));
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
