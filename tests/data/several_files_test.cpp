// Several files, globs and folders are one table or one source.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "source_rows.h"
#include "temp_file.h"

namespace bootfold::data {
namespace several_files_test {

using testing_data::message_of;
using testing_data::npy_file;
using testing_data::Rows;
using testing_data::rows_of;
using testing_data::says;
using testing_data::TempFile;
using Paths = std::vector<std::string>;

/// A folder of files.
class Folder {
 public:
  std::string add(const std::string& name, const std::string& contents) const {
    const std::string path = file_.folder() + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << contents;
    return path;
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return file_.folder() + "/" + name;
  }

 private:
  TempFile file_{"ignored"};
};

/// Both ways to read: as a table and as a source. They must agree.
Rows rows_both_ways(const Paths& paths, const ReadOptions& options) {
  const Table table = read(paths, options);
  Rows rows(table.view().columns());
  for (std::size_t c = 0; c < rows.size(); ++c) {
    rows[c].resize(table.view().rows());
    table.view().column(c).read(0, rows[c]);
  }
  for (const std::size_t bytes : {1, 24, 1 << 20}) {
    const auto source = open(paths, options, bytes);
    EXPECT_EQ(rows_of(*source), rows);
    EXPECT_EQ(source->names(), table.names());
    EXPECT_EQ(notes(*source).omitted, table.omitted());
    EXPECT_EQ(notes(*source).filtered, table.filtered());
    EXPECT_EQ(notes(*source).note, table.note());
  }
  return rows;
}

/// Both ways must fail alike.
template <class Exception = DataError>
std::string error_both_ways(const Paths& paths, const ReadOptions& options) {
  const std::string message = message_of<Exception>([&] { (void)read(paths, options); });
  EXPECT_EQ(message_of<Exception>([&] { (void)rows_of(*open(paths, options, 16)); }), message);
  return message;
}

TEST(SeveralFiles, RowsAreInTheOrderOfTheFiles) {
  const Folder folder;
  folder.add("b.csv", "x,y\n3,30\n4,40\n");
  folder.add("a.csv", "y,x\n10,1\n20,2\n");
  folder.add("c.csv", "x,y\n");  // no rows: fine
  EXPECT_EQ(rows_both_ways({folder.path("*.csv")}, {.columns = {"x"}}), (Rows{{1, 2, 3, 4}}));
  EXPECT_EQ(rows_both_ways({folder.path("b.csv"), folder.path("a.csv")}, {.columns = {"y", "x"}}),
            (Rows{{30, 40, 10, 20}, {3, 4, 1, 2}}));
  EXPECT_EQ(rows_both_ways({folder.path("b.csv"), folder.path("[a]*")}, {.columns = {"x"}}),
            (Rows{{3, 4, 1, 2}}));
}

TEST(SeveralFiles, ArraysStayInTheirType) {
  const Folder folder;
  folder.add("1.npy", npy_file<float>("<f4", "(2,)", {1, 2}));
  folder.add("2.npy", npy_file<float>("<f4", "(0,)", {}));
  folder.add("3.npy", npy_file<float>("<f4", "(1,)", {3}));
  const Table table = read({folder.path("?.npy")});
  EXPECT_EQ(table.view().column(0).type(), Type::float32);
  EXPECT_EQ(table.bytes(), 12U);
  EXPECT_EQ(rows_both_ways({folder.path("?.npy")}, {}), (Rows{{1, 2, 3}}));
  EXPECT_EQ(open(Paths{folder.path("?.npy")})->rows(), 3U);
}

TEST(SeveralFiles, LabelsTextsAndOmittedRowsAreThoseOfAll) {
  const Folder folder;
  folder.add("a.csv", "x,g,id\n1,b,r1\n,a,r2\n3,a,r3\n");
  folder.add("b.csv", "x,g,id\nNA,c,r4\n5,c,r5\n");
  const Table table =
      read({folder.path("*.csv")},
           {.columns = {"x"}, .labels = {"g"}, .texts = {"id"}, .nan = NanPolicy::omit});
  EXPECT_EQ(table.labels().names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(table.labels().codes, (std::vector<std::uint32_t>{1, 0, 2}));
  EXPECT_EQ(table.omitted_rows(), (std::vector<std::size_t>{1, 3}));
  ASSERT_EQ(table.texts().rows(), 5U);
  EXPECT_EQ(table.texts()[3], "r4");
  EXPECT_EQ(table.bytes(), 3U * 8 + 3 * 4);
}

TEST(SeveralFiles, TheRowNumberOfNanIsThatInTheWhole) {
  const Folder folder;
  folder.add("a.csv", "x\n1\n2\n3\n");
  folder.add("b.csv", "x\n4\nNA\n");
  EXPECT_TRUE(says(error_both_ways({folder.path("*.csv")}, {}), "b.csv:3:1: missing value",
                   "row 5 of all files", "nan=omit"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  folder.add("a.npy", npy_file<double>("<f8", "(2,)", {1, 2}));
  folder.add("b.npy", npy_file<double>("<f8", "(2,)", {1, nan}));
  EXPECT_TRUE(says(error_both_ways({folder.path("*.npy")}, {}), "b.npy: row 2, row 4 of all files",
                   "is NaN"));
}

TEST(SeveralFiles, AMissingColumnIsNamedWithItsFile) {
  const Folder folder;
  folder.add("a.csv", "x,y\n1,2\n");
  folder.add("b.csv", "x,z\n1,2\n");
  EXPECT_TRUE(says(error_both_ways<InvalidArgument>({folder.path("*.csv")}, {.columns = {"y"}}),
                   "b.csv has no column 'y'", "'x', 'z'"));
  EXPECT_TRUE(says(error_both_ways({folder.path("*.csv")}, {.columns = {"2"}}),
                   "b.csv has column 'z' where ", "a.csv has 'y'", "columns=NAME"));
  EXPECT_TRUE(says(error_both_ways({folder.path("*.csv")}, {.all_but = std::vector<std::string>{}}),
                   "b.csv has column 'z'"));
}

TEST(SeveralFiles, TypesThatDifferAreNamedWithTheirFiles) {
  const Folder folder;
  folder.add("a.npy", npy_file<float>("<f4", "(1,)", {1}));
  folder.add("b.npy", npy_file<std::int32_t>("<i4", "(1,)", {1}));
  EXPECT_TRUE(says(error_both_ways({folder.path("*.npy")}, {}), "column '1' of ", "b.npy",
                   "type int32", "a.npy", "type float32"));
}

TEST(SeveralFiles, NoRowsInAllFilesIsAnError) {
  const Folder folder;
  folder.add("a.csv", "x\n");
  folder.add("b.csv", "x\n\n");
  EXPECT_TRUE(
      says(error_both_ways({folder.path("*.csv")}, {}), "a.csv and 1 other file", "has no rows"));
  folder.add("c.csv", "x\nNA\n2\nNA\n");
  EXPECT_TRUE(says(
      error_both_ways({folder.path("*.csv")}, {.nan = NanPolicy::omit, .where = "x is missing"}),
      "a.csv and 2 other files", "each of the 2 rows", "NaN"));
  EXPECT_TRUE(says(error_both_ways({folder.path("*.csv")}, {.where = "x > 5"}),
                   "a.csv and 2 other files", "none of its 3 rows", "where="));
}

TEST(Globs, AGlobThatMatchesNothingIsAnError) {
  const Folder folder;
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)read({folder.path("*.csv")}); }),
                   "no file matches ", "*.csv", "check the folder and the pattern"));
}

TEST(Globs, AFileWhoseNameLooksLikeAGlobIsItself) {
  const Folder folder;
  folder.add("x[1].csv", "x\n1\n");
  folder.add("x1.csv", "x\n2\n");
  EXPECT_EQ(rows_both_ways({folder.path("x[1].csv")}, {}), (Rows{{1}}));
}

TEST(Globs, FoldersAreSearchedForParquetFiles) {
  const Folder folder;
  folder.add("2/b.parquet", "");
  folder.add("1/a.PARQUET", "");
  folder.add("1/_temporary/c.parquet", "");
  folder.add("1/.hidden.parquet", "");
  folder.add("1/notes.csv", "");
  EXPECT_EQ(expand({folder.path("")}),
            (Paths{folder.path("1/a.PARQUET"), folder.path("2/b.parquet")}));
  folder.add("empty/x.csv", "x\n1\n");
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)expand({folder.path("empty")}); }),
                   "empty is a directory without .parquet files", "empty/*.csv"));
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)expand({"-", "-"}); }), "once only"));
}

TEST(Concatenated, JoinsSourcesOfAnyKind) {
  const std::vector<double> one = {1, 2, 3};
  const std::vector<double> none = {};
  const std::vector<double> two = {4};
  const Folder folder;
  const std::string file = folder.add("a.csv", "1\n5\n6\n");
  const Concatenated all({{"one", std::make_shared<MemorySource>(one, 2)},
                          {"none", std::make_shared<MemorySource>(none, 2)},
                          {"a.csv", std::shared_ptr<Source>(open(file))},
                          {"two", std::make_shared<MemorySource>(two, 2)}});
  EXPECT_EQ(rows_of(all), (Rows{{1, 2, 3, 1, 5, 6, 4}}));
  EXPECT_EQ(all.rows(), std::nullopt);
  const DataView named({ColumnView(two)}, {"x"});
  EXPECT_TRUE(says(message_of<DataError>([&] {
                     Concatenated({{"one", std::make_shared<MemorySource>(one, 2)},
                                   {"two", std::make_shared<MemorySource>(named, 2)}});
                   }),
                   "two has column 'x' where one has '1'"));
}

}  // namespace several_files_test
}  // namespace bootfold::data
