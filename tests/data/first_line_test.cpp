// A first line of numbers may be a row or a header, and is not read as a row without a word.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "temp_file.h"

namespace bootfold::data {
namespace first_line_test {

using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

std::string refusal(std::string_view text, const ReadOptions& options) {
  const TempFile file("sales.csv", text);
  return message_of<InvalidArgument>([&] { (void)read(file.path(), options); });
}

Table table(std::string_view text, const ReadOptions& options) {
  const TempFile file("sales.csv", text);
  return read(file.path(), options);
}

const std::string kYears = "2019,2020,2021\n1.5,2,3\n2.5,1,4\n";

TEST(FirstLine, YearsAboveOtherValuesAreAskedAbout) {
  EXPECT_TRUE(says(refusal(kYears, {.columns = {"1"}}), "sales.csv:1: ", "may be a header or a row",
                   "2019 in column 1", "the values below are 1.5 to 2.5",
                   "header=yes or header=no"));
  // Steps of five years, column numbers, and a table below the header that is read in part.
  EXPECT_TRUE(
      says(refusal("2000,2005,2010\n1,2,3\n2,3,4\n", {.columns = {"1", "3"}}), "header=no"));
  EXPECT_TRUE(says(refusal("0,1,2\n10,11,12\n13,14,15\n", {.columns = {"2"}}), "header=no"));
  EXPECT_TRUE(says(refusal("1,2\n10,11\n13,14\n", {.columns = {"2"}}), "header=no"));
  EXPECT_TRUE(says(refusal("\"2019\", 2020 \n1,2\n3,4\n", {.columns = {"2"}}), "header=no"));
  EXPECT_TRUE(says(refusal("\n2019,2020\n1,2\n3,4\n", {.columns = {"2"}}), "sales.csv:2: "));
}

// pandas and R write an empty field above the row names.
TEST(FirstLine, AnEmptyFieldAboveRowNamesIsSkipped) {
  EXPECT_TRUE(says(refusal(",2019,2020\n0,1.5,2\n1,2.5,1\n", {.columns = {"2"}}),
                   "2019 in column 2", "header=no"));
  EXPECT_TRUE(says(refusal(",0\n0,1.5\n1,2.5\n", {.columns = {"2"}}), "header=no"));
  EXPECT_TRUE(says(refusal("\"\",\"1\"\n\"a\",1.5\n\"b\",2.5\n", {.columns = {"2"}}), "header=no"));
}

TEST(FirstLine, TheAnswerIsTaken) {
  const Table named = table(kYears, {.columns = {"2020"}, .header = true});
  EXPECT_EQ(named.view().rows(), 2U);
  EXPECT_EQ(named.note(), "");
  const Table numbered = table(kYears, {.columns = {"2"}, .header = false});
  EXPECT_EQ(numbered.view().rows(), 3U);
  EXPECT_EQ(numbered.note(), "");
}

// Nothing suggests a header: the line is a row, and the note says so.
TEST(FirstLine, OtherNumbersAreARowWithANote) {
  for (const char* text : {
           "1,2\n1,5\n3,4\n",              // 1 is a value of its column
           "3,2\n10,11\n12,13\n",          // falling
           "1,3\n10,11\n12,13\n",          // two columns, not consecutive
           "1,2,4\n10,11,12\n13,14,15\n",  // no constant step
           "1.0,2.0\n10,11\n12,13\n",      // not written as names
           "-1,0\n10,11\n12,13\n",         // a sign
           "1e3,1001\n10,11\n12,13\n",     // an exponent
           "5,5\n10,11\n12,13\n",          // equal
           "1,\n10,11\n12,13\n",           // a missing value elsewhere
           "2019,2020\n",                  // the only row
           "2019,2020\n1,2\n",             // one row has no range
           "1,2\n2,11\n0,13\n",            // inside the range
       }) {
    const Table read = table(text, {.columns = {"1"}});
    EXPECT_TRUE(says(read.note(), "sales.csv:1: ", "read as a row", "header=yes", "header=no"))
        << text;
  }
}

TEST(FirstLine, OneColumnAndNamedColumnsNeedNoNote) {
  EXPECT_EQ(table("2019\n1.5\n2.5\n", {}).note(), "");
  EXPECT_EQ(table("2019\n1.5\n2.5\n", {}).view().rows(), 3U);
  EXPECT_EQ(table("x,y\n1,2\n", {.columns = {"x"}}).note(), "");
}

// The label of a header line is not among the labels below it.
TEST(FirstLine, LabelsCountAsWell) {
  const ReadOptions groups{.columns = {"1"}, .labels = {"2"}};
  EXPECT_TRUE(says(refusal("1,2\n5,A\n6,B\n", groups), "header=no"));
  EXPECT_TRUE(says(refusal("1,2\n5,3\n6,4\n", groups), "header=no"));
  EXPECT_TRUE(says(table("1,2\n5,2\n6,1\n", groups).note(), "read as a row"));
}

TEST(FirstLine, OmittedRowsDoNotCount) {
  ReadOptions omit{.columns = {"1", "2"}, .nan = NanPolicy::omit};
  EXPECT_TRUE(says(refusal("2019,2020\nNA,5000\n1,2\n3,4\n", omit), "header=no"));
  EXPECT_TRUE(says(refusal(",2019,2020\n1,2,5\n3,4,5\n", omit), "2019 in column 2"));
}

// A name that only the first line has is no column number: the line is a header, if it is said.
TEST(FirstLine, AColumnNamedByItIsAskedAbout) {
  EXPECT_TRUE(says(refusal(kYears, {.columns = {"2020"}}), "has no column '2020'",
                   "line 1 holds '2020'", "header=yes"));
  EXPECT_TRUE(says(refusal(kYears, {.columns = {"1"}, .labels = {"2021"}}), "header=yes"));
  EXPECT_TRUE(says(refusal(kYears, {.columns = {"7"}}), "has no column '7'; it has '1', '2', '3'"));
}

}  // namespace first_line_test
}  // namespace bootfold::data
