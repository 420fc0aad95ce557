// Validation rows, score weights, jackknife+ intervals and memory limits on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bootfold/data.h"
#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/evaluation.h"
#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace ensemble_evaluation_test {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Two of the three flowers have the same width, so a long training overfits the noise.
TEST(EnsembleValidation, StopsComparesAndSelectsMembers) {
  const Folder folder;
  const std::string validation = folder.write("new.csv", flowers(60, 9));
  const std::vector<std::string> arguments =
      with({"ensemble", "train", folder.write("old.csv", flowers(60)), "--target", "flower"},
           {"--input",      "noise,width", "--members",       "6",
            "--hidden",     "8",           "--epochs",        "400",
            "--resampling", "none",        "--learning-rate", "1e-6,5e-2",
            "--patience",   "2",           "--keep-best",     "6",
            "--validation", validation,    "--output",        folder.path("m.safetensors")});
  const Json found = json_of(arguments);
  EXPECT_EQ(found["out_of_bag"], nullptr);
  EXPECT_EQ(found["validation"]["rows"], 60);
  EXPECT_GT(found["validation"]["accuracy"], 0.5);
  EXPECT_LT(found["settings"][1]["held_out_loss"]["mean"],
            found["settings"][0]["held_out_loss"]["mean"]);
  EXPECT_LT(found["settings"][1]["steps"]["mean"], 400 * 60 / 32);
  const ensemble::Ensemble kept = ensemble::Ensemble::load(folder.path("m.safetensors"));
  const data::Table table =
      data::read(validation, {.columns = {"noise", "width"}, .labels = {"flower"}});
  for (std::size_t m = 0; m < kept.size(); ++m) {
    EXPECT_EQ(kept.member(m).settings, 1U);
    EXPECT_NEAR(kept.member(m).held_out_loss,
                evaluate_classes(kept.subset(std::vector{m}).predict(table.view()),
                                 class_codes(kept.frame(), table.labels()))
                    .negative_log_likelihood,
                1e-5);
  }
  // The same scores as those of an evaluation.
  EXPECT_EQ(json_of({"ensemble", "evaluate", folder.path("m.safetensors"), validation})["scores"],
            found["validation"]);
  const std::string text = run(arguments).out;
  EXPECT_THAT(text, HasSubstr("validation loss"));
  EXPECT_THAT(text, HasSubstr("Validation: " + validation));
  EXPECT_THAT(text, Not(HasSubstr("held-out")));
}

TEST(EnsembleCalibration, IsReportedAndStored) {
  const Folder folder;
  std::vector<std::string> arguments = train_flowers(folder);
  const Json plain = json_of(arguments);
  EXPECT_EQ(plain["temperature"], 1);
  arguments.emplace_back("--calibrate");
  const Json found = json_of(arguments);
  EXPECT_LT(found["temperature"], 0.95);  // networks are underconfident after so few steps
  EXPECT_LT(found["out_of_bag"]["negative_log_likelihood"],
            plain["out_of_bag"]["negative_log_likelihood"]);
  // Losses are those before calibration; files store the temperature.
  EXPECT_EQ(found["settings"], plain["settings"]);
  const Json again = json_of({"ensemble", "evaluate", folder.path("m.safetensors"),
                              folder.path("flowers.csv"), "--out-of-bag"});
  EXPECT_EQ(again["temperature"], found["temperature"]);
  EXPECT_NEAR(again["scores"]["negative_log_likelihood"],
              found["out_of_bag"]["negative_log_likelihood"].get<double>(), 1e-12);
  EXPECT_THAT(run(arguments).out, HasSubstr("probabilities were underconfident"));

  // Class weights affect the loss, not the temperature.
  const Json balanced = json_of(with(arguments, {"--class-weights", "balanced"}));
  std::vector<std::string> uncalibrated = with(arguments, {"--class-weights", "balanced"});
  std::erase(uncalibrated, "--calibrate");
  EXPECT_LT(balanced["out_of_bag"]["negative_log_likelihood"],
            json_of(uncalibrated)["out_of_bag"]["negative_log_likelihood"]);

  // Validation rows calibrate members that are trained on all rows.
  arguments.insert(arguments.end(), {"--resampling", "none", "--validation",
                                     folder.write("new.csv", flowers(60, 9))});
  EXPECT_NE(json_of(arguments)["temperature"], found["temperature"]);
  EXPECT_THAT(refused({"ensemble", "train", folder.path("flowers.csv"), "--target", "width",
                       "--ignore", "id,flower", "--task", "regression", "--calibrate"}),
              HasSubstr("--calibrate is for classes"));
}

TEST(EnsembleValidation, RegressionUsesItsOwnWeights) {
  const Folder folder;
  const std::string validation = folder.write("new.csv", line(50, 9));
  const std::string model = folder.path("m.safetensors");
  const Json found = json_of({"ensemble", "train", folder.write("old.csv", line(80)), "--target",
                              "y", "--task", "regression", "--weights", "weight", "--members", "5",
                              "--epochs", "20", "--validation", validation, "--output", model});
  EXPECT_EQ(found["weighted_scores"], true);
  const Json weighted = json_of({"ensemble", "evaluate", model, validation, "--weights", "weight"});
  EXPECT_EQ(weighted["weighted_scores"], true);
  EXPECT_EQ(weighted["scores"], found["validation"]);
  const Json plain = json_of({"ensemble", "evaluate", model, validation});
  EXPECT_NE(plain["scores"]["root_mean_squared_error"],
            weighted["scores"]["root_mean_squared_error"]);
}

TEST(EnsembleValidation, RejectsFilesThatDoNotFit) {
  const Folder folder;
  const std::string file = folder.write("old.csv", flowers(30));
  const auto complaint = [&](const std::string& text, const std::vector<std::string>& more = {}) {
    return refused(with({"ensemble", "train", file, "--target", "flower", "--ignore", "id",
                         "--validation", folder.write("new.csv", text)},
                        more));
  };
  EXPECT_THAT(complaint("length,noise,width,flower\n1,2,3,daisy\n"),
              testing::AllOf(HasSubstr("new.csv"), HasSubstr("'daisy'"), HasSubstr("'tulip'")));
  EXPECT_THAT(complaint("length,noise,flower\n1,2,iris\n"), HasSubstr("'width'"));
  EXPECT_THAT(complaint("length,noise,width\n1,2,3\n"), HasSubstr("'flower'"));
  EXPECT_THAT(complaint("length,noise,width,flower\n1,,3,iris\n", {"--nan", "error"}),
              HasSubstr("missing value"));
  EXPECT_THAT(refused({"ensemble", "train", "-", "--target", "flower", "--ignore", "id",
                       "--validation", "-"},
                      {.input = flowers(30)}),
              HasSubstr("read once"));
  EXPECT_THAT(refused({"ensemble", "train", file, "--target", "flower", "--ignore", "id",
                       "--validation", "none.csv"}),
              HasSubstr("none.csv"));
}

// Rows of weight 0 do not count, in scores as in the loss.
TEST(EnsembleWeights, ChangeTheScores) {
  const Folder folder;
  ASSERT_EQ(run(train_flowers(folder)).code, 0);
  const std::string model = folder.path("m.safetensors");
  const data::Table table = data::read(
      folder.path("flowers.csv"), {.columns = {"length", "noise", "width"}, .labels = {"flower"}});
  std::ostringstream all;
  std::ostringstream some;
  all.precision(17);
  some.precision(17);
  all << "length,noise,width,flower,w\n";
  some << "length,noise,width,flower\n";
  for (std::size_t row = 0; row < 150; ++row) {
    const auto& view = table.view();
    std::ostringstream values;
    values.precision(17);
    values << view.column(0)[row] << ',' << view.column(1)[row] << ',' << view.column(2)[row]
           << ",\"" << table.labels().names[table.labels().codes[row]] << '"';
    all << values.str() << ',' << (row % 2 == 0 ? 3 : 0) << '\n';
    if (row % 2 == 0) some << values.str() << '\n';
  }
  const Json weighted =
      json_of({"ensemble", "evaluate", model, "-", "--weights", "w"}, {.input = all.str()});
  const Json half = json_of({"ensemble", "evaluate", model, "-"}, {.input = some.str()});
  EXPECT_EQ(weighted["scores"]["rows"], 150);
  for (const char* score : {"accuracy", "negative_log_likelihood", "brier_score"})
    EXPECT_NEAR(weighted["scores"][score], half["scores"][score].get<double>(), 1e-12) << score;
  EXPECT_THAT(run({"ensemble", "evaluate", model, "-", "--weights", "w"}, {.input = all.str()}).out,
              HasSubstr("rows are weighted"));
  EXPECT_THAT(
      refused({"ensemble", "evaluate", model, "-", "--weights", "noise"}, {.input = some.str()}),
      HasSubstr("weight of row"));
}

TEST(EnsembleWeights, ClassWeightsAreNotUsedInScores) {
  const Folder folder;
  const std::vector<std::string> arguments = train_flowers(folder);
  EXPECT_EQ(json_of(with(arguments, {"--class-weights", "balanced"}))["weighted_scores"], false);
}

class EnsembleJackknife : public testing::Test {
 protected:
  EnsembleJackknife() {
    EXPECT_EQ(run({"ensemble", "train", folder_.write("line.csv", line(120)), "--target", "y",
                   "--task", "regression", "--ignore", "weight", "--members", "30", "--hidden", "8",
                   "--learning-rate", "1e-2", "--epochs", "40", "--output", model_})
                  .code,
              0);
  }
  [[nodiscard]] std::vector<std::string> predict(const std::vector<std::string>& more) const {
    return with(
        {"ensemble", "predict", model_, folder_.path("new.csv"), "--interval", "jackknife+"}, more);
  }

  Folder folder_;
  std::string model_ = folder_.path("m.safetensors");
  std::string new_ = folder_.write("new.csv", line(300, 5));
};

TEST_F(EnsembleJackknife, MatchesTheLibrary) {
  const std::string training = folder_.path("line.csv");
  const Json found = json_of(predict({"--training", training, "--confidence", "0.9"}));
  EXPECT_EQ(found["interval"], "jackknife+");
  const Json& columns = found["columns"];
  EXPECT_FALSE(columns.contains("low"));
  const ensemble::Ensemble loaded = ensemble::Ensemble::load(model_);
  const data::Table old = data::read(training, {.columns = {"x", "y"}});
  const data::Table fresh = data::read(folder_.path("new.csv"), {.columns = {"x", "y"}});
  const ensemble::Band band = jackknife_plus(
      loaded, {DataView(old.view().column(0)), nullptr, DataView(old.view().column(1))},
      DataView(fresh.view().column(0)), {.confidence = 0.9});
  double inside = 0;
  for (std::size_t row = 0; row < 300; ++row) {
    EXPECT_EQ(columns["jackknife_low"][row], band.low[row]);
    EXPECT_EQ(columns["jackknife_high"][row], band.high[row]);
    const double truth = fresh.view().column(1)[row];
    inside += band.low[row] <= truth && truth <= band.high[row] ? 1 : 0;
  }
  // At least 0.8 is guaranteed on average; of 300 rows and 120 to learn from the share has a
  // standard error of about 0.03, so less than 0.8 is seen once in thousands of samples.
  EXPECT_GT(inside / 300, 0.8);
  // In small parts: the same text.
  const std::string whole = run(predict({"--training", training})).out;
  EXPECT_THAT(whole, HasSubstr("mean,epistemic_std,aleatoric_std,total_std,jackknife_low,"));
  EXPECT_EQ(run(predict({"--training", training, "--memory", "4K", "--threads", "1"})).out, whole);
}

TEST_F(EnsembleJackknife, RequiresTheTrainingRows) {
  EXPECT_THAT(refused(predict({})), HasSubstr("--training"));
  EXPECT_THAT(refused(predict({"--training", folder_.path("new.csv"), "--quiet"})),
              testing::AllOf(HasSubstr("300 rows"), HasSubstr("120")));
  const std::string other = folder_.write("other.csv", line(120, 2));
  EXPECT_THAT(refused(predict({"--training", other, "--quiet"})),
              testing::AllOf(HasSubstr("other.csv"), HasSubstr("their order differ")));
  EXPECT_THAT(
      refused({"ensemble", "predict", model_, folder_.path("new.csv"), "--interval", "jackknife"}),
      HasSubstr("conformal, scaled, jackknife+, normal"));
  EXPECT_THAT(refused({"ensemble", "predict", model_, folder_.path("new.csv"), "--training",
                       folder_.path("line.csv")}),
              HasSubstr("--interval jackknife+"));
  ASSERT_EQ(run(train_flowers(folder_)).code, 0);
  EXPECT_THAT(
      refused({"ensemble", "predict", folder_.path("m.safetensors"), folder_.path("flowers.csv"),
               "--interval", "jackknife+", "--training", folder_.path("flowers.csv")}),
      HasSubstr("classes"));
}

TEST(EnsembleMemory, LimitDoesNotChangePredictions) {
  const Folder folder;
  ASSERT_EQ(run(train_flowers(folder)).code, 0);
  const std::string model = folder.path("m.safetensors");
  const std::string file = folder.write("many.csv", flowers(1000, 3));
  const std::string whole = run({"ensemble", "predict", model, file}).out;
  EXPECT_EQ(run({"ensemble", "predict", model, file, "--memory", "10K"}).out, whole);
  const auto written = [&](const std::string& name, const char* memory) {
    EXPECT_EQ(
        run({"ensemble", "predict", model, file, "--output", folder.path(name), "--memory", memory})
            .code,
        0);
    const data::Table table = data::read(folder.path(name), {.columns = {"1", "3", "8"}});
    std::vector<double> values;
    for (std::size_t row = 0; row < table.view().rows(); ++row)
      for (std::size_t c = 0; c < 3; ++c) values.push_back(table.view().column(c)[row]);
    return values;
  };
  const std::vector<double> all = written("all.npy", "1G");
  EXPECT_EQ(all.size(), 3000U);
  EXPECT_EQ(written("parts.npy", "10K"), all);
  // JSON is one object.
  EXPECT_THAT(refused({"ensemble", "predict", model, file, "--memory", "10K", "--json"}),
              testing::AllOf(HasSubstr("422 KiB"), HasSubstr("--output")));
}

TEST(EnsembleMemory, LimitDoesNotChangeATraining) {
  const Folder folder;
  std::vector<std::string> arguments = train_flowers(folder);
  Json whole = json_of(arguments);
  // 20 networks of 59 parameters take 4720 bytes.
  Json parts = json_of(with(arguments, {"--memory", "5000"}));
  EXPECT_EQ(parts["out_of_bag"], whole["out_of_bag"]);
  EXPECT_EQ(parts["settings"], whole["settings"]);
  EXPECT_THAT(refused(with(arguments, {"--memory", "4700"})), HasSubstr("4.6 KiB"));
}

}  // namespace ensemble_evaluation_test
}  // namespace bootfold::cli
