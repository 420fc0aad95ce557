// Help teaches by example; --version says what this build can do here.
#include <gtest/gtest.h>

#include "bootfold/execution.h"
#include "bootfold/statistic.h"
#include "bootfold/version.h"
#include "program.h"

namespace bootfold::cli {
namespace help_test {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Help, EveryPageHasExamples) {
  const std::vector<std::vector<std::string>> pages = {{"--help"},
                                                       {"bootstrap", "--help"},
                                                       {"explain", "--help"},
                                                       {"compare", "--help"},
                                                       {"demo", "bootstrap", "--help"},
                                                       {"demo", "spirals", "--help"}};
  for (const std::vector<std::string>& page : pages) {
    const Outcome outcome = run(page);
    SCOPED_TRACE(outcome.out);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    const std::size_t at = outcome.out.find("Examples:\n");
    ASSERT_NE(at, std::string::npos);
    EXPECT_GE(count(outcome.out.substr(at), "bootfold "), 3U);
  }
  EXPECT_NE(run({"demo", "--help"}).out.find("bootfold demo bootstrap"), std::string::npos);
}

TEST(Help, ListsEveryStatisticAndOption) {
  const std::string page = run({"bootstrap", "-h"}).out;
  for (const statistic::Listing& listing : statistic::listings())
    EXPECT_NE(page.find("  " + listing.usage), std::string::npos) << listing.usage;
  for (const char* option :
       {"--column", "--statistic", "--replicates", "--seed", "--threads", "--memory",
        "--confidence", "--tolerance", "--path", "--nan", "--header", "--delimiter", "--decimal",
        "--thousands", "--missing", "--json", "--output", "--quiet"})
    EXPECT_NE(page.find(std::string("  ") + option), std::string::npos) << option;
  EXPECT_NE(page.find("the same command gives the same result"), std::string::npos);
}

TEST(Help, ListsTheOptionsOfCompare) {
  const std::string page = run({"compare", "-h"}).out;
  for (const char* option :
       {"--value",      "--by",         "--control",    "--groups", "--statistic", "--difference",
        "--interval",   "--correction", "--replicates", "--seed",   "--threads",   "--memory",
        "--confidence", "--tolerance",  "--nan",        "--header", "--delimiter", "--decimal",
        "--thousands",  "--missing",    "--json",       "--output", "--quiet"})
    EXPECT_NE(page.find(std::string("  ") + option), std::string::npos) << option;
}

TEST(Help, ListsTheOptionsOfEnsembles) {
  const std::string page = run({"ensemble", "train", "-h"}).out;
  for (const char* option :
       {"--target",         "--task",          "--loss",        "--input",      "--ignore",
        "--weights",        "--class-weights", "--nan",         "--header",     "--members",
        "--hidden",         "--activation",    "--initializer", "--resampling", "--subsample",
        "--epochs",         "--steps",         "--batch-size",  "--optimizer",  "--learning-rate",
        "--schedule",       "--weight-decay",  "--momentum",    "--clip",       "--patience",
        "--look-every",     "--reshuffle",     "--standardize", "--seed",       "--threads",
        "--memory",         "--keep-best",     "--sample",      "--depth",      "--select",
        "--stopping-share", "--keep-partial",  "--output",      "--json",       "--quiet",
        "--validation",     "--calibrate",     "--layer-norm",  "--residual",   "--warmup",
        "--dropout",        "--average",       "--share"})
    EXPECT_NE(page.find(std::string("  ") + option), std::string::npos) << option;
  const std::string predict = run({"ensemble", "predict", "-h"}).out;
  for (const char* option : {"--confidence", "--interval", "--training", "--memory", "--keep"})
    EXPECT_NE(predict.find(std::string("  ") + option), std::string::npos) << option;
  EXPECT_NE(predict.find("jackknife_low"), std::string::npos);
  EXPECT_NE(predict.find("predict iris.safetensors new.csv --nan omit --keep id"),
            std::string::npos);
  EXPECT_NE(run({"ensemble", "evaluate", "-h"}).out.find("  --weights"), std::string::npos);
  EXPECT_NE(page.find("classification of text; of numbers it must be said"), std::string::npos);
  for (const char* command : {"predict", "evaluate"})
    EXPECT_NE(run({"ensemble", command, "-h"}).out.find("by the names they had in training"),
              std::string::npos);
}

TEST(Help, IsShownEvenIfOtherArgumentsAreInvalid) {
  EXPECT_EQ(run({"bootstrap", "--help", "--xyzzy"}).code, 0);
}

TEST(Version, ListsTheInstructionSets) {
  const Outcome outcome = run({"--version"}, {.variables = {"BOOTFOLD_SIMD=portable"}});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out.rfind(std::string("bootfold ") + kVersion + "\n", 0), 0U) << outcome.out;
  EXPECT_NE(outcome.out.find("random streams: version 2"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("SIMD: portable in use"), std::string::npos) << outcome.out;
  for (const execution::Level level : execution::available_levels())
    EXPECT_NE(outcome.out.find(execution::name(level)), std::string::npos) << outcome.out;
}

}  // namespace help_test
}  // namespace bootfold::cli
