// `bootfold ensemble train --sample` and `--select`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "bootfold/ensemble/ensemble.h"
#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace ensemble_sample_test {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words training(const Folder& folder, const Words& more) {
  return joined({"ensemble", "train", folder.write("flowers.csv", flowers(120)), "--target",
                 "flower", "--ignore", "id", "--epochs", "8"},
                more);
}

TEST(EnsembleSample, DrawsSettingsAndSelectsMembers) {
  const Folder folder;
  const Words words =
      training(folder, {"--sample", "12", "--learning-rate", "1e-4..3e-2", "--hidden", "4..16",
                        "--dropout", "0,0.1", "--output", folder.path("m.safetensors")});
  const Json found = json_of(words);
  EXPECT_EQ(found["sampled"], true);
  EXPECT_EQ(found["settings"].size(), 12U);
  EXPECT_EQ(found["trained"], 96);  // 8 with each of the settings
  std::size_t kept = 0;
  std::set<double> rates;
  for (const Json& settings : found["settings"]) {
    kept += settings["kept"].get<std::size_t>();
    const double rate = settings["learning_rate"];
    rates.insert(rate);
    EXPECT_TRUE(rate >= 1e-4 && rate <= 3e-2) << rate;
    EXPECT_TRUE(settings["dropout"] == 0.0 || settings["dropout"] == 0.1);
    EXPECT_GE(settings["weight_decay"], 1e-6);
    for (const Json& units : settings["hidden"]) EXPECT_TRUE(units >= 4 && units <= 16);
  }
  EXPECT_EQ(rates.size(), 12U);
  const Json& selection = found["selection"];
  EXPECT_EQ(selection["rule"], "greedy");
  EXPECT_EQ(selection["judged_by"], "out_of_bag");
  EXPECT_EQ(selection["selected"].size(), kept);
  EXPECT_EQ(found["members"], kept);
  EXPECT_GT(selection["other_rows"]["loss"], 0);
  EXPECT_GT(selection["other_rows"]["standard_error"], 0);
  EXPECT_EQ(selection["rows_stopped_members"], false);
  const auto model = ensemble::Ensemble::load(folder.path("m.safetensors"));
  ASSERT_EQ(model.size(), kept);

  Words more = words;
  *(std::ranges::find(more, "12")) = "15";
  const Json larger = json_of(more);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(larger["settings"][i]["learning_rate"], found["settings"][i]["learning_rate"]);

  const std::string text = run(words).out;
  for (const char* part :
       {"kept", "Selection: members that lower the loss together", "on rows that did not select",
        "the best settings first", "too good", "change"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(EnsembleSample, AllAndBestCanBeKept) {
  const Folder folder;
  const Words words = training(folder, {"--sample", "25", "--members", "2", "--hidden", "4"});
  const Json all = json_of(joined(words, {"--select", "all"}));
  EXPECT_EQ(all["members"], 50);
  EXPECT_TRUE(all["selection"].is_null());
  const Json best = json_of(joined(words, {"--select", "best", "--keep-best", "7"}));
  EXPECT_EQ(best["members"], 7);
  EXPECT_EQ(best["selection"]["rule"], "best");
  const std::string text = run(joined(words, {"--select", "all"})).out;
  EXPECT_THAT(text, HasSubstr("the best 20 of 25 settings"));
  EXPECT_THAT(text, Not(HasSubstr("Selection")));
}

TEST(EnsembleSample, GreedySelectionServesLists) {
  const Folder folder;
  const Json found = json_of(training(folder, {"--learning-rate", "1e-5,1e-2", "--members", "5",
                                               "--hidden", "4", "--select", "greedy"}));
  EXPECT_EQ(found["settings"].size(), 2U);
  EXPECT_EQ(found["sampled"], false);
  EXPECT_EQ(found["settings"][0]["kept"], 0);
  EXPECT_EQ(found["settings"][1]["kept"], 5);
}

TEST(EnsembleSample, EarlyStoppingLeavesRowsForTheSelection) {
  const Folder folder;
  const Words words = training(folder, {"--sample", "4", "--hidden", "4", "--patience", "3"});
  EXPECT_EQ(json_of(words)["selection"]["rows_stopped_members"], false);
  const Words share = joined(words, {"--stopping-share", "1"});
  EXPECT_EQ(json_of(share)["selection"]["rows_stopped_members"], true);
  EXPECT_THAT(run(share).out, HasSubstr("also stopped members early"));
}

TEST(EnsembleSample, ValidationRowsSelect) {
  const Folder folder;
  const Words words = training(folder, {"--sample", "5", "--hidden", "4", "--resampling", "none",
                                        "--validation", folder.write("v.csv", flowers(60, 2))});
  const Json found = json_of(words);
  EXPECT_EQ(found["selection"]["judged_by"], "validation");
  EXPECT_EQ(found["selection"]["other_rows"]["rows"], 60);
  EXPECT_THAT(run(words).out, HasSubstr("by their loss on the validation rows"));
}

// 300 candidates for each of a hundred places, six times.
TEST(EnsembleSample, SelectionIsInterrupted) {
  const Folder folder;
  const Words words = joined(
      training(folder, {"--sample", "150", "--hidden", "4", "--dropout", "0", "--validation",
                        folder.write("v.csv", flowers(5000, 2)), "--members", "2", "--output",
                        folder.path("m.safetensors"), "--steps", "1", "--threads", "1"}),
      {});
  Words given = words;
  const auto epochs = std::ranges::find(given, "--epochs");
  given.erase(epochs, epochs + 2);
  for (const bool partial : {false, true}) {
    if (partial) given.emplace_back("--keep-partial");
    double seconds = 0;
    const Outcome outcome = run(given, {.signal = SIGINT,
                                        .patience = std::chrono::milliseconds(2500),
                                        .cpu_after_signal = &seconds});
    EXPECT_EQ(outcome.code, partial ? 0 : 130) << outcome.err;
    EXPECT_LT(seconds, 1.5);
    if (partial)
      EXPECT_THAT(outcome.err, HasSubstr("no members were selected, so all of them are kept"));
    else
      EXPECT_THAT(outcome.err, testing::EndsWith("bootfold: interrupted; nothing was written\n"));
  }
  EXPECT_EQ(ensemble::Ensemble::load(folder.path("m.safetensors")).size(), 300U);
}

TEST(EnsembleSample, InvalidRangesAndRules) {
  const Folder folder;
  const auto with = [&](const Words& words) { return refused(training(folder, words)); };
  EXPECT_THAT(with({"--learning-rate", "1e-4..1e-2"}),
              AllOf(HasSubstr("--learning-rate is '1e-4..1e-2'"), HasSubstr("--sample 64")));
  EXPECT_THAT(with({"--sample", "4", "--learning-rate", "1e-2..1e-4"}),
              AllOf(HasSubstr("--learning-rate is 1e-2..1e-4"), HasSubstr("low end")));
  EXPECT_THAT(with({"--sample", "4", "--learning-rate", "1e-3,1e-2..1e-1"}),
              HasSubstr("beside other values"));
  EXPECT_THAT(with({"--sample", "4", "--dropout", "0..1"}), HasSubstr("within 0..0.9"));
  EXPECT_THAT(with({"--sample", "4", "--weight-decay", "0..1"}), HasSubstr("above 0"));
  EXPECT_THAT(with({"--sample", "4", "--hidden", "16..x"}), HasSubstr("two numbers"));
  EXPECT_THAT(with({"--sample", "4", "--hidden", "none", "--depth", "2"}), HasSubstr("--depth"));
  EXPECT_THAT(with({"--depth", "2"}), HasSubstr("--sample"));
  EXPECT_THAT(with({"--sample", "0"}), HasSubstr("--sample"));
  EXPECT_THAT(with({"--sample", "4", "--hidden", "4", "--learning-rate", "1e-2", "--dropout", "0",
                    "--weight-decay", "0"}),
              HasSubstr("1 different settings"));
  EXPECT_THAT(with({"--sample", "4", "--resampling", "none"}), HasSubstr("--validation"));
  EXPECT_THAT(with({"--select", "best"}), HasSubstr("--keep-best 50"));
  EXPECT_THAT(with({"--select", "all", "--keep-best", "3"}), HasSubstr("--select all"));
  EXPECT_THAT(with({"--select", "gredy"}), HasSubstr("greedy"));
  EXPECT_THAT(with({"--stopping-share", "0"}), HasSubstr("--stopping-share"));
  EXPECT_THAT(with({"--sample", "4", "--batch-size", "8..4096"}),
              HasSubstr("--batch-size is 8..4096 but members have 120 rows"));
  EXPECT_THAT(with({"--keep-best", "0"}),
              AllOf(HasSubstr("must be at least 1"), Not(HasSubstr("all members"))));
}

}  // namespace ensemble_sample_test
}  // namespace bootfold::cli
