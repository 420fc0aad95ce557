// Losses and transforms of targets through `bootfold ensemble`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace ensemble_losses_test {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// Prices around e^(2 + x), sales, counts and two words.
std::string houses(std::size_t rows, std::uint64_t seed = 1) {
  random::Stream stream({.seed = seed});
  std::ostringstream text;
  text << "x,price,sold,count,kind,a:b\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double x = 2 * random::uniform(stream) - 1;
    const bool sold = random::uniform(stream) < 1 / (1 + std::exp(-3 * x));
    text << x << ',' << std::exp(2 + x + 0.3 * random::normal(stream)) << ',' << (sold ? 1 : 0)
         << ',' << std::floor(3 * std::exp(x) * random::uniform(stream)) << ','
         << (sold ? "yes" : "no") << ',' << 2 * x << '\n';
  }
  return text.str();
}

class EnsembleLosses : public testing::Test {
 protected:
  // Trains on x, with the report as JSON.
  Json trained(std::vector<std::string> more) const {
    std::vector<std::string> all = {
        "ensemble", "train",           file_,  "--input",  "x",   "--members", "12", "--epochs",
        "10",       "--learning-rate", "0.01", "--output", model_};
    all.insert(all.end(), more.begin(), more.end());
    return json_of(all);
  }
  std::vector<std::string> predicted_names() const {
    const Outcome outcome = run({"ensemble", "predict", model_, file_, "--quiet"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<std::string> names;
    std::istringstream head(outcome.out.substr(0, outcome.out.find('\n')));
    for (std::string name; std::getline(head, name, ',');) names.push_back(name);
    return names;
  }

  Folder folder_;
  std::string file_ = folder_.write("houses.csv", houses(150));
  std::string model_ = folder_.path("m.safetensors");
};

TEST_F(EnsembleLosses, QuantilesAreColumns) {
  const Json report = trained({"--target", "price", "--loss", "pinball", "--quantiles", "0.1,0.9",
                               "--target-transform", "log"});
  EXPECT_EQ(report["loss"], "pinball");
  EXPECT_EQ(report["quantiles"], (Json{0.1, 0.9}));
  EXPECT_EQ(report["target_transforms"][0]["transform"], "log");
  const Json& scores = report["out_of_bag"];
  EXPECT_GT(scores["pinball_loss"], 0);
  EXPECT_EQ(scores["confidence"], 0.95);
  EXPECT_EQ(scores["interval"], "conformal");
  ASSERT_EQ(scores["quantiles"].size(), 2U);
  EXPECT_THAT(predicted_names(), ElementsAre("q0.1", "q0.9", "q0.1_epistemic_std",
                                             "q0.9_epistemic_std", "low", "high", "outside"));
  const Json columns = json_of({"ensemble", "predict", model_, file_})["columns"];
  for (std::size_t row = 0; row < 150; ++row) {
    EXPECT_GT(columns["q0.1"][row], 0);
    EXPECT_LE(columns["q0.1"][row], columns["q0.9"][row]);
  }
  const Outcome text = run({"ensemble", "evaluate", model_, file_});
  EXPECT_THAT(text.out, HasSubstr("pinball loss"));
  EXPECT_THAT(text.out, HasSubstr("of the targets are at most the prediction"));
  EXPECT_THAT(refused({"ensemble", "predict", model_, file_, "--interval", "jackknife+",
                       "--training", file_}),
              HasSubstr("--interval conformal"));
}

TEST_F(EnsembleLosses, TargetsHaveLossesOfTheirOwn) {
  const Json report = trained({"--target", "price:huber,sold:binary", "--target", "count:poisson",
                               "--target", "a:b", "--target-transform", "yeo-johnson"});
  EXPECT_EQ(report["loss"], "mixed");
  EXPECT_EQ(report["losses"], (Json{"huber", "binary", "poisson", "squared_error"}));
  EXPECT_EQ(report["targets"], (Json{"price", "sold", "count", "a:b"}));
  EXPECT_TRUE(report["target_transforms"][0].contains("lambda"));
  EXPECT_EQ(report["target_transforms"][1]["transform"], "none");
  const Json& scores = report["out_of_bag"];
  EXPECT_TRUE(scores[0].contains("root_mean_squared_error"));
  EXPECT_TRUE(scores[1].contains("log_loss"));
  EXPECT_TRUE(scores[2].contains("poisson_deviance"));
  EXPECT_THAT(
      predicted_names(),
      ElementsAre("price_mean", "price_epistemic_std", "price_aleatoric_std", "price_total_std",
                  "price_low", "price_high", "sold_probability", "sold_total", "sold_aleatoric",
                  "sold_epistemic", "count_rate", "count_epistemic_std", "count_aleatoric_std",
                  "count_total_std", "count_low", "count_high", "a:b_mean", "a:b_epistemic_std",
                  "a:b_aleatoric_std", "a:b_total_std", "a:b_low", "a:b_high", "outside"));
  const Json evaluated = json_of({"ensemble", "evaluate", model_, file_, "--out-of-bag"});
  EXPECT_EQ(evaluated["scores"], scores);
  const Json limits = json_of(
      {"ensemble", "predict", model_, file_, "--interval", "jackknife+", "--training", file_});
  EXPECT_TRUE(limits["columns"].contains("price_jackknife_low"));
}

TEST_F(EnsembleLosses, BinaryHasOneOutputForTwoClasses) {
  const Json report = trained({"--target", "kind", "--loss", "binary", "--pos-weight", "2"});
  EXPECT_EQ(report["task"], "classification");
  EXPECT_EQ(report["classes"], (Json{"no", "yes"}));
  EXPECT_EQ(report["pos_weight"], 2);
  EXPECT_TRUE(report["out_of_bag"].contains("accuracy"));
  EXPECT_THAT(predicted_names(), ElementsAre("class", "probability", "p_no", "p_yes", "total",
                                             "aleatoric", "epistemic", "outside"));
  const Json same = trained({"--target", "kind:binary", "--pos-weight", "2"});
  EXPECT_EQ(same["out_of_bag"], report["out_of_bag"]);
  EXPECT_TRUE(trained({"--target", "kind", "--loss", "binary", "--calibrate"})["temperature"] != 1);
}

TEST_F(EnsembleLosses, LabelsAreColumnsOfZeroAndOne) {
  const std::string validation = folder_.write("validation.csv", houses(60, 2));
  const Json report = trained(
      {"--target", "sold", "--loss", "multi_label", "--validation", validation, "--patience", "3"});
  EXPECT_EQ(report["task"], "multi_label");
  EXPECT_TRUE(report["validation"].contains("log_loss"));
  EXPECT_THAT(predicted_names(),
              ElementsAre("probability", "total", "aleatoric", "epistemic", "outside"));
}

TEST_F(EnsembleLosses, Misuse) {
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"ensemble", "train", file_, "--input", "x"};
    all.insert(all.end(), more.begin(), more.end());
    return refused(all);
  };
  EXPECT_THAT(with({"--target", "price", "--loss", "hinge"}), HasSubstr("pinball"));
  EXPECT_THAT(with({"--target", "price", "--loss", "mixed"}), HasSubstr("--target price:huber"));
  EXPECT_THAT(with({"--target", "price:huber", "--loss", "gaussian"}), HasSubstr("differ"));
  EXPECT_THAT(with({"--target", "price", "--loss", "huber", "--quantiles", "0.5"}),
              HasSubstr("--quantiles is for --loss pinball"));
  EXPECT_THAT(with({"--target", "price", "--task", "regression", "--huber-delta", "2"}),
              HasSubstr("--huber-delta is for --loss huber"));
  EXPECT_THAT(with({"--target", "kind", "--pos-weight", "2"}),
              HasSubstr("--pos-weight is for --loss binary and multi_label"));
  EXPECT_THAT(with({"--target", "price", "--loss", "pinball", "--quantiles", "0.5,2"}),
              HasSubstr("--quantiles is '2'"));
  EXPECT_THAT(with({"--target", "price", "--loss", "pinball", "--quantiles", "0.5,0.2"}),
              HasSubstr("ascending"));
  EXPECT_THAT(with({"--target", "price", "--task", "regression", "--target-transform", "root"}),
              HasSubstr("yeo-johnson"));
  EXPECT_THAT(with({"--target", "a:b", "--task", "regression", "--target-transform", "log"}),
              HasSubstr("above 0"));
  EXPECT_THAT(with({"--target", "count", "--loss", "poisson", "--target-transform", "log"}),
              HasSubstr("loss is poisson"));
  EXPECT_THAT(with({"--target", "price,count", "--loss", "multi_label"}), HasSubstr("0 and 1"));
  EXPECT_THAT(with({"--target", "a:b", "--loss", "poisson"}), HasSubstr("not negative"));
  EXPECT_THAT(with({"--target", "kind,sold", "--loss", "binary"}), HasSubstr("multi_label"));
  EXPECT_THAT(with({"--target", "price", "--loss", "huber", "--task", "classification"}),
              HasSubstr("--loss huber is not for"));
}

}  // namespace ensemble_losses_test
}  // namespace bootfold::cli
