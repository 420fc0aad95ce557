// `bootfold ensemble` on tables as people have them: text, missing values, dates, codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace ensemble_inputs_test {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// Price follows from carat and color; some of both are missing.
std::string diamonds(std::size_t rows) {
  random::Stream stream({.seed = 5});
  std::ostringstream text;
  text << "carat,color,zip,when,price\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double carat = random::uniform(stream);
    const std::size_t color = row % 3;
    if (row % 10 != 0) text << carat;
    text << ',' << (row % 7 == 0 ? "NA" : std::array{"D", "E", "F"}[color]) << ',' << 1000 + row % 2
         << ",2024-0" << 1 + row % 9 << "-15," << 4 * carat + static_cast<double>(color) << '\n';
  }
  return text.str();
}

std::string bytes_of(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

std::vector<std::string> train(const std::string& file, std::vector<std::string> more = {}) {
  std::vector<std::string> all = {"ensemble",   "train",     file, "--target", "price", "--task",
                                  "regression", "--members", "10", "--epochs", "30"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(EnsembleInputs, TextAndMissingValuesAreInputsByThemselves) {
  const Folder folder;
  const std::string file = folder.write("d.csv", diamonds(300));
  const Json found = json_of(train(file, {"--ignore", "when", "--categorical", "zip"}));
  EXPECT_THAT(found["inputs"], ElementsAre("carat", "color", "zip"));
  EXPECT_THAT(found["network_inputs"],
              ElementsAre("carat", "carat missing", "color=D", "color=E", "color=F",
                          "color missing", "zip=1000", "zip=1001"));
  EXPECT_EQ(found["rows"], 300);
  EXPECT_EQ(found["omitted_rows"], 0);
  EXPECT_GT(found["out_of_bag"]["r_squared"], 0.5);
}

// Standard input is read once and the file five times: both give the same members.
TEST(EnsembleInputs, AFileAndStandardInputTrainTheSameModel) {
  const Folder folder;
  const std::string text = diamonds(200);
  const std::string file = folder.write("d.csv", text);
  const std::vector<std::string> more = {"--dates", "when", "--output"};
  const auto saved_as = [&](const std::string& name) {
    std::vector<std::string> all = more;
    all.push_back(folder.path(name));
    return all;
  };
  ASSERT_EQ(run(train(file, saved_as("a.safetensors"))).code, 0);
  ASSERT_EQ(run(train("-", saved_as("b.safetensors")), {.input = text}).code, 0);
  EXPECT_EQ(bytes_of(folder.path("a.safetensors")), bytes_of(folder.path("b.safetensors")));
}

TEST(EnsembleInputs, PredictionFindsColumnsByNameAndTellsUnknownLevels) {
  const Folder folder;
  const std::string model = folder.path("m.safetensors");
  const std::string file = folder.write("d.csv", diamonds(300));
  ASSERT_EQ(run(train(file, {"--dates", "when", "--output", model})).code, 0);
  const auto outside = [&](const std::string& text) {
    return json_of({"ensemble", "predict", model, "-"}, {.input = text})["columns"]["outside"];
  };
  EXPECT_THAT(outside("when,price,color,carat,zip\n2024-03-15,1,E,0.5,1000\n"), ElementsAre(0));
  EXPECT_THAT(outside("when,color,carat,zip\n2024-03-15,Q,,1000\n"), ElementsAre(1));
  EXPECT_THAT(outside("when,color,carat,zip\n,NA,0.5,\n"), ElementsAre(2));  // never missing before
  EXPECT_THAT(refused({"ensemble", "predict", model, "-"}, {.input = "when,carat,zip\n1,2,3\n"}),
              HasSubstr("no column 'color'"));
  EXPECT_THAT(refused({"ensemble", "predict", model, "-"},
                      {.input = "when,color,carat,zip\n15.3.2024,E,1,1000\n"}),
              HasSubstr("standard input:2:1: '15.3.2024' is not a date such as 2024-01-28"));
  EXPECT_THAT(refused({"ensemble", "predict", model, "-"},
                      {.input = "when,color,carat,zip\n2024-03-15,E,heavy,1000\n"}),
              HasSubstr("'heavy' is not a number"));
  // With --nan omit a row with a missing input has no prediction.
  const Json empty = json_of({"ensemble", "predict", model, "-", "--nan", "omit"},
                             {.input = "when,color,carat,zip\n2024-03-15,E,,1000\n"
                                       "2024-03-15,E,0.5,1000\n"});
  EXPECT_EQ(empty["empty_rows"], 1);
}

TEST(EnsembleInputs, EvaluationOfTheTrainingRowsIsThatOfTheTraining) {
  const Folder folder;
  const std::string model = folder.path("m.safetensors");
  const std::string file = folder.write("d.csv", diamonds(300));
  const Json trained = json_of(train(file, {"--dates", "when", "--output", model}));
  const Json scored = json_of({"ensemble", "evaluate", model, file, "--out-of-bag"});
  EXPECT_EQ(scored["scores"], trained["out_of_bag"]);
}

TEST(EnsembleInputs, NanErrorAndOmitLeaveMissingValuesToTheUser) {
  const Folder folder;
  const std::string file = folder.write("d.csv", diamonds(300));
  EXPECT_THAT(refused(train(file, {"--ignore", "when", "--nan", "error"})),
              HasSubstr("d.csv:2:1: missing value (column 'carat')"));
  const std::string model = folder.path("m.safetensors");
  const Json found = json_of(train(file, {"--ignore", "when", "--nan", "omit", "--output", model}));
  EXPECT_EQ(found["rows"].get<int>() + found["omitted_rows"].get<int>(), 300);
  EXPECT_THAT(found["network_inputs"],
              ElementsAre("carat", "color=D", "color=E", "color=F", "zip"));
  EXPECT_THAT(refused({"ensemble", "predict", model, "-"}, {.input = "carat,color,zip\n,E,1\n"}),
              HasSubstr("missing value"));
  EXPECT_THAT(refused({"ensemble", "predict", model, "-", "--nan", "encode"},
                      {.input = "carat,color,zip\n,E,1\n"}),
              HasSubstr("the model was trained without missing values"));
}

TEST(EnsembleInputs, NotesSayWhatMayBeAMistake) {
  const Folder folder;
  std::string text = "x,id,t\n";
  for (int row = 0; row < 20; ++row)
    text += (row == 7 ? "two" : std::to_string(row)) + ",n" + std::to_string(row) +
            (row % 2 == 0 ? ",a\n" : ",b\n");
  const Outcome outcome = run({"ensemble", "train", folder.write("t.csv", text), "--target", "t",
                               "--members", "2", "--epochs", "2"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("column 'x' is read as a category, because 1 of its 20 values "
                                     "are not numbers, such as 'two'"));
  EXPECT_THAT(outcome.err, HasSubstr("column 'id' has no level with 5 rows or more"));
}

TEST(EnsembleInputs, InvalidOptionsAreNamed) {
  const Folder folder;
  const std::string file = folder.write("d.csv", diamonds(50));
  EXPECT_THAT(refused(train(file, {"--categorical", "cut"})),
              HasSubstr("categorical names 'cut', which is not an input; the inputs are carat"));
  EXPECT_THAT(refused(train(file, {"--levels", "0"})), HasSubstr("--levels"));
  EXPECT_THAT(refused(train(file, {"--nan", "drop"})), HasSubstr("encode, error, omit"));
  EXPECT_THAT(refused(train(file, {"--dates", "color"})), HasSubstr("is not a date"));
  EXPECT_THAT(refused(train(file, {"--bin-edges", "oak"})), HasSubstr("quantiles, tree"));
  EXPECT_THAT(refused(train(file, {"--winsorize", "0.5"})), HasSubstr("--winsorize"));
  EXPECT_THAT(refused(train(file, {"--bins", "many"})),
              HasSubstr("--bins is 'many' but must be a whole number, such as 10000, 1e6 or "
                        "1_000_000 (or auto)"));
  EXPECT_THAT(refused(train(file, {"--periodic-scale", "0"})), HasSubstr("--periodic-scale"));
}

// 4 leaves of at least 20 rows each; the color of a row does not depend on the carat.
TEST(EnsembleInputs, BinsOfATreeAndPeriodicFeaturesAreInputsOfTheNetworks) {
  const Folder folder;
  const std::string file = folder.write("d.csv", diamonds(300));
  const std::string model = folder.path("m.safetensors");
  const std::vector<std::string> more = {"--input",     "carat", "--bins",     "4",
                                         "--bin-edges", "tree",  "--periodic", "1",
                                         "--winsorize", "0.01",  "--output",   model};
  EXPECT_THAT(json_of(train(file, more))["network_inputs"],
              ElementsAre("carat", "carat bin 1", "carat bin 2", "carat bin 3", "carat bin 4",
                          "carat sine 1", "carat cosine 1", "carat missing"));
  EXPECT_EQ(run({"ensemble", "predict", model, file}).code, 0);
  // Classes split too.
  EXPECT_EQ(run({"ensemble", "train", file, "--target", "color", "--ignore", "when", "--nan",
                 "omit", "--members", "2", "--epochs", "2", "--bins", "4", "--bin-edges", "tree"})
                .code,
            0);
}

}  // namespace ensemble_inputs_test
}  // namespace bootfold::cli
