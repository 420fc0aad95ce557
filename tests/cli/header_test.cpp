// No command reads a header of numbers as a row without a word.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "program.h"

namespace bootfold::cli {
namespace header_test {

using Words = std::vector<std::string>;

const std::string kYears = "2019,2020,2021\n1.5,2,3\n2.5,1,4\n0.5,2,2\n";
const std::string kRows = "5,2,3\n4,1,4\n6,2,3\n7,1,4\n";

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// What reads a file, behind which FILE and options follow.
const std::vector<Words> kCommands = {
    {"bootstrap", "--column", "1", "--replicates", "100"},
    {"bootstrap", "--column", "1", "--replicates", "exact"},
    {"explain", "--column", "1"},
    {"compare", "--value", "1", "--by", "3", "--control", "4", "--replicates", "100"},
    {"ensemble", "train", "--target", "1", "--task", "regression", "--members", "2", "--epochs",
     "1"},
};

TEST(HeaderOfNumbers, EveryCommandAsks) {
  const Folder folder;
  const std::string file = folder.write("sales.csv", kYears);
  for (const Words& command : kCommands) {
    SCOPED_TRACE(command[0]);
    const Outcome asked = run(command + Words{file});
    EXPECT_EQ(asked.code, 2);
    EXPECT_EQ(asked.out, "");
    EXPECT_NE(asked.err.find("sales.csv:1: "), std::string::npos) << asked.err;
    EXPECT_NE(asked.err.find("--header yes or --header no"), std::string::npos) << asked.err;
    for (const char* flag : {"--json", "--quiet"})
      EXPECT_EQ(run(command + Words{file, flag}).code, 2);
  }
}

/// Without the line that `ensemble train` prints before it trains.
std::string without_plan(const std::string& err) {
  const std::size_t plan = err.find("bootfold: 4 rows, 2 inputs; 2 networks");
  return plan == err.npos ? err : err.substr(0, plan) + err.substr(err.find('\n', plan) + 1);
}

TEST(HeaderOfNumbers, EveryCommandTellsOfAFirstLineOfNumbers) {
  const Folder folder;
  const std::string file = folder.write("plain.csv", kRows);
  for (const Words& command : kCommands) {
    SCOPED_TRACE(command[0]);
    const Outcome told = run(command + Words{file});
    EXPECT_EQ(told.code, 0) << told.err;
    EXPECT_NE(told.err.find("plain.csv:1: this line holds only numbers and was read as a row"),
              std::string::npos)
        << told.err;
    EXPECT_NE(told.err.find("--header yes"), std::string::npos) << told.err;
    const std::string note = without_plan(told.err);
    EXPECT_EQ(std::count(note.begin(), note.end(), '\n'), 1) << told.err;
    for (const Words& silent : {Words{"--json"}, Words{"--quiet"}, Words{"--header", "no"}}) {
      const Outcome outcome = run(command + Words{file} + silent);
      EXPECT_EQ(outcome.code, 0);
      EXPECT_EQ(without_plan(outcome.err), "") << silent[0];
    }
  }
}

TEST(HeaderOfNumbers, TheAnswerDecides) {
  const Folder folder;
  const std::string file = folder.write("sales.csv", kYears);
  const Words command{"bootstrap", file, "--replicates", "100", "--json"};
  const Outcome named = run(command + Words{"--column", "2020", "--header", "yes"});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_NE(named.out.find("\"rows\":3"), std::string::npos) << named.out;
  const Outcome numbered = run(command + Words{"--column", "2", "--header", "no"});
  EXPECT_EQ(numbered.code, 0) << numbered.err;
  EXPECT_NE(numbered.out.find("\"rows\":4"), std::string::npos) << numbered.out;
  EXPECT_NE(run(command + Words{"--column", "2020"}).err.find("--header yes"), std::string::npos);
}

TEST(HeaderOfNumbers, PlainFilesOfOneColumnNeedNoWord) {
  const Folder folder;
  const std::string file = folder.write("one.csv", "2019\n1.5\n2.5\n");
  const Outcome outcome = run({"bootstrap", file, "--replicates", "100"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST(HeaderOfNumbers, PredictionsAndEvaluationsAskToo) {
  const Folder folder;
  const std::string model = folder.path("model.safetensors");
  const std::string rows = folder.write("rows.csv", kRows);
  const Outcome trained =
      run({"ensemble", "train", rows, "--header", "no", "--target", "1", "--task", "regression",
           "--members", "2", "--epochs", "1", "--quiet", "--output", model});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string years = folder.write("years.csv", kYears);
  for (const char* command : {"predict", "evaluate"}) {
    const Outcome asked = run({"ensemble", command, model, years});
    EXPECT_EQ(asked.code, 2);
    EXPECT_NE(asked.err.find("--header yes or --header no"), std::string::npos) << asked.err;
    const Outcome told = run({"ensemble", command, model, rows});
    EXPECT_EQ(told.code, 0) << told.err;
    EXPECT_NE(told.err.find("was read as a row"), std::string::npos) << told.err;
    EXPECT_EQ(told.out.find("was read as a row"), std::string::npos);
  }
}

}  // namespace header_test
}  // namespace bootfold::cli
