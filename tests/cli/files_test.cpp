// Several files, globs, folders and Parquet files; --where.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "program.h"

namespace bootfold::cli {
namespace files_test {

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// What one line on standard error says.
testing::AssertionResult refused(const Outcome& outcome, const std::vector<std::string>& parts) {
  if (outcome.code != 2) return testing::AssertionFailure() << "exit code " << outcome.code;
  for (const std::string& part : parts)
    if (outcome.err.find(part) == std::string::npos)
      return testing::AssertionFailure() << "no '" << part << "' in: " << outcome.err;
  return testing::AssertionSuccess();
}

const std::string kHeader = "x,y,g\n";
const std::string kFirst = "1,10,a\n2,11,b\n3,9,a\n4,14,b\n";
const std::string kSecond = "5,12,a\n6,17,b\n7,11,c\n8,13,c\n";

const std::vector<Words> kCommands = {
    {"bootstrap", "--column", "x,y", "--replicates", "100"},
    {"bootstrap", "--column", "y", "--replicates", "exact"},
    {"explain", "--column", "y"},
    {"compare", "--value", "y", "--by", "g", "--replicates", "100"},
    {"ensemble", "train", "--target", "y", "--task", "regression", "--input", "x", "--members", "2",
     "--epochs", "1"},
};

// Everything but times and memory.
std::string numbers_of(const Outcome& outcome) {
  std::string text = outcome.out;
  for (const char* line : {"data memory", "time", "peak"})
    for (std::size_t at = text.find(line); at != std::string::npos; at = text.find(line))
      text.erase(at, text.find('\n', at) - at);
  return text;
}

TEST(SeveralFiles, EveryCommandReadsThemAsOne) {
  const Folder folder;
  const std::string all = folder.write("all.csv", kHeader + kFirst + kSecond);
  const std::string first = folder.write("part-1.csv", kHeader + kFirst);
  const std::string second = folder.write("part-2.csv", kHeader + kSecond);
  for (const Words& command : kCommands) {
    SCOPED_TRACE(command[0]);
    const Outcome one = run(command + Words{all, "--quiet"});
    EXPECT_EQ(one.code, 0) << one.err;
    for (const Words& files : {Words{first, second}, Words{folder.path("part-*.csv")}}) {
      const Outcome several = run(command + Words{"--quiet"} + files);
      EXPECT_EQ(several.code, 0) << several.err;
      EXPECT_EQ(numbers_of(several), numbers_of(one));
    }
  }
}

TEST(Where, EveryCommandLeavesTheOtherRowsOut) {
  const Folder folder;
  const std::string all =
      folder.write("all.csv", kHeader + kFirst + "oops,,z\n" + kSecond + "1,1,z\n");
  const std::string wanted = folder.write("wanted.csv", kHeader + kFirst + kSecond);
  for (const Words& command : kCommands) {
    SCOPED_TRACE(command[0]);
    const Outcome one = run(command + Words{wanted, "--quiet"});
    EXPECT_EQ(one.code, 0) << one.err;
    const Outcome filtered = run(command + Words{all, "--quiet", "--where", "g != 'z'"});
    EXPECT_EQ(filtered.code, 0) << filtered.err;
    EXPECT_EQ(numbers_of(filtered), numbers_of(one));
    EXPECT_EQ(filtered.err, "");
  }
  const Outcome told = run({"bootstrap", all, "--column", "y", "--where", "g in ('a', 'b')"});
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.err.find("--where left out 4 of 10 rows"), std::string::npos) << told.err;
  const Outcome json =
      run({"bootstrap", all, "--column", "y", "--where", "g != 'z' and x == 1", "--json"});
  EXPECT_NE(json.out.find("\"filtered_rows\":9"), std::string::npos) << json.out << json.err;
}

TEST(Where, EnsemblesPredictOnlyTheRowsForWhichItHolds) {
  const Folder folder;
  const std::string rows = folder.write("rows.csv", kHeader + kFirst + kSecond);
  const std::string model = folder.path("m.safetensors");
  const Outcome trained =
      run({"ensemble", "train", rows, "--target", "y", "--task", "regression", "--input", "x",
           "--members", "2", "--epochs", "1", "--output", model, "--quiet"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome predicted =
      run({"ensemble", "predict", model, rows, "--keep", "x", "--where", "g == 'a'", "--quiet"});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  const Outcome alone = run({"ensemble", "predict", model, "-", "--keep", "x", "--quiet"},
                            {.input = kHeader + "1,10,a\n3,9,a\n5,12,a\n"});
  EXPECT_EQ(predicted.out, alone.out);
  EXPECT_NE(alone.out, "");
}

TEST(Where, MistakesAreAnsweredWithTheirPlace) {
  const Folder folder;
  const std::string file = folder.write("x.csv", kHeader + kFirst);
  const Words command = {"bootstrap", file, "--column", "x", "--where"};
  EXPECT_TRUE(refused(run(command + Words{"g = 'a'"}),
                      {"--where is 'g = 'a'' but at character 3, '=': write =="}));
  EXPECT_TRUE(refused(run(command + Words{"h == 'a'"}), {"x.csv has no column 'h'"}));
  EXPECT_TRUE(refused(run(command + Words{"x > 100"}),
                      {"x.csv: the condition is true for none of its 4 rows", "--where"}));
  EXPECT_TRUE(refused(run(command + Words{"g > 1"}), {"x.csv:2:3: 'a' is not a number"}));
}

TEST(SeveralFiles, MistakesAreNamedWithTheirFile) {
  const Folder folder;
  folder.write("1.csv", kHeader + kFirst);
  folder.write("2.csv", "x,z\n1,2\n");
  folder.write("3.csv", kHeader + "1,NA,a\n");
  folder.write("4.csv", kHeader);
  folder.write("5.csv", kHeader);
  const auto read = [&](const Words& names, const std::string& column) {
    Words words = {"bootstrap", "--column", column};
    for (const std::string& name : names) words.push_back(folder.path(name));
    return run(words);
  };
  EXPECT_TRUE(refused(read({"1.csv", "2.csv"}, "y"), {"2.csv has no column 'y'"}));
  EXPECT_TRUE(refused(read({"1.csv", "4.csv", "3.csv"}, "y"),
                      {"3.csv:2:2: missing value (column 'y', row 5 of all files)", "--nan omit"}));
  EXPECT_TRUE(refused(read({"[45].csv"}, "y"), {"4.csv and 1 other file has no rows"}));
  EXPECT_TRUE(refused(read({"*.tsv"}, "y"), {"no file matches ", "*.tsv"}));
  EXPECT_TRUE(refused(read({""}, "y"), {"is a directory without .parquet files"}));
  EXPECT_TRUE(refused(run({"bootstrap", "-", "-", "--column", "x"}, {.input = "x\n1\n"}),
                      {"standard input can be read once only"}));
  const Outcome output = run({"bootstrap", folder.path("1.csv"), folder.path("5.csv"), "--column",
                              "x", "--output", folder.path("5.csv")});
  EXPECT_TRUE(refused(output, {"--output", "is the file to read"}));
}

TEST(ParquetFiles, AreReadAloneInFoldersAndByGlobs) {
  const std::string folder = std::string(BOOTFOLD_TEST_DATA) + "/data/parquet/";
  const Words command = {"bootstrap", "--column", "n", "--replicates", "100", "--quiet"};
  const Outcome one = run(command + Words{folder + "flights.parquet"});
  if (one.err.find("built without Arrow") != std::string::npos) {
    EXPECT_EQ(one.code, 2);
    GTEST_SKIP() << one.err;
  }
  EXPECT_EQ(one.code, 0) << one.err;
  std::string text = "n\n";
  for (int n = 1; n <= 10; ++n) text += std::to_string(n) + "\n";
  EXPECT_EQ(one.out, run(command + Words{"-"}, {.input = text}).out);

  const Folder copy;
  std::filesystem::create_directories(copy.path("year=2024"));
  std::filesystem::copy_file(folder + "flights.parquet", copy.path("year=2024/a.parquet"));
  std::filesystem::copy_file(folder + "empty.parquet", copy.path("b.parquet"));
  EXPECT_EQ(run(command + Words{copy.path("")}).out, one.out);
  EXPECT_EQ(run(command + Words{copy.path("*/*.parquet")}).out, one.out);

  const Outcome compared = run({"compare", folder + "flights.parquet", "--value", "n", "--by",
                                "origin", "--where", "origin != 'EWR'", "--replicates", "100"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_NE(compared.out.find("LGA"), std::string::npos);
  EXPECT_NE(compared.err.find("--where left out 3 of 10 rows"), std::string::npos);

  EXPECT_TRUE(refused(run(command + Words{folder + "flights.parquet", folder + "no_n.parquet"}),
                      {"no_n.parquet has no column 'n'"}));
  EXPECT_TRUE(
      refused(run(command + Words{folder + "flights.parquet", folder + "other_type.parquet"}),
              {"other_type.parquet is of type float64", "flights.parquet is of type int32"}));
  EXPECT_TRUE(refused(run({"bootstrap", folder, "--column", "n"}), {"has no column 'n'"}));
}

}  // namespace files_test
}  // namespace bootfold::cli
