// Every mistake is answered by one line on standard error that names the value and the remedy,
// nothing on standard output, and an exit code that says whose mistake it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "bootfold/data.h"
#include "program.h"

namespace bootfold::cli {
namespace misuse_test {

void expect_line(const Outcome& outcome, int code, const std::vector<std::string>& parts) {
  EXPECT_EQ(outcome.code, code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("bootfold: ", 0), 0U) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  for (const std::string& part : parts)
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << " is not in " << outcome.err;
}

struct Mistake {
  std::vector<std::string> arguments;  // "FILE" stands for a good file
  std::vector<std::string> said;

  friend std::ostream& operator<<(std::ostream& stream, const Mistake& mistake) {
    stream << "bootfold";
    for (const std::string& argument : mistake.arguments) stream << ' ' << argument;
    return stream;
  }
};

class Misuse : public testing::TestWithParam<Mistake> {};

TEST_P(Misuse, IsAnsweredInOneLine) {
  const Folder folder;
  std::vector<std::string> arguments = GetParam().arguments;
  std::replace(arguments.begin(), arguments.end(), std::string("FILE"),
               folder.write("x.csv", two_columns(20)));
  expect_line(run(arguments), 2, GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    Command, Misuse,
    testing::Values(
        Mistake{{},
                {"needs a command",
                 "bootstrap, explain, interval, extend, compare, ensemble, look, plan, part, "
                 "merge, demo"}},
        Mistake{{"bootsrap", "FILE"},
                {"unknown command 'bootsrap'", "did you mean bootfold bootstrap?"}},
        Mistake{{"frobnicate"},
                {"unknown command 'frobnicate'",
                 "bootstrap, explain, interval, extend, compare, ensemble, look, plan, part, "
                 "merge, demo"}},
        Mistake{{"demo"}, {"needs a command", "bootstrap"}},
        Mistake{{"demo", "boot"}, {"unknown command 'boot'", "bootfold demo bootstrap"}},
        Mistake{{"bootstrap"}, {"no FILE given"}}, Mistake{{"explain"}, {"no FILE given"}},
        Mistake{{"bootstrap", "FILE", "other.csv", "--column", "price"}, {"cannot open other.csv"}},
        Mistake{{"bootstrap", "--replicate", "5", "FILE"},
                {"unknown option '--replicate'", "did you mean --replicates?"}},
        Mistake{{"bootstrap", "FILE", "--xyzzy=1"}, {"unknown option '--xyzzy'", "--statistic"}},
        Mistake{{"--json", "bootstrap", "FILE"}, {"--json must follow the command"}},
        Mistake{{"bootstrap", "FILE", "--replicates"}, {"option --replicates needs a value"}},
        Mistake{{"bootstrap", "FILE", "--output", "--json"},
                {"option --output needs a value", "--json follows"}},
        Mistake{{"bootstrap", "FILE", "--json=yes"}, {"option --json takes no value"}}));

Mistake with(const std::string& option, const std::string& value, std::vector<std::string> said) {
  return {{"bootstrap", "FILE", "--column", "price", option, value}, std::move(said)};
}

INSTANTIATE_TEST_SUITE_P(
    Value, Misuse,
    testing::Values(
        with("--replicates", "0", {"--replicates is 0", "at least 1"}),
        with("--replicates", "-5", {"--replicates is -5", "at least 1"}),
        with("--replicates", "many", {"--replicates is 'many'", "1_000_000"}),
        with("--replicates", "1.5", {"--replicates is '1.5'", "whole number"}),
        with("--replicates", "1e15", {"replicates"}), with("--replicates", "1e30", {"1e30"}),
        with("--seed", "-1", {"--seed is -1", "at least 0"}),
        with("--threads", "0", {"--threads is 0", "at least 1", "leave it out to use all cores"}),
        with("--threads", "-2", {"--threads is -2", "at least 1"}),
        with("--memory", "lots", {"--memory is 'lots'", "256M"}),
        with("--memory", "0", {"--memory is '0'", "256M"}), with("--memory", "1", {"memory"}),
        with("--confidence", "0", {"--confidence is '0'", "between 0 and 1", "0.95"}),
        with("--confidence", "95", {"--confidence is '95'", "between 0 and 1", "0.95"}),
        with("--tolerance", "-1", {"--tolerance is '-1'", "above 0"}),
        with("--interval", "bac", {"--interval is 'bac'", "did you mean 'bca'?"}),
        with("--interval", "bca,,all", {"empty name"}),
        with("--alternative", "bigger", {"--alternative is 'bigger'", "two-sided, less"}),
        with("--convention", "python", {"--convention is 'python'", "numpy, r"}),
        with("--precision", "0.01", {"--precision is for --replicates auto"}),
        with("--inner", "20", {"--inner is now --nested-replicates"}),
        Mistake{{"compare", "FILE", "--only", "A"}, {"--only is now --groups"}},
        Mistake{{"ensemble", "train", "FILE", "--resample", "none"},
                {"--resample is now --resampling"}},
        Mistake{{"ensemble", "train", "FILE", "--raw"}, {"--raw is now --standardize no"}},
        with("--save", "run.npy", {"--save is 'run.npy'", ".safetensors"}),
        with("--save", "/missing/folder/r.safetensors", {"/missing/folder"}),
        with("--path", "fast", {"fast", "stream", "gather", "distinct", "order"}),
        with("--path", "order", {"order", "quantiles"}),
        with("--scheme", "blocks", {"--scheme is 'blocks'", "stationary", "iid"}),
        with("--scheme", "cluster",
             {"--scheme 'cluster' needs --cluster: the cluster of each row"}),
        with("--scheme", "stratified",
             {"--scheme 'stratified' needs --strata: the stratum of each row"}),
        with("--scheme", "unequal",
             {"--scheme 'unequal' needs --probabilities: the probability of each row"}),
        with("--strata", "volum", {"volum", "volume"}),
        with("--size", "0", {"--size is 0", "at least 1"}),
        with("--block-length", "0", {"--block-length is '0'", "above 0", "auto"}),
        with("--block-length", "0.5", {"--block-length is 0.5", "at least 1"}),
        with("--block-length", "1e6", {"1e+06", "1 to"}),
        Mistake{{"bootstrap", "FILE", "--column", "price", "--scheme", "poisson", "--size", "5"},
                {"--size does not go with --scheme 'poisson'"}},
        Mistake{{"bootstrap", "FILE", "--column", "price", "--two-stage"},
                {"--two-stage does not go with --scheme 'iid'"}},
        Mistake{{"bootstrap", "FILE", "--weights", "volume"}, {"--weights needs --column"}},
        Mistake{{"bootstrap", "FILE", "--column", "price", "--scheme", "bayesian", "--statistic",
                 "median", "--interval", "studentized"},
                {"bayesian", "standard errors", "bca"}},
        Mistake{{"bootstrap", "FILE", "--column", "price", "--scheme", "jackknife", "--replicates",
                 "100"},
                {"--replicates is '100'", "as many replicates as rows", "omit"}},
        Mistake{{"bootstrap", "FILE", "--column", "price", "--scheme", "jackknife", "--interval",
                 "bca"},
                {"--interval is 'bca'", "normal or abc"}},
        Mistake{{"bootstrap", "FILE", "--column", "price", "--scheme", "jackknife", "--strata",
                 "volume"},
                {"--strata does not go with --scheme 'jackknife'"}},
        with("--nan", "ignore", {"--nan is 'ignore'", "error, omit"}),
        with("--header", "maybe", {"--header is 'maybe'", "yes, no, auto"}),
        with("--statistic", "medain", {"medain", "median"}),
        with("--statistic", "quantile:1.5", {"1.5"}),
        with("--statistic", "mean,,median", {"empty name"}),
        with("--statistic", "correlation", {"correlation", "2"}),
        with("--column", "prize", {"prize", "price", "volume"}),
        with("--output", "/missing/folder/r.npy", {"/missing/folder"}),
        with("--output", "replicates.txt", {"--output is 'replicates.txt'", ".npy"}),
        with("--output", "", {"option --output needs a value"})));

TEST(Misuse, OfFilesNamesThePlace) {
  const Folder folder;
  expect_line(run({"bootstrap", folder.path("none.csv")}), 2, {"none.csv"});
  expect_line(run({"bootstrap", folder.write("empty.csv", "")}), 2, {"empty.csv"});
  expect_line(run({"bootstrap", folder.write("only.csv", "x\n"), "--header", "yes"}), 2,
              {"only.csv"});
  expect_line(run({"bootstrap", folder.write("text.csv", "x\n1\ntwo\n")}), 2,
              {"text.csv:3:1", "two"});
  expect_line(run({"bootstrap", folder.write("ragged.csv", "x,y\n1,2\n3\n"), "--column", "x"}), 2,
              {"ragged.csv:3"});
  expect_line(run({"bootstrap", folder.write("nan.csv", "x\n1\nnan\n")}), 2, {"nan.csv:3"});
  expect_line(run({"bootstrap", folder.write("two.csv", two_columns(5))}), 2, {"price", "volume"});
}

TEST(Misuse, OfKeptRunsNamesTheFile) {
  const Folder folder;
  expect_line(run({"interval"}), 2, {"no FILE given", "--save"});
  expect_line(run({"interval", folder.path("none.safetensors")}), 2,
              {"none.safetensors", "No such file"});
  expect_line(run({"interval", folder.write("x.csv", two_columns(5))}), 2,
              {"x.csv", "as safetensors"});
  expect_line(run({"interval", folder.path("none.safetensors"), "--interval", "bac"}), 2,
              {"did you mean 'bca'?"});
  expect_line(run({"bootstrap", folder.write("y.csv", two_columns(5)), "--column", "price",
                   "--replicates", "auto", "--precision", "2"}),
              2, {"--precision is '2'", "between 0 and 1"});
}

TEST(Misuse, ReplicatesNeverReplaceTheirData) {
  const Folder folder;
  const std::vector<double> values = {1, 2, 3};
  data::write_npy(folder.path("x.npy"), values, std::vector<std::size_t>{3});
  expect_line(run({"bootstrap", folder.path("x.npy"), "--output", folder.path("./x.npy")}), 2,
              {"is the file to read"});
  std::filesystem::create_directory(folder.path("folder.npy"));
  expect_line(run({"bootstrap", folder.path("x.npy"), "--output", folder.path("folder.npy")}), 2,
              {"folder.npy", "directory"});
}

TEST(Misuse, ControlCharactersOfAFileNeverReachTheTerminal) {
  const Outcome outcome = run({"bootstrap", "-"}, {.input = "x\n1\n\033[2Jboo\n"});
  expect_line(outcome, 2, {"boo"});
  EXPECT_EQ(outcome.err.find('\033'), std::string::npos);
}

TEST(Misuse, AnUnknownInstructionSetIsRefused) {
  expect_line(run({"--version"}, {.variables = {"BOOTFOLD_SIMD=sse9"}}), 2, {"sse9", "portable"});
}

// A refused command leaves an existing output as it was.
TEST(Misuse, NothingIsWritten) {
  const Folder folder;
  const std::string kept = folder.write("r.npy", "old");
  const std::string bad = folder.write("x.csv", "x\n1\ntwo\n");
  EXPECT_EQ(run({"bootstrap", bad, "--output", kept}).code, 2);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"r.npy", "x.csv"}));
  std::string text;
  std::ifstream(kept) >> text;
  EXPECT_EQ(text, "old");
}

TEST(Failure, AFullDiskUnderStandardOutput) {
  const Outcome outcome = run({"bootstrap", "-"}, {.input = "x\n1\n2\n", .output = "/dev/full"});
  expect_line(outcome, 1, {"cannot write to standard output", "No space left"});
  expect_line(run({"--help"}, {.output = "/dev/full"}), 1, {"No space left"});
}

}  // namespace misuse_test
}  // namespace bootfold::cli
