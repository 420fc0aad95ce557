// `bootfold ensemble train`, `predict` and `evaluate`.
#include "bootfold/ensemble/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bootfold/data.h"
#include "bootfold/random.h"
#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace ensemble_test {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string one; std::getline(stream, one);) lines.push_back(one);
  return lines;
}

TEST(EnsembleTrain, ClassifiesTextAndReportsOutOfBagScores) {
  const Folder folder;
  const Json found = json_of(train_flowers(folder));
  for (const char* key :
       {"task",       "loss",    "inputs",       "target",           "classes",  "members",
        "trained",    "asked",   "failed",       "failures",         "settings", "out_of_bag",
        "resampling", "seed",    "rows",         "omitted_rows",     "output",   "simd",
        "threads",    "seconds", "read_seconds", "peak_memory_bytes"})
    EXPECT_TRUE(found.contains(key)) << key;
  EXPECT_EQ(found["task"], "classification");
  EXPECT_EQ(found["inputs"], Json::array({"length", "noise", "width"}));
  EXPECT_EQ(found["target"], "flower");
  EXPECT_EQ(found["classes"], Json::array({"iris", "rose, red", "tulip"}));
  EXPECT_EQ(found["members"], 20);
  EXPECT_EQ(found["out_of_bag"]["rows"], 150);
  EXPECT_GT(found["out_of_bag"]["accuracy"], 0.85);
  EXPECT_LT(found["out_of_bag"]["negative_log_likelihood"], 0.5);
  EXPECT_EQ(found["out_of_bag"]["reliability"].size(), 15U);
  EXPECT_EQ(found["settings"].size(), 1U);
  EXPECT_EQ(found["settings"][0]["hidden"], Json::array({8}));
  EXPECT_GT(found["settings"][0]["held_out_loss"]["deviation"], 0);
  EXPECT_EQ(ensemble::Ensemble::load(folder.path("m.safetensors")).size(), 20U);
}

TEST(EnsembleTrain, TextReportsTheSameAsJson) {
  const Folder folder;
  const Outcome outcome = run(train_flowers(folder));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"20 networks 3-8-3 for flower (iris, rose, red, tulip)", "20 trained",
                           "held-out loss", "Out of bag", "accuracy", "NLL", "Brier score", "ECE",
                           "150 rows", "bootstrap", "seed 0", "saved to"})
    EXPECT_THAT(outcome.out, HasSubstr(part));
}

TEST(EnsembleTrain, TheSameCommandWritesTheSameBytes) {
  const Folder folder;
  std::vector<std::string> arguments = train_flowers(folder);
  EXPECT_EQ(run(arguments).code, 0);
  arguments.back() = folder.path("again.safetensors");
  arguments.insert(arguments.end(), {"--threads", "1"});
  EXPECT_EQ(run(arguments).code, 0);
  const ensemble::Ensemble a = ensemble::Ensemble::load(folder.path("m.safetensors"));
  const ensemble::Ensemble b = ensemble::Ensemble::load(folder.path("again.safetensors"));
  for (std::size_t m = 0; m < a.size(); ++m)
    EXPECT_TRUE(std::ranges::equal(a.parameters(m), b.parameters(m)));
}

TEST(EnsembleTrain, SweepsReportATableAndSelectTheBest) {
  const Folder folder;
  const std::vector<std::string> arguments = {"ensemble",
                                              "train",
                                              folder.write("flowers.csv", flowers(90)),
                                              "--target",
                                              "flower",
                                              "--ignore",
                                              "id",
                                              "--members",
                                              "6",
                                              "--hidden",
                                              "4",
                                              "--hidden",
                                              "4,3",
                                              "--learning-rate",
                                              "1e-5,3e-2",
                                              "--activation",
                                              "relu,tanh",
                                              "--epochs",
                                              "15",
                                              "--keep-best",
                                              "10",
                                              "--output",
                                              folder.path("m.safetensors")};
  const Json found = json_of(arguments);
  EXPECT_EQ(found["settings"].size(), 8U);
  EXPECT_EQ(found["trained"], 48);
  EXPECT_EQ(found["members"], 10);
  EXPECT_LT(found["settings"][1]["held_out_loss"]["mean"],
            found["settings"][0]["held_out_loss"]["mean"]);
  const ensemble::Ensemble kept = ensemble::Ensemble::load(folder.path("m.safetensors"));
  for (std::size_t m = 0; m < kept.size(); ++m)
    EXPECT_EQ(kept.frame().settings[kept.member(m).settings].learning_rate, 3e-2);
  const std::string text = run(arguments).out;
  for (const char* head : {"hidden", "activation", "learning rate", "held-out loss"})
    EXPECT_THAT(text, HasSubstr(head));
  EXPECT_THAT(text, Not(HasSubstr("weight decay")));  // it does not differ
  EXPECT_THAT(text, HasSubstr("the best 10 kept"));
}

TEST(EnsembleTrain, EveryOptionIsAccepted) {
  const Folder folder;
  const Json found = json_of({"ensemble",
                              "train",
                              folder.write("line.csv", line(80)),
                              "--target",
                              "y",
                              "--loss",
                              "gaussian",
                              "--weights",
                              "weight",
                              "--members",
                              "3",
                              "--hidden",
                              "none",
                              "--activation",
                              "gelu",
                              "--initializer",
                              "glorot",
                              "--warmup",
                              "0.1",
                              "--average",
                              "0.9",
                              "--steps",
                              "7",
                              "--batch-size",
                              "full,16",
                              "--optimizer",
                              "adamw,sgd",
                              "--learning-rate",
                              "0.01",
                              "--schedule",
                              "cosine",
                              "--weight-decay",
                              "0,1e-3",
                              "--momentum",
                              "0.8",
                              "--clip",
                              "1",
                              "--subsample",
                              "0.25,0.5",
                              "--reshuffle",
                              "--standardize",
                              "no",
                              "--seed",
                              "9",
                              "--threads",
                              "2",
                              "--memory",
                              "64M"});
  EXPECT_EQ(found["settings"].size(), 16U);
  EXPECT_EQ(found["loss"], "gaussian");
  EXPECT_EQ(found["inputs"], Json::array({"x"}));
  EXPECT_EQ(found["targets"], Json::array({"y"}));
  EXPECT_EQ(found["resampling"], "subsample");
  EXPECT_EQ(found["seed"], 9);
  const Json& last = found["settings"][15];
  EXPECT_EQ(last["hidden"], Json::array());
  EXPECT_EQ(last["initializer"], "glorot");
  EXPECT_EQ(last["optimizer"], "sgd");
  EXPECT_EQ(last["schedule"], "cosine");
  EXPECT_EQ(last["weight_decay"], 1e-3);
  EXPECT_EQ(last["momentum"], 0.8);
  EXPECT_EQ(last["clip"], 1);
  EXPECT_EQ(last["warmup"], 0.1);
  EXPECT_EQ(last["average"], 0.9);
  EXPECT_EQ(last["batch_size"], 16);
  EXPECT_EQ(last["subsample"], 0.5);
  EXPECT_EQ(last["steps"]["mean"], 7);
}

TEST(EnsembleTrain, LayersAndDropout) {
  const Folder folder;
  const std::string model = folder.path("model.safetensors");
  const std::string rows = folder.write("flowers.csv", flowers(60));
  const Json found =
      json_of({"ensemble", "train",        rows,       "--target",     "flower",     "--ignore",
               "id,noise", "--members",    "4",        "--epochs",     "5",          "--hidden",
               "8,8",      "--activation", "silu",     "--layer-norm", "--residual", "--dropout",
               "0,0.2",    "--average",    "none,0.9", "--output",     model});
  ASSERT_EQ(found["settings"].size(), 4U);
  const Json& last = found["settings"][3];
  EXPECT_EQ(last["layer_norm"], true);
  EXPECT_EQ(last["residual"], true);
  EXPECT_EQ(last["dropout"], 0.2);
  EXPECT_EQ(last["average"], 0.9);
  EXPECT_EQ(found["settings"][0]["dropout"], 0);
  EXPECT_EQ(run({"ensemble", "predict", model, rows}).code, 0);
}

TEST(EnsembleTrain, PatienceStopsMembersEarly) {
  const Folder folder;
  const Json found =
      json_of({"ensemble", "train", folder.write("flowers.csv", flowers(60)), "--target", "flower",
               "--ignore", "id,noise", "--members", "8", "--epochs", "400", "--learning-rate",
               "0.05", "--patience", "2", "--look-every", "2"});
  EXPECT_LT(found["settings"][0]["steps"]["mean"], 400 * 60 / 32);
}

// One in ten: without weights the rare class is seldom predicted where both are likely.
TEST(EnsembleTrain, BalancedClassWeightsRaiseTheRareClass) {
  const Folder folder;
  random::Stream stream({.seed = 5});
  std::string text = "x,class\n";
  for (int row = 0; row < 300; ++row)
    text += std::to_string(random::normal(stream) + (row % 10 == 0 ? 1.0 : 0.0)) +
            (row % 10 == 0 ? ",rare\n" : ",usual\n");
  const std::string file = folder.write("x.csv", text);
  const auto mean = [&](const char* weights) {
    EXPECT_EQ(run({"ensemble", "train", file, "--target", "class", "--class-weights", weights,
                   "--members", "10", "--epochs", "20", "--learning-rate", "1e-2", "--output",
                   folder.path("m.safetensors")})
                  .code,
              0);
    const Json prediction = json_of({"ensemble", "predict", folder.path("m.safetensors"), file});
    double sum = 0;
    for (const Json& each : prediction["columns"]["p_rare"]) sum += each.get<double>();
    return sum / 300;
  };
  EXPECT_NEAR(mean("none"), 0.1, 0.05);
  EXPECT_GT(mean("balanced"), 0.3);
}

TEST(EnsembleTrain, DivergedMembersAreReportedWithTheirSettings) {
  const Folder folder;
  const std::vector<std::string> arguments = {"ensemble",
                                              "train",
                                              folder.write("line.csv", line(50)),
                                              "--target",
                                              "y",
                                              "--task",
                                              "regression",
                                              "--optimizer",
                                              "sgd",
                                              "--learning-rate",
                                              "1e-3,1e6",
                                              "--members",
                                              "3",
                                              "--epochs",
                                              "20"};
  const Json found = json_of(arguments);
  EXPECT_EQ(found["failed"], 3);
  EXPECT_EQ(found["failures"][0]["settings"], 1);
  EXPECT_THAT(found["failures"][0]["reason"].get<std::string>(), HasSubstr("1e+06"));
  EXPECT_EQ(found["settings"][1]["failed"], 3);
  EXPECT_THAT(run(arguments).out, HasSubstr("3 members: the loss is"));
  std::vector<std::string> all = arguments;
  all[10] = "1e6";
  const Outcome outcome = run(all);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("all 3 members failed"));
}

TEST(EnsemblePredict, FindsColumnsByName) {
  const Folder folder;
  ASSERT_EQ(run(train_flowers(folder)).code, 0);
  const std::string model = folder.path("m.safetensors");
  const Outcome outcome = run({"ensemble", "predict", model, folder.path("flowers.csv")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 151U);
  EXPECT_EQ(lines[0],
            "class,probability,p_iris,\"p_rose, red\",p_tulip,total,aleatoric,epistemic,outside");
  EXPECT_THAT(lines[2], StartsWith("\"rose, red\","));
  // Other columns, another order: the same numbers.
  std::string turned = "width,more,length,noise\n";
  const data::Table table =
      data::read(folder.path("flowers.csv"), {.columns = {"length", "noise", "width"}});
  std::ostringstream text;
  text.precision(17);
  for (std::size_t row = 0; row < 150; ++row)
    text << table.view().column(2)[row] << ",text," << table.view().column(0)[row] << ','
         << table.view().column(1)[row] << '\n';
  EXPECT_EQ(run({"ensemble", "predict", model, "-"}, {.input = turned + text.str()}).out,
            outcome.out);
  // Exactly the predictions of the library.
  const ensemble::Ensemble loaded = ensemble::Ensemble::load(model);
  const ensemble::Prediction prediction = loaded.predict(table.view());
  const Json columns = json_of({"ensemble", "predict", model, folder.path("flowers.csv")});
  EXPECT_EQ(columns["columns"]["p_tulip"][7], prediction.probability(7, 2));
  EXPECT_EQ(columns["columns"]["epistemic"][7], prediction.epistemic[7]);
  EXPECT_EQ(columns["columns"]["total"][149], prediction.total[149]);
}

TEST(EnsemblePredict, WritesCsvAndNpy) {
  const Folder folder;
  ASSERT_EQ(run(train_flowers(folder)).code, 0);
  const std::string model = folder.path("m.safetensors");
  const std::string file = folder.path("flowers.csv");
  const std::string csv = run({"ensemble", "predict", model, file}).out;
  const Outcome outcome =
      run({"ensemble", "predict", model, file, "--output", folder.path("predictions.csv")});
  EXPECT_THAT(outcome.out, HasSubstr("150 rows written to"));
  const data::Table read = data::read(folder.path("predictions.csv"),
                                      {.columns = {"p_iris", "epistemic"}, .labels = {"class"}});
  EXPECT_EQ(read.labels().names, (std::vector<std::string>{"iris", "rose, red", "tulip"}));
  EXPECT_EQ(run({"ensemble", "predict", model, file, "--output", folder.path("predictions.npy"),
                 "--quiet"})
                .out,
            "");
  const data::Table array =
      data::read(folder.path("predictions.npy"), {.columns = {"1", "3", "8"}});
  for (std::size_t row = 0; row < 150; ++row) {
    EXPECT_EQ(array.view().column(0)[row], read.labels().codes[row]);
    EXPECT_EQ(array.view().column(1)[row], read.view().column(0)[row]);
    EXPECT_EQ(array.view().column(2)[row], read.view().column(1)[row]);
  }
}

TEST(EnsemblePredict, WritesIntervalsOfARegression) {
  const Folder folder;
  const std::string model = folder.path("m.safetensors");
  ASSERT_EQ(run({"ensemble", "train", folder.write("line.csv", line(400)), "--target", "y",
                 "--task", "regression", "--ignore", "weight", "--members", "15", "--hidden", "8",
                 "--learning-rate", "1e-2", "--epochs", "60", "--output", model})
                .code,
            0);
  const Json prediction = json_of({"ensemble", "predict", model, "-", "--interval", "normal",
                                   "--confidence", "0.6826894921370859"},
                                  {.input = "x\n7\n10\n13\n"})["columns"];
  for (std::size_t row = 0; row < 3; ++row) {
    const double mean = prediction["mean"][row];
    const double total = prediction["total_std"][row];
    EXPECT_NEAR(mean, 100 + 5 * (7 + 3.0 * static_cast<double>(row)), 1.5);
    EXPECT_NEAR(prediction["aleatoric_std"][row], 2, 0.5);
    EXPECT_NEAR(prediction["low"][row], mean - total, 1e-9);
    EXPECT_NEAR(prediction["high"][row], mean + total, 1e-9);
    EXPECT_NEAR(total,
                std::hypot(prediction["aleatoric_std"][row].get<double>(),
                           prediction["epistemic_std"][row].get<double>()),
                1e-9);
  }
  // 1000 new rows of the same law. The share inside has a standard error of 0.007 if the interval
  // is right; the noise was estimated from 400 rows, which moves its width by 4 %.
  const Json scores = json_of({"ensemble", "evaluate", model, "-"}, {.input = line(1000, 77)});
  EXPECT_NEAR(scores["scores"]["coverage"], 0.95, 0.04);
  EXPECT_NEAR(scores["scores"]["root_mean_squared_error"], 2, 0.3);
  EXPECT_GT(scores["scores"]["r_squared"], 0.95);
  EXPECT_EQ(scores["scores"]["rows"], 1000);
  const std::string text = run({"ensemble", "evaluate", model, "-"}, {.input = line(50, 3)}).out;
  for (const char* part : {"RMSE", "R2", "NLL", "coverage", "95% intervals"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(EnsembleEvaluate, ScoresNewRowsAndOutOfBagRows) {
  const Folder folder;
  const Json trained = json_of(train_flowers(folder));
  const std::string model = folder.path("m.safetensors");
  const Json found = json_of({"ensemble", "evaluate", model, "-"}, {.input = flowers(300, 99)});
  EXPECT_GT(found["scores"]["accuracy"], 0.85);
  EXPECT_EQ(found["scores"]["rows"], 300);
  const Json again =
      json_of({"ensemble", "evaluate", model, folder.path("flowers.csv"), "--out-of-bag"});
  EXPECT_EQ(again["scores"]["rows"], 150);
  EXPECT_EQ(again["scores"]["accuracy"], trained["out_of_bag"]["accuracy"]);
  EXPECT_NEAR(again["scores"]["brier_score"], trained["out_of_bag"]["brier_score"].get<double>(),
              1e-12);
  const std::string text = run({"ensemble", "evaluate", model, "-"}, {.input = flowers(30, 9)}).out;
  for (const char* part : {"accuracy", "NLL", "Brier", "ECE", "confidence", "0.933 to 1.000"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(refused({"ensemble", "evaluate", model, "-", "--out-of-bag"}, {.input = flowers(30)}),
              HasSubstr("trained on 150"));
  EXPECT_THAT(refused({"ensemble", "evaluate", model, "-"},
                      {.input = "length,noise,width,flower\n1,2,3,daisy\n"}),
              HasSubstr("'daisy'"));
}

// Rows, networks, steps and time are told before the training, and what stopped it afterwards.
TEST(EnsembleDefaults, AreToldBeforeTheTraining) {
  const Folder folder;
  const std::string file = folder.write("flowers.csv", flowers(150));
  const std::vector<std::string> arguments = {
      "ensemble", "train", file, "--target", "flower", "--ignore", "id", "--members", "10"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return more;
  };
  const Outcome usual = run(arguments);
  EXPECT_EQ(usual.code, 0);
  EXPECT_THAT(usual.err,
              testing::MatchesRegex("bootfold: 150 rows, 3 inputs; 10 networks 3-32-3 of 227 "
                                    "parameters; up to 2,000 steps each, batches of 32, learning "
                                    "rate 0.0[0-9]+, early stopping with patience 10; (about .* "
                                    "or less|less than a second)\n"));
  EXPECT_THAT(usual.out, HasSubstr("patience 10; kept with the lowest held-out loss, after"));
  EXPECT_EQ(run(with({"--quiet"})).err, "");
  const nlohmann::json object = json_of(arguments);
  EXPECT_EQ(object["patience"], 10);
  EXPECT_EQ(object["settings"][0]["most_steps"], 2000);
  EXPECT_EQ(object["settings"][0]["batch_size"], 32);
  EXPECT_EQ(object["settings"][0]["schedule"], "cosine");
  EXPECT_LT(object["settings"][0]["steps"]["mean"], 2000);
  const nlohmann::json words =
      json_of(with({"--epochs", "auto", "--batch-size", "auto", "--learning-rate", "auto",
                    "--schedule", "auto", "--patience", "auto", "--look-every", "auto"}));
  EXPECT_EQ(words["settings"], object["settings"]);
  const Outcome given = run(with({"--epochs", "3"}));
  EXPECT_THAT(given.err, HasSubstr("; 15 steps each, batches of 32"));
  EXPECT_THAT(given.err + given.out, testing::Not(HasSubstr("patience")));
  EXPECT_THAT(refused(with({"--patience", "long"})), HasSubstr("--patience is 'long'"));
  EXPECT_THAT(refused(with({"--patience", "1e12"})), HasSubstr("or auto"));
  EXPECT_THAT(refused(with({"--learning-rate", "0"})), HasSubstr("auto"));
  EXPECT_THAT(refused(with({"--look-every", "2", "--epochs", "3"})), HasSubstr("--patience"));
}

TEST(EnsembleInterrupt, StopsATrainingWithinASecond) {
  const Folder folder;
  std::vector<std::string> arguments = train_flowers(folder);
  arguments.insert(arguments.end(), {"--hidden", "64,64", "--epochs", "100000", "--members", "64",
                                     "--threads", "2"});
  double seconds = 0;
  const Outcome outcome = run(arguments, {.signal = SIGINT,
                                          .patience = std::chrono::milliseconds(1000),
                                          .cpu_after_signal = &seconds});
  EXPECT_EQ(outcome.code, 130);
  EXPECT_THAT(outcome.err, testing::EndsWith("\nbootfold: interrupted; nothing was written\n"));
  EXPECT_LT(seconds, 1);
  EXPECT_THAT(folder.files(), ElementsAre("flowers.csv"));
}

TEST(EnsembleInterrupt, KeepsFinishedMembersOnRequest) {
  const Folder folder;
  std::vector<std::string> arguments = train_flowers(folder);
  arguments.insert(arguments.end(),
                   {"--members", "1e5", "--keep-partial", "--threads", "1", "--json"});
  const Outcome outcome =
      run(arguments, {.signal = SIGINT, .patience = std::chrono::milliseconds(1500)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json found = Json::parse(outcome.out);
  EXPECT_EQ(found["asked"], 100'000);
  EXPECT_GT(found["trained"], 0);
  EXPECT_LT(found["trained"], 100'000);
  EXPECT_EQ(ensemble::Ensemble::load(folder.path("m.safetensors")).size(), found["trained"]);
}

}  // namespace ensemble_test
}  // namespace bootfold::cli
