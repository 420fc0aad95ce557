// Columns that are carried along as text, and which rows are omitted.
#include "bootfold/texts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "temp_file.h"

namespace bootfold::data {
namespace texts_test {

using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

using Fields = std::vector<std::string>;
using Rows = std::vector<std::size_t>;

Fields fields(const Texts& texts) {
  Fields found;
  for (std::size_t row = 0; row < texts.rows(); ++row) found.emplace_back(texts[row]);
  return found;
}

TEST(Texts, AreTheFieldsAsWritten) {
  const TempFile file("new.csv", "id,x,note\n007,1, two  words \nNA,2,\"a, \"\"b\"\"\"\n,3,\n");
  const Table table = read(file.path(), {.columns = {"x"}, .texts = {"note", "1", "x"}});
  EXPECT_EQ(table.texts(0).column(), "note");
  EXPECT_EQ(fields(table.texts(0)), (Fields{" two  words ", "a, \"b\"", ""}));
  EXPECT_EQ(table.texts(1).column(), "id");
  EXPECT_EQ(fields(table.texts(1)), (Fields{"007", "NA", ""}));
  EXPECT_EQ(fields(table.texts(2)), (Fields{"1", "2", "3"}));
  EXPECT_EQ(table.view().rows(), 3U);
}

TEST(Texts, HaveOmittedRowsToo) {
  const TempFile file("new.csv", "id,x\na,NA\nb,1\n\nc,\nd,2\ne,nan\n");
  const Table table =
      read(file.path(), {.columns = {"x"}, .texts = {"id"}, .nan = NanPolicy::omit});
  EXPECT_EQ(fields(table.texts()), (Fields{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(table.omitted_rows(), (Rows{0, 2, 4}));
  EXPECT_EQ(table.omitted(), 3U);
  EXPECT_EQ(table.view().rows(), 2U);
}

// A blank line between the rows of a file with one column is a missing value.
TEST(Texts, BlankLinesOfOneColumnAreRows) {
  const TempFile file("new.csv", "x\n1\n\n\n2\nNA\n3\n\n");
  const Table table = read(file.path(), {.texts = {"x"}, .nan = NanPolicy::omit});
  EXPECT_EQ(fields(table.texts()), (Fields{"1", "", "", "2", "NA", "3"}));
  EXPECT_EQ(table.omitted_rows(), (Rows{1, 2, 4}));
}

TEST(Texts, UnknownColumnsAreNamedWithTheNearest) {
  const TempFile file("new.csv", "id,x\na,1\n");
  EXPECT_TRUE(says(message_of<InvalidArgument>(
                       [&] { (void)read(file.path(), {.columns = {"x"}, .texts = {"idd"}}); }),
                   "no column 'idd'", "did you mean 'id'?"));
}

// Text in the first line may be an id of the first row.
TEST(Texts, AreNoProofOfAHeader) {
  const TempFile file("new.csv", "a1,1\nb2,2\n");
  EXPECT_TRUE(says(message_of<InvalidArgument>(
                       [&] { (void)read(file.path(), {.columns = {"2"}, .texts = {"1"}}); }),
                   "header"));
  const Table table = read(file.path(), {.columns = {"2"}, .texts = {"1"}, .header = false});
  EXPECT_EQ(fields(table.texts()), (Fields{"a1", "b2"}));
}

TEST(Texts, OfNumbersConvertBack) {
  const TempFile file("new.npy");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {1, 0.1, nan, 2, 1e300, nan};
  write_npy(file.path(), values, std::vector<std::size_t>{3, 2});
  const Table table = read(file.path(), {.columns = {"1"}, .texts = {"2"}, .nan = NanPolicy::omit});
  EXPECT_EQ(table.texts().column(), "2");
  EXPECT_EQ(fields(table.texts()), (Fields{"0.1", "2", "nan"}));
  EXPECT_EQ(table.omitted_rows(), (Rows{1}));
  EXPECT_EQ(table.view().rows(), 2U);
}

}  // namespace texts_test
}  // namespace bootfold::data
