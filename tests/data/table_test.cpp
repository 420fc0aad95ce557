// data::read: which file, which kind, which column.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "temp_file.h"

namespace bootfold::data {
namespace table_test {

using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

std::string data_error(const std::string& path) {
  return message_of<DataError>([&] { (void)read(path); });
}

std::string column_error(const TempFile& file, const std::vector<std::string>& columns) {
  return message_of<InvalidArgument>([&] { (void)read(file.path(), {.columns = columns}); });
}

TEST(Read, MissingFilesAndDirectoriesAreNamedWithTheReason) {
  const TempFile file("x.csv", "1\n");
  EXPECT_TRUE(says(data_error("/nowhere/x.csv"), "/nowhere/x.csv", "No such file or directory"));
  EXPECT_TRUE(says(data_error("/nowhere"), "/nowhere", "No such file or directory"));
  EXPECT_TRUE(says(data_error(file.path() + "/x.npy"), "Not a directory"));
  EXPECT_TRUE(says(data_error(file.folder()), file.folder(), "is a directory"));
  EXPECT_TRUE(says(data_error(""), "cannot open ''"));
}

TEST(Read, AllButSomeColumns) {
  const TempFile file("x.csv", "a,b,c,d\n1,x,3,4\n5,y,7,8\n");
  const auto names = [&](const ReadOptions& options) { return read(file.path(), options).names(); };
  const std::vector<std::string> none;
  EXPECT_EQ(names({.labels = {"b"}, .all_but = none}), (std::vector<std::string>{"a", "c", "d"}));
  EXPECT_EQ(names({.all_but = std::vector<std::string>{"b", "4"}}),
            (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(names({.columns = {"d"}, .labels = {"b"}, .all_but = none}),
            (std::vector<std::string>{"d", "a", "c"}));
  const auto error = [&](const ReadOptions& options) {
    return message_of<InvalidArgument>([&] { (void)read(file.path(), options); });
  };
  EXPECT_TRUE(says(error({.all_but = std::vector<std::string>{"e"}}), "'e'", "'a', 'b'"));
  EXPECT_TRUE(says(error({.labels = {"b"}, .all_but = std::vector<std::string>{"a", "c", "d"}}),
                   "no columns other than"));
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)read(file.path(), {.all_but = none}); }),
                   "'x' is not a number", "all_but=NAME"));
  const TempFile array("x.npy");
  write_npy(array.path(), std::vector<double>{1, 2, 3, 4, 5, 6}, std::vector<std::size_t>{2, 3});
  const Table table = read(array.path(), {.all_but = std::vector<std::string>{"2"}});
  EXPECT_EQ(table.names(), (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(table.view().column(1)[1], 6);
}

TEST(Read, UnknownEndingsListTheSupportedOnes) {
  for (const char* name : {"x", "csv", "x.npz", "x.csv.bz2", "x.npy.gz"}) {
    const TempFile file(name, "1\n");
    EXPECT_TRUE(says(data_error(file.path()), name, ".csv, .tsv", ".gz", ".npy", "standard input"));
  }
}

TEST(Read, EndingsMayBeInCapitals) {
  const TempFile file("X.CSV", "1\n2\n");
  EXPECT_EQ(read(file.path()).view().rows(), 2U);
}

// Puts a file in the place of standard input while it lives.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : saved_(::dup(STDIN_FILENO)) {
    const int file = ::open(path.c_str(), O_RDONLY);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
};

TEST(Read, ADashIsCsvOnStandardInput) {
  const TempFile file("any.name", "x\n1\n2\n");
  const StandardInput input(file.path());
  EXPECT_EQ(read("-").view().rows(), 2U);
}

TEST(Read, MessagesNameStandardInput) {
  const TempFile file("any.name", "x\n1\nabc\n");
  const StandardInput input(file.path());
  EXPECT_TRUE(says(data_error("-"), "standard input:3:1: 'abc'"));
}

TEST(Read, UnknownColumnsListThoseThereAreAndTheNearest) {
  const TempFile file("x.csv", "day,price,volume\n1,2,3\n");
  EXPECT_TRUE(says(column_error(file, {"prise"}), "no column 'prise'", "did you mean 'price'?",
                   "'day', 'price', 'volume'"));
  EXPECT_TRUE(says(column_error(file, {"Pirce"}), "did you mean 'price'?"));
  EXPECT_TRUE(says(column_error(file, {"VOLUME"}), "did you mean 'volume'?"));
  for (const char* word : {"temperature", "0", "4", "-1", "1.0", "", "99999999999999999999999"}) {
    const std::string message = column_error(file, {word});
    EXPECT_TRUE(says(message, "no column '", "'day', 'price', 'volume'"));
    EXPECT_EQ(message.find("did you mean"), std::string::npos) << message;
  }
}

TEST(Read, WithoutAChoiceThereMustBeOneColumn) {
  const TempFile file("x.csv", "day,price\n1,2\n");
  EXPECT_TRUE(says(column_error(file, {}), "2 columns", "columns=NAME", "'day', 'price'"));
}

TEST(Read, LongListsOfColumnsAreCut) {
  std::string header = "c1";
  for (int i = 2; i <= 50; ++i) header += ",c" + std::to_string(i);
  const TempFile file("x.csv", header + "\n");
  EXPECT_TRUE(says(column_error(file, {"nothing"}), "'c20' and 30 more"));
}

TEST(Read, AnAmbiguousNameAsksForTheNumber) {
  const TempFile file("x.csv", "a,x,x\n1,2,3\n");
  EXPECT_TRUE(says(column_error(file, {"x"}), "several columns 'x'", "2 and 3", "number"));
  EXPECT_EQ(read(file.path(), {.columns = {"3"}}).view().column(0)[0], 3.0);
}

TEST(Read, NamesInMessagesAreUtf8OnOneLine) {
  const TempFile file("x.csv",
                      "\"gr\xC3\xB6\xC3\x9F"
                      "e\n\",\xC3\x28\xED\xA0\x80\n1,2\n");
  EXPECT_TRUE(says(column_error(file, {"nothing"}),
                   "'gr\xC3\xB6\xC3\x9F"
                   "e\\x0a'",
                   "'\\xc3(\\xed\\xa0\\x80'"));
}

}  // namespace table_test
}  // namespace bootfold::data
