// Every command that reads a file takes --delimiter, --decimal, --thousands and --missing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program.h"

namespace bootfold::cli {
namespace dialect_test {

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The same rows in two dialects.
const std::string kUsual =
    "x,y,g\n1.5,1000,a\n2.5,,a\n0.5,1200.25,b\n1.25,900,a\n2,1100,b\n3,1300,b\n";
const std::string kOther =
    "\xEF\xBB\xBFx|y|g\r\n1,5|1.000|a\r\n2,5|k.A.|a\r\n0,5|1.200,25|b\r\n1,25|900|a\r\n2|1.100|b"
    "\r\n3|1.300|b\r\n";
const Words kDialect = {"--delimiter", "pipe",      "--decimal", ",",     "--thousands",
                        ".",           "--missing", "-,k.A.",    "--nan", "omit"};

const std::vector<Words> kCommands = {
    {"bootstrap", "--column", "x,y", "--replicates", "100"},
    {"bootstrap", "--column", "y", "--replicates", "exact"},
    {"explain", "--column", "y"},
    {"compare", "--value", "y", "--by", "g", "--replicates", "100"},
    {"ensemble", "train", "--target", "y", "--task", "regression", "--input", "x", "--members", "2",
     "--epochs", "1"},
};

TEST(Dialect, EveryCommandReadsIt) {
  for (const Words& command : kCommands) {
    SCOPED_TRACE(command[0]);
    const Words options = {"-", "--quiet"};
    const Outcome usual = run(command + options + Words{"--nan", "omit"}, {.input = kUsual});
    const Outcome other = run(command + options + kDialect, {.input = kOther});
    EXPECT_EQ(usual.code, 0) << usual.err;
    EXPECT_EQ(other.code, 0) << other.err;
    EXPECT_EQ(other.out, usual.out);
  }
}

TEST(Dialect, EnsemblesReadItInEveryFile) {
  const Folder folder;
  const std::string rows = folder.write("rows.txt", kOther);
  const std::string model = folder.path("model.safetensors");
  const Outcome trained =
      run(Words{"ensemble", "train", rows, "--target", "y", "--task", "regression", "--input", "x",
                "--members", "4", "--epochs", "1", "--validation", rows, "--output", model} +
          kDialect);
  EXPECT_EQ(trained.code, 0) << trained.err;
  const Outcome predicted = run(Words{"ensemble", "predict", model, rows, "--interval",
                                      "jackknife+", "--training", rows, "--keep", "y"} +
                                kDialect);
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_NE(predicted.out.find("k.A."), std::string::npos) << predicted.out;
  EXPECT_EQ(run(Words{"ensemble", "evaluate", model, rows} + kDialect).code, 0);
}

void expect_message(const Words& options, const std::string& text, const Words& parts) {
  const Outcome outcome = run(Words{"bootstrap", "-", "--column", "1"} + options, {.input = text});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  for (const std::string& part : parts)
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << "\n" << outcome.err;
}

// The same rows without a word about the dialect, but for the words that are missing values.
TEST(Dialect, IsFoundAndTold) {
  for (const Words& command : kCommands) {
    SCOPED_TRACE(command[0]);
    const Words missing = {"-", "--nan", "omit", "--missing", "-,k.A."};
    const Outcome usual = run(command + missing, {.input = kUsual});
    const Outcome other = run(command + missing, {.input = kOther});
    EXPECT_EQ(other.code, 0) << other.err;
    EXPECT_NE(other.err.find("standard input: read with --delimiter pipe, --decimal comma and "
                             "--thousands point"),
              std::string::npos)
        << other.err;
    EXPECT_EQ(usual.err.find("read with"), std::string::npos) << usual.err;
    const Outcome quiet = run(command + missing + Words{"--quiet"}, {.input = kOther});
    EXPECT_EQ(quiet.err.find("read with"), std::string::npos) << quiet.err;
    EXPECT_EQ(quiet.out, run(command + missing + Words{"--quiet"}, {.input = kUsual}).out);
  }
}

TEST(Dialect, ThousandsCanBeDenied) {
  expect_message({"--thousands", "none"}, "x;y\n1.234,5;2\n",
                 {"'1.234,5' is not a number", "--decimal comma and --thousands point"});
}

TEST(Dialect, SemicolonsAreFound) {
  const Outcome outcome = run({"bootstrap", "-", "--column", "b", "--quiet", "--replicates", "10"},
                              {.input = "a;b\n1;2\n2;2\n"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* tab : {"tab", "\\t", "\t"})
    EXPECT_EQ(run({"bootstrap", "-", "--column", "b", "--delimiter", tab},
                  {.input = "a,1\tb\n1\t2\n2\t2\n"})
                  .code,
              0);
}

TEST(Dialect, MistakesAreToldInTheWordsOfTheCommandLine) {
  const std::string plain = "x\n1\n2\n";
  expect_message({"--delimiter", "comma,"}, plain,
                 {"--delimiter is 'comma,'", "one character", "semicolon, tab"});
  expect_message({"--delimiter", "a"}, plain, {"--delimiter is 'a'", "semicolon"});
  expect_message({"--decimal", ";"}, plain, {"--decimal is ';'", "a point or a comma"});
  expect_message({"--decimal", ",", "--delimiter", ","}, plain,
                 {"--decimal is ','", "--delimiter semicolon"});
  expect_message({"--thousands", "."}, plain, {"--thousands is '.'", "--decimal comma"});
  expect_message({"--thousands", "dozen"}, plain, {"--thousands is 'dozen'", "apostrophe"});
  expect_message({"--decimal", ","}, "a,b\n1,2\n", {"'a,b' may be", "--delimiter semicolon"});
  expect_message({"--missing", "NA,,-"}, plain, {"empty name"});
  expect_message({"--missing", ""}, plain, {"--missing needs a value"});
  expect_message({"--decimal", "point"}, "x;y\n1,5;2\n",
                 {"standard input:2:1: '1,5'", "with --decimal comma it is one"});
  expect_message({"--thousands", ","}, "x;y\n1,50;2\n",
                 {"'1,50' is not a number (column 'x')", "--thousands comma", "1,234,567.89"});
  expect_message({}, "x\n1\n-\n", {"'-' is not a number", "--missing 'NA,-'"});
  expect_message({"--missing", "-"}, "x\n1\n-\n", {":3:1: missing value", "--nan omit"});
}

}  // namespace dialect_test
}  // namespace bootfold::cli
