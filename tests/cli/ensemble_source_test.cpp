// Training and prediction of files that are read in parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"
#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace ensemble_source_test {

using testing::HasSubstr;

/// 60,000 rows of 21 columns: three tables of 4 MiB as doubles.
std::string many_rows() {
  std::string text;
  for (std::size_t c = 0; c < 20; ++c) text += "x" + std::to_string(c) + ",";
  text += "y\n";
  random::Stream stream({.seed = 3});
  for (std::size_t row = 0; row < 60'000; ++row) {
    for (std::size_t c = 0; c < 20; ++c)
      text += std::to_string(random::uniform(stream) + (c == 0 ? 1e6 : 0)) + ",";
    text += std::to_string(row % 7) + "\n";
  }
  return text;
}

std::vector<std::string> train_many(const std::string& file, const std::string& task) {
  return {"ensemble", "train",     file,     "--target", "y",           "--task",
          task,       "--members", "2",      "--hidden", "4",           "--steps",
          "50",       "--quiet",   "--bins", "0",        "--winsorize", "0"};
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(EnsembleSource, FilesInPartsTrainAsTheirRowsInMemory) {
  const Folder folder;
  const std::string text = many_rows();
  const std::string file = folder.write("many.csv", text);
  const data::Table table =
      data::read(file, {.columns = {"y"}, .all_but = std::vector<std::string>{}});
  std::vector<ColumnView> inputs;
  std::vector<std::string> names;
  for (std::size_t c = 1; c < 21; ++c) {
    inputs.push_back(table.view().column(c));
    names.push_back(table.names()[c]);
  }
  const data::Labels classes = data::labels(table.view().column(0));
  for (const bool classify : {false, true}) {
    ensemble::Examples examples{.inputs = DataView(inputs, names)};
    if (classify)
      examples.classes = &classes;
    else
      examples.targets = DataView(table.view().column(0));
    ensemble::Training training{.members = 2, .steps = 50};
    training.settings[0].architecture.hidden = {4};
    const ensemble::Ensemble expected = ensemble::train(examples, training);
    const std::string model = folder.path("m.safetensors");
    const Outcome outcome = run(
        with(train_many(file, classify ? "classification" : "regression"), {"--output", model}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const ensemble::Ensemble found = ensemble::Ensemble::load(model);
    EXPECT_EQ(found.frame().noise, expected.frame().noise);
    EXPECT_EQ(found.frame().classes, classify ? classes.names : std::vector<std::string>{"y"});
    for (std::size_t m = 0; m < 2; ++m)
      EXPECT_TRUE(std::ranges::equal(found.parameters(m), expected.parameters(m)));

    // Predictions of the file in parts are those of the rows in memory.
    const std::string output = folder.path("p.npy");
    const Outcome predicted = run({"ensemble", "predict", model, file, "--output", output});
    ASSERT_EQ(predicted.code, 0) << predicted.err;
    const data::Table rows = data::read(output, {.all_but = std::vector<std::string>{}});
    ASSERT_EQ(rows.view().rows(), 60'000U);
    const ensemble::Prediction prediction = expected.predict(examples.inputs);
    for (std::size_t row = 0; row < 60'000; row += 1) {
      const double mean = classify ? prediction.probability(row, 3) : prediction.mean[row];
      ASSERT_EQ(rows.view().column(classify ? 5 : 0)[row], mean) << row;
    }
  }
}

TEST(EnsembleSource, RowsBeyondTheMemoryLimitAreRefused) {
  const Folder folder;
  const std::string file = folder.write("many.csv", many_rows());
  EXPECT_THAT(refused(with(train_many(file, "regression"), {"--memory", "1M"})),
              HasSubstr("many.csv has at least 24,966 rows of 21 columns, which take 2.0 MiB as "
                        "float32, but the memory limit is 1.0 MiB; use fewer columns (--input, "
                        "--ignore), fewer rows (--where) or more memory (--memory)"));
  EXPECT_EQ(run(with(train_many(file, "regression"), {"--memory", "1M", "--input", "x1,x2"})).code,
            0);
  EXPECT_EQ(
      run(with(train_many(file, "regression"), {"--memory", "1M", "--where", "x1 < 0.1"})).code, 0);
  EXPECT_EQ(run(with(train_many(file, "regression"), {"--memory", "5M"})).code, 0);
  // The number of rows of an array is known before they are read.
  const std::string array = folder.path("many.npy");
  const std::vector<double> zeros(21 * 60'000);
  data::write_npy(array, zeros, std::array<std::size_t, 2>{60'000, 21});
  EXPECT_THAT(refused({"ensemble", "train", array, "--target", "21", "--task", "regression",
                       "--memory", "1M"}),
              HasSubstr("many.npy has 60,000 rows of 21 columns, which take 4.8 MiB as float32"));
}

TEST(EnsembleSource, EmptyRowsAndKeptColumnsFollowTheTables) {
  const Folder folder;
  std::string text = "id,x,y\n";
  for (std::size_t row = 0; row < 300'000; ++row)
    text += "r" + std::to_string(row) + "," + (row % 100'000 == 7 ? "" : std::to_string(row % 10)) +
            "," + std::to_string(row % 10) + "\n";
  const std::string file = folder.write("long.csv", text);
  const std::string model = folder.path("m.safetensors");
  ASSERT_EQ(run({"ensemble", "train",   file,    "--target", "y",         "--task", "regression",
                 "--input",  "x",       "--nan", "omit",     "--members", "2",      "--hidden",
                 "2",        "--steps", "5",     "--quiet",  "--output",  model})
                .code,
            0);
  const Outcome outcome =
      run({"ensemble", "predict", model, file, "--keep", "id", "--nan", "omit"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("3 of 300,000 rows are empty because an input is missing: "
                                     "rows 8, 100008, 200008 (counted"));
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 300'001);
  EXPECT_THAT(outcome.out, HasSubstr("\nr200007,,,,,,,\nr200008,"));
  const Outcome wrong = run({"ensemble", "predict", model, file, "--keep", "id"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.out, "");  // nothing is printed before all rows were checked
}

}  // namespace ensemble_source_test
}  // namespace bootfold::cli
