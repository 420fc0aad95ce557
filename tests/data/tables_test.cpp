// Tables of some rows each have, put together, what read() gives.
#include "bootfold/tables.h"

#include <gtest/gtest.h>

#include "bootfold/error.h"
#include "source_rows.h"
#include "temp_file.h"

namespace bootfold::data {
namespace tables_test {

using testing_data::npy_file;
using testing_data::says;
using testing_data::TempFile;

/// Everything about rows, as text.
struct Rows {
  std::vector<std::vector<double>> numbers;
  std::vector<std::string> labels;
  std::vector<std::string> texts;
  std::vector<std::size_t> omitted;
  std::size_t filtered = 0;

  void add(const Table& table) {
    numbers.resize(table.view().columns());
    const std::size_t before = texts.size();
    for (std::size_t c = 0; c < numbers.size(); ++c)
      for (std::size_t row = 0; row < table.view().rows(); ++row)
        numbers[c].push_back(table.view().column(c)[row]);
    for (const std::uint32_t code : table.labels().codes)
      labels.push_back(table.labels().names[code]);
    for (std::size_t row = 0; row < table.texts().rows(); ++row)
      texts.emplace_back(table.texts()[row]);
    for (const std::size_t row : table.omitted_rows()) omitted.push_back(before + row);
    filtered += table.filtered();
  }

  bool operator==(const Rows&) const = default;
};

void expect_same(const std::vector<std::string>& paths, const ReadOptions& options) {
  Rows expected;
  expected.add(read(paths, options));
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, kChunkBytes}) {
    const Tables tables(paths, options, bytes);
    for (int pass = 0; pass < 2; ++pass) {
      SCOPED_TRACE(testing::Message() << paths[0] << ", " << bytes << " bytes, pass " << pass);
      Rows found;
      std::size_t parts = 0;
      const std::unique_ptr<TablePass> opened = tables.open();
      while (const std::optional<Table> table = opened->next()) {
        found.add(*table);
        ++parts;
      }
      EXPECT_EQ(found, expected);
      EXPECT_TRUE(bytes > 1 || parts > 3) << parts;
    }
  }
}

const char* const kVisits =
    "id,a,b,group\n"
    "r1,1,10,x\nr2,2,,y\nr3,3,30,x\nr4,,40,z\nr5,5,50,\"y\"\nr6,6,60,\nr7,7,70,x\nr8,8,80,w\n";

TEST(Tables, HaveTheRowsOfCsv) {
  const TempFile file("visits.csv", kVisits);
  const TempFile more("more.csv", "id,a,b,group\ns1,9,90,q\ns2,NA,1,x\n");
  ReadOptions options{.columns = {"b", "a"}, .labels = {"group"}, .texts = {"id"}};
  options.nan = NanPolicy::omit;
  expect_same({file.path()}, options);
  expect_same({file.path(), more.path()}, options);
  options.where = "a > 2 or a < 2";
  expect_same({file.path(), more.path()}, options);
}

TEST(Tables, HaveTheRowsOfNpy) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TempFile file(
      "rows.npy",
      npy_file<double>("<f8", "(5, 3)", {1, 2, 0, 3, nan, 1, 5, 6, 0, 7, 8, 1, 9, 9, 2}));
  ReadOptions options{.columns = {"1", "2"}, .labels = {"3"}, .texts = {"1"}};
  options.nan = NanPolicy::omit;
  expect_same({file.path()}, options);
  EXPECT_EQ(Tables({file.path()}, options).rows(), std::nullopt);
  options.columns = {"1"};
  options.nan = NanPolicy::error;
  EXPECT_EQ(Tables({file.path()}, options).rows(), 5U);
}

/// The message of the exception, if there is one.
template <class Act>
std::string message_of(Act&& act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// That of a complete pass.
std::string pass_message(const std::vector<std::string>& paths, const ReadOptions& options) {
  return message_of([&] {
    const Tables tables(paths, options, 1);
    const std::unique_ptr<TablePass> pass = tables.open();
    while (pass->next()) {
    }
  });
}

TEST(Tables, SayWhatReadSays) {
  const TempFile file("visits.csv", kVisits);
  const TempFile other("other.csv", "a,group\n1,x\n");
  const TempFile header("header.csv", "1,2,3\n50,60,7\n51,61,7\n52,62,7\n");
  const TempFile row("row.csv", "1,2,3\n50,60,7\n51,61,3\n52,62,7\n");
  const ReadOptions missing{.columns = {"b"}, .labels = {"group"}};
  const ReadOptions none{.columns = {"a"}, .nan = NanPolicy::omit, .where = "a > 100"};
  const ReadOptions all{.labels = {"3"}, .all_but = std::vector<std::string>{}};
  const auto read_message = [](const std::vector<std::string>& paths, const ReadOptions& options) {
    return message_of([&] { static_cast<void>(read(paths, options)); });
  };
  const std::string& path = file.path();
  EXPECT_EQ(pass_message({path}, missing), read_message({path}, missing));
  EXPECT_EQ(pass_message({path}, none), read_message({path}, none));
  EXPECT_EQ(pass_message({path, path}, none), read_message({path, path}, none));
  ReadOptions omit = missing;
  omit.nan = NanPolicy::omit;
  EXPECT_EQ(pass_message({path, other.path()}, omit), read_message({path, other.path()}, omit));
  EXPECT_TRUE(says(pass_message({header.path()}, all), "may be a header or a row"));
  EXPECT_EQ(pass_message({header.path()}, all), read_message({header.path()}, all));
  EXPECT_EQ(pass_message({row.path()}, all), "");  // label 3 occurs again below
  EXPECT_EQ(read_message({row.path()}, all), "");
}

TEST(Tables, NoticeAFileThatChanged) {
  TempFile file("visits.csv", kVisits);
  const Tables tables({file.path()}, {.columns = {"a"}, .nan = NanPolicy::omit});
  file.write("id,a,b,group\nr1,1,10,x\n");
  EXPECT_THROW(static_cast<void>(tables.open()->next()), DataError);
}

}  // namespace tables_test
}  // namespace bootfold::data
