// bootfold extend: a saved run gets more replicates, and has the bits of one long run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "bootfold/bootstrap.h"
#include "program.h"

namespace bootfold::cli {
namespace extend_test {

using testing::AllOf;
using testing::HasSubstr;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Extend : public testing::Test {
 protected:
  /// bootfold bootstrap with --save.
  Outcome save(const std::vector<std::string>& more, const std::string& file = "x.csv",
               const std::string& name = "run.safetensors") const {
    std::vector<std::string> words = {"bootstrap", folder_.path(file), "--save", folder_.path(name),
                                      "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  Outcome extend(std::vector<std::string> more) const {
    more.insert(more.begin(), {"extend", folder_.path("run.safetensors")});
    return run(more);
  }
  [[nodiscard]] Result load(const std::string& name) const {
    return Result::load(folder_.path(name));
  }

  Folder folder_;
};

TEST_F(Extend, HasTheBitsOfOneLongRun) {
  std::string text = "price;volume;shop;w\n";
  for (int row = 0; row < 400; ++row)
    text += std::to_string(row * row % 101) + ",5;" + std::to_string(row % 17 + row % 5) + ";s" +
            std::to_string(row % 9) + ";" + std::to_string(1 + row % 4) + "\n";
  folder_.write("x.csv", text);
  const std::vector<std::vector<std::string>> commands = {
      {"--column", "price"},
      {"--column", "price", "--statistic", "median,quantile:0.9", "--interval", "all"},
      {"--column", "price,volume", "--statistic", "correlation", "--seed", "9"},
      {"--column", "price", "--cluster", "shop", "--interval", "bca", "--confidence", "0.9"},
      {"--column", "price", "--strata", "shop"},
      {"--column", "price", "--weights", "w", "--statistic", "mean,median"},
      {"--column", "price", "--scheme", "stationary"},
      {"--column", "price", "--interval", "studentized"},
      {"--column", "price", "--size", "50", "--rescale", "none"},
      {"--column", "price", "--path", "gather", "--tolerance", "1e-7"},
  };
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(testing::PrintToString(command));
    command.insert(command.end(), {"--decimal", ",", "--replicates"});
    std::vector<std::string> whole = command;
    command.push_back("300");
    whole.push_back("1000");
    ASSERT_EQ(save(command).code, 0);
    const Outcome direct = save(whole, "x.csv", "whole.safetensors");
    ASSERT_EQ(direct.code, 0) << direct.err;
    const Outcome extended = extend({"--replicates", "1e3", "--quiet"});
    ASSERT_EQ(extended.code, 0) << extended.err;
    EXPECT_EQ(extended.out, direct.out);
    const Result a = load("run.safetensors");
    const Result b = load("whole.safetensors");
    EXPECT_TRUE(std::ranges::equal(a.replicates(), b.replicates()));
    EXPECT_EQ(a.companions().replicate_errors, b.companions().replicate_errors);
    EXPECT_EQ(a.fingerprint(), b.fingerprint());
    EXPECT_EQ(a.count(), 1000U);
    const std::vector<std::string> intervals = {"--interval", "percentile", "--quiet"};
    EXPECT_EQ(run({"interval", folder_.path("run.safetensors"), "--quiet"}).out,
              run({"interval", folder_.path("whole.safetensors"), "--quiet"}).out);
  }
}

TEST_F(Extend, TwiceAndToAnotherFile) {
  folder_.write("x.csv", two_columns(200));
  ASSERT_EQ(save({"--column", "price", "--replicates", "100"}).code, 0);
  const std::string before = bytes_of(folder_.path("run.safetensors"));
  ASSERT_EQ(extend({"--replicates", "500", "--save", folder_.path("other.safetensors")}).code, 0);
  EXPECT_EQ(bytes_of(folder_.path("run.safetensors")), before);
  ASSERT_EQ(extend({"--replicates", "200"}).code, 0);
  ASSERT_EQ(extend({"--replicates", "500", "--checkpoint", folder_.path("c")}).code, 0);
  EXPECT_TRUE(std::ranges::equal(load("run.safetensors").replicates(),
                                 load("other.safetensors").replicates()));
  EXPECT_EQ(folder_.files(),
            (std::vector<std::string>{"other.safetensors", "run.safetensors", "x.csv"}));
}

TEST_F(Extend, FindsDataThatMovedAndRefusesOthers) {
  folder_.write("x.csv", two_columns(200));
  ASSERT_EQ(save({"--column", "price", "--replicates", "100"}).code, 0);
  const std::string before = bytes_of(folder_.path("run.safetensors"));
  std::filesystem::rename(folder_.path("x.csv"), folder_.path("y.csv"));
  Outcome outcome = extend({"--replicates", "500"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("if they were moved, name them with --file"));
  folder_.write("z.csv", two_columns(201));
  outcome = extend({"--replicates", "500", "--file", folder_.path("z.csv")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("is not the data that"), HasSubstr("it had 200 rows and has 201")));
  std::string changed = two_columns(200);
  changed[changed.size() / 2] = changed[changed.size() / 2] == '1' ? '2' : '1';
  folder_.write("z.csv", changed);
  outcome = extend({"--replicates", "500", "--file", folder_.path("z.csv")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(bytes_of(folder_.path("run.safetensors")), before);
  EXPECT_EQ(extend({"--replicates", "500", "--file", folder_.path("y.csv")}).code, 0);
  EXPECT_EQ(load("run.safetensors").count(), 500U);
}

TEST_F(Extend, SaysWhatCannotBeExtended) {
  folder_.write("x.csv", two_columns(50));
  ASSERT_EQ(save({"--column", "price", "--replicates", "100"}).code, 0);
  EXPECT_THAT(extend({"--replicates", "100"}).err, HasSubstr("has 100 already"));
  EXPECT_THAT(extend({}).err, HasSubstr("no --replicates given"));
  EXPECT_THAT(run({"extend"}).err, HasSubstr("no FILE given"));
  EXPECT_EQ(extend({"--replicates", "lots"}).code, 2);
  ASSERT_EQ(save({"--column", "price", "--scheme", "jackknife"}).code, 0);
  EXPECT_THAT(extend({"--replicates", "1000"}).err, HasSubstr("is a jackknife"));
  ASSERT_EQ(save({"--column", "price", "--scheme", "balanced", "--replicates", "10"}).code, 0);
  EXPECT_THAT(extend({"--replicates", "1000"}).err, HasSubstr("of scheme balanced"));
  const std::vector<double> rows = {1, 2, 4, 8};
  bootstrap(DataView(rows), statistic::mean()).save(folder_.path("run.safetensors"));
  EXPECT_THAT(extend({"--replicates", "20000"}).err,
              HasSubstr("does not tell which data it was made from"));
  EXPECT_EQ(
      run({"bootstrap", "-", "--save", folder_.path("run.safetensors")}, {.input = "1\n2\n3\n"})
          .code,
      0);
  EXPECT_THAT(extend({"--replicates", "20000"}).err, HasSubstr("came from standard input"));
}

}  // namespace extend_test
}  // namespace bootfold::cli
