// Intervals and sets that `bootfold ensemble predict` makes from the scores in the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bootfold/bootfold.h"
#include "flowers.h"

namespace bootfold::cli {
namespace ensemble_intervals_test {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class EnsembleIntervals : public testing::Test {
 protected:
  json train(const std::vector<std::string>& more, const std::string& file = "line.csv") const {
    std::vector<std::string> arguments = {
        "ensemble",        "train", folder_.path(file), "--members", "20",       "--hidden", "8",
        "--learning-rate", "1e-2",  "--epochs",         "30",        "--output", model_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json_of(arguments);
  }
  [[nodiscard]] std::vector<std::string> predict(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"ensemble", "predict", model_, folder_.path("new.csv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  void expect_limits(const json& columns, ensemble::IntervalMethod method, double confidence,
                     std::size_t targets) const {
    const ensemble::Ensemble model = ensemble::Ensemble::load(model_);
    const data::Table fresh = data::read(folder_.path("new.csv"), {.columns = {"x"}});
    const auto limits =
        conformal_intervals(model.frame(), model.predict(fresh.view()), confidence, method);
    const char* const names[] = {"y_", "weight_"};
    for (std::size_t row = 0; row < 100; ++row)
      for (std::size_t t = 0; t < targets; ++t) {
        const std::string prefix = targets == 1 ? "" : names[t];
        EXPECT_EQ(columns[prefix + "low"][row], limits[row * targets + t].low);
        EXPECT_EQ(columns[prefix + "high"][row], limits[row * targets + t].high);
      }
  }
  /// As a version without scores wrote it.
  void make_older() const {
    ensemble::Ensemble model = ensemble::Ensemble::load(model_);
    model.set_conformal({});
    model.save(model_);
  }

  Folder folder_;
  std::string model_ = folder_.path("m.safetensors");
  std::string file_ = folder_.write("line.csv", line(200));
  std::string new_ = folder_.write("new.csv", line(100, 5));
  std::string aside_ = folder_.write("aside.csv", line(150, 6));
  std::vector<std::string> line_ = {"--target", "y", "--task", "regression", "--ignore", "weight"};
};

TEST_F(EnsembleIntervals, MatchTheLibrary) {
  const json report = train(line_);
  EXPECT_EQ(report["conformal_scores"]["of"], "out_of_bag");
  EXPECT_EQ(report["conformal_scores"]["rows"], 200);
  EXPECT_EQ(report["out_of_bag"]["interval"], "scaled");
  const json found = json_of(predict({"--confidence", "0.8"}));
  EXPECT_EQ(found["interval"], "scaled");
  EXPECT_EQ(found["confidence"], 0.8);
  expect_limits(found["columns"], ensemble::IntervalMethod::scaled, 0.8, 1);
  expect_limits(json_of(predict({"--interval", "conformal"}))["columns"],
                ensemble::IntervalMethod::conformal, 0.95, 1);
  const json scores = json_of({"ensemble", "evaluate", model_, new_})["scores"];
  EXPECT_EQ(scores["interval"], "scaled");
  // Of 200 scores and 100 rows: Beta(191, 10) and the rows have a standard error of 0.03.
  EXPECT_GT(scores["coverage"], 0.85);
  const Outcome text = run({"ensemble", "evaluate", model_, file_, "--out-of-bag"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("95% (scaled) of mean width"), HasSubstr("no test")));
  const Outcome few = run(predict({"--confidence", "0.999"}));
  EXPECT_THAT(few.out, HasSubstr("inf"));
  EXPECT_THAT(few.err, HasSubstr("200 rows are too few for --confidence 0.999, which needs 999"));
}

TEST_F(EnsembleIntervals, EachTargetHasItsOwn) {
  train({"--target", "y", "--target", "weight:pinball", "--task", "regression", "--quantiles",
         "0.1,0.9"});
  const json found = json_of(predict());
  EXPECT_EQ(found["interval"], "scaled");
  expect_limits(found["columns"], ensemble::IntervalMethod::scaled, 0.95, 2);
  const json quantiles = json_of(predict({"--interval", "normal"}));
  EXPECT_TRUE(quantiles["columns"].contains("y_low"));
  EXPECT_FALSE(quantiles["columns"].contains("weight_low"));
}

TEST_F(EnsembleIntervals, MembersThatSawAllRowsTakeValidationRows) {
  for (const char* resampling : {"none", "bayesian"}) {
    std::vector<std::string> more = line_;
    more.insert(more.end(), {"--resampling", resampling});
    EXPECT_TRUE(train(more)["conformal_scores"].is_null());
    EXPECT_TRUE(json_of(predict())["interval"].is_null());
    EXPECT_THAT(refused(predict({"--interval", "scaled"})),
                AllOf(HasSubstr(resampling), HasSubstr("--validation")));
    more.insert(more.end(), {"--validation", aside_});
    const json report = train(more);
    EXPECT_EQ(report["conformal_scores"]["of"], "held_out");
    const json found = json_of(predict());
    EXPECT_EQ(found["interval"], "conformal");
    expect_limits(found["columns"], ensemble::IntervalMethod::conformal, 0.95, 1);
  }
}

TEST_F(EnsembleIntervals, SubsamplesOfAllRowsHaveNone) {
  std::vector<std::string> more = line_;
  more.insert(more.end(), {"--subsample", "1"});
  EXPECT_TRUE(train(more)["conformal_scores"].is_null());
  const Outcome outcome = run(predict());
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("(nan): with --subsample 1 members are trained on all"),
                                 Not(HasSubstr("earlier version"))));
  EXPECT_THAT(run({"ensemble", "evaluate", model_, new_}).out,
              HasSubstr("unknown for 95% intervals"));
  EXPECT_THAT(refused(predict({"--interval", "scaled"})), HasSubstr("with --subsample 1"));
}

// Selected members have scores of the validation rows too.
TEST_F(EnsembleIntervals, SelectedMembersHaveTheirOwn) {
  std::vector<std::string> more = line_;
  more.insert(more.end(), {"--validation", aside_, "--keep-best", "5"});
  EXPECT_EQ(train(more)["conformal_scores"]["of"], "held_out");
  expect_limits(json_of(predict())["columns"], ensemble::IntervalMethod::conformal, 0.95, 1);
}

TEST_F(EnsembleIntervals, OlderModelsHaveNormalOnesAndSaySo) {
  train(line_);
  make_older();
  const Outcome outcome = run(predict());
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("low and high assume a normal law"));
  EXPECT_EQ(json_of(predict())["interval"], "normal");
  EXPECT_THAT(run(predict({"--interval", "normal"})).err, Not(HasSubstr("assume")));
  EXPECT_THAT(refused(predict({"--interval", "conformal"})), HasSubstr("earlier version"));
  EXPECT_THAT(refused(predict({"--sets", "threshold"})), HasSubstr("predicts numbers"));
}

TEST_F(EnsembleIntervals, SetsOfClasses) {
  folder_.write("flowers.csv", flowers(150));
  folder_.write("new.csv", flowers(60, 9));
  train({"--target", "flower", "--ignore", "id"}, "flowers.csv");
  const ensemble::Ensemble model = ensemble::Ensemble::load(model_);
  const data::Table fresh =
      data::read(folder_.path("new.csv"), {.columns = {"length", "noise", "width"}});
  const ensemble::Prediction prediction = model.predict(fresh.view());
  for (const auto method : {ensemble::SetMethod::threshold, ensemble::SetMethod::adaptive}) {
    const std::vector<std::string> sets = {"--sets", std::string(name(method)), "--confidence",
                                           "0.9"};
    const json found = json_of(predict(sets));
    EXPECT_EQ(found["sets"], name(method));
    const auto belongs = prediction_sets(model.frame(), prediction, 0.9, method);
    for (std::size_t row = 0; row < 60; ++row) {
      json wanted = json::array();
      for (std::size_t c = 0; c < 3; ++c)
        if (belongs[row * 3 + c] != 0) wanted.push_back(model.frame().classes[c]);
      EXPECT_EQ(found["columns"]["set"][row], wanted);
    }
  }
  const std::string text = run(predict({"--sets", "threshold", "--confidence", "0.995"})).out;
  EXPECT_THAT(text, HasSubstr("\"iris|rose, red|tulip\""));  // 150 rows cannot tell
  EXPECT_THAT(text, HasSubstr("epistemic,set,outside"));
  EXPECT_THAT(refused(predict({"--sets", "all"})), HasSubstr("threshold, adaptive"));
  EXPECT_THAT(refused(predict({"--interval", "scaled"})), HasSubstr("--sets"));
  make_older();
  EXPECT_THAT(refused(predict({"--sets", "threshold"})), HasSubstr("earlier version"));
}

TEST_F(EnsembleIntervals, SetsEscapeWhatSeparatesTheirNames) {
  std::string text = "x,kind\n";
  for (int row = 0; row < 60; ++row)
    text += std::to_string(row % 7) + (row % 2 == 0 ? ",a|b\n" : ",c\\d\n");
  folder_.write("kinds.csv", text);
  folder_.write("new.csv", text);
  train({"--target", "kind"}, "kinds.csv");
  EXPECT_THAT(run(predict({"--sets", "threshold", "--confidence", "0.99"})).out,
              HasSubstr("a\\|b|c\\\\d"));
}

TEST_F(EnsembleIntervals, SetsAndTemperaturesOfLabels) {
  std::string text = "x,a,b\n";
  for (int row = 0; row < 120; ++row)
    text += std::to_string(row % 17) + ',' + (row % 17 > 8 ? "1," : "0,") +
            (row % 3 > 0 ? "1\n" : "0\n");
  folder_.write("labels.csv", text);
  folder_.write("new.csv", text);
  const json report =
      train({"--target", "a,b", "--loss", "multi_label", "--calibrate"}, "labels.csv");
  ASSERT_EQ(report["temperatures"].size(), 2U);
  const json found = json_of(predict({"--sets", "threshold", "--confidence", "0.9"}));
  const ensemble::Ensemble model = ensemble::Ensemble::load(model_);
  const data::Table fresh = data::read(folder_.path("new.csv"), {.columns = {"x"}});
  const ensemble::Prediction prediction = model.predict(fresh.view());
  const auto sets = prediction_sets(model.frame(), prediction, 0.9);
  for (std::size_t row = 0; row < 120; ++row)
    for (std::size_t t = 0; t < 2; ++t) {
      const std::string label = t == 0 ? "a" : "b";
      EXPECT_EQ(found["columns"][label + "_probability"][row], prediction.mean[row * 2 + t]);
      json wanted = json::array();
      for (const std::size_t value : {0U, 1U})
        if (sets[(row * 2 + t) * 2 + value] != 0) wanted.push_back(std::to_string(value));
      EXPECT_EQ(found["columns"][label + "_set"][row], wanted);
    }
  EXPECT_THAT(refused(predict({"--sets", "adaptive"})), HasSubstr("--sets threshold"));
  EXPECT_THAT(refused(predict({"--interval", "conformal"})), HasSubstr("--sets"));
}

}  // namespace ensemble_intervals_test
}  // namespace bootfold::cli
