// Tables with columns of several types, and the progress of reading them back.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "bootfold/write.h"
#include "temp_file.h"

namespace bootfold::data {
namespace table_writer_test {

using testing_data::contents_of;
using testing_data::TempFile;

const std::vector<NamedColumn> kColumns = {
    {"city", std::vector<std::string>{"Bonn", "a,b", "say \"hi\""}},
    {"rows", std::vector<std::int64_t>{3, 9'007'199'254'740'993, -1}},
    {"mean", std::vector<double>{0.1, std::numeric_limits<double>::quiet_NaN(), 1e300}}};

TEST(TableWriter, CsvQuotesTextAndLeavesNanEmpty) {
  const TempFile file("table.csv", "");
  write_table(file.path(), kColumns);
  EXPECT_EQ(contents_of(file.path()),
            "city,rows,mean\n"
            "Bonn,3,0.1\n"
            "\"a,b\",9007199254740993,\n"
            "\"say \"\"hi\"\"\",-1,1e+300\n");
}

TEST(TableWriter, ParquetKeepsTheTypes) {
  const TempFile file("table.parquet", "");
  try {
    write_table(file.path(), kColumns);
  } catch (const DataError& error) {
    GTEST_SKIP() << error.what();
  }
  const Table table = read(file.path(), {.columns = {"rows"}, .labels = {"city"}});
  EXPECT_EQ(table.view().column(0).type(), Type::int64);
  std::vector<std::int64_t> rows(3);
  table.view().column(0).read_integers(0, rows);
  EXPECT_EQ(rows, std::get<1>(kColumns[1].values));
  EXPECT_EQ(table.labels().names.size(), 3U);
}

TEST(TableWriter, ColumnsMustBeEquallyLong) {
  std::vector<NamedColumn> columns = kColumns;
  columns[1].values = std::vector<double>{1};
  EXPECT_THROW(write_table("never.csv", columns), InvalidArgument);
  EXPECT_THROW(write_table("never.csv", {}), InvalidArgument);
}

TEST(ReadingProgress, RisesToTheBytesOfAllFiles) {
  std::string text = "x,y\n";
  while (text.size() < 3'000'000) text += "1.25,2.5\n";
  const TempFile one("one.csv", text);
  const TempFile two("two.csv", text);
  std::vector<double> done;
  ReadOptions options{.columns = {"x"}};
  options.progress = [&](execution::Progress progress) {
    EXPECT_EQ(progress.total, 2.0 * static_cast<double>(text.size()));
    EXPECT_GE(progress.done, done.empty() ? 0.0 : done.back());
    done.push_back(progress.done);
  };
  (void)read(std::vector{one.path(), two.path()}, options);
  ASSERT_GT(done.size(), 10U);
  EXPECT_EQ(done.back(), 2.0 * static_cast<double>(text.size()));
}

}  // namespace table_writer_test
}  // namespace bootfold::data
