// Trainings that go on from a model file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>

#include "bootfold/ensemble/ensemble.h"
#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace ensemble_resume_test {

using testing::AllOf;
using testing::HasSubstr;

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words joined(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Words flower_training(const Folder& folder) {
  return {"ensemble", "train",    folder.write("flowers.csv", flowers(150)),
          "--target", "flower",   "--ignore",
          "id",       "--hidden", "8"};
}

// Members, their losses, the noise and so the file are to the bit those of one training.
TEST(EnsembleResume, MakesTheFileOfAnUninterruptedTraining) {
  const Folder folder;
  const std::string numbers = folder.write("line.csv", line(150));
  const Words regression = {"ensemble", "train", numbers, "--target", "y", "--task", "regression"};
  const Words sweep = joined(flower_training(folder), {"--hidden", "4,4"});
  for (const Words& training : {regression, flower_training(folder), sweep}) {
    const std::string whole = folder.path("whole.safetensors");
    const std::string part = folder.path("part.safetensors");
    const Json complete = json_of(joined(training, {"--members", "40", "--output", whole}));
    static_cast<void>(json_of(joined(training, {"--members", "21", "--output", part})));
    const std::size_t settings = complete["settings"].size();
    // In place: the file is read before it is written.
    const Json found =
        json_of(joined(training, {"--members", "40", "--resume", part, "--output", part}));
    EXPECT_EQ(found["resumed"], 21 * settings);
    EXPECT_EQ(found["trained"], 40 * settings);
    EXPECT_EQ(found["settings"], complete["settings"]);
    EXPECT_TRUE(bytes_of(part) == bytes_of(whole)) << settings;
    // Nothing is left to do.
    const Outcome again =
        run(joined(training, {"--members", "40", "--resume", part, "--output", part}));
    EXPECT_THAT(again.out, HasSubstr("of them resumed"));
    EXPECT_TRUE(bytes_of(part) == bytes_of(whole));
  }
}

// Groups of members that share weights are kept and trained as a whole.
TEST(EnsembleResume, GoesOnWithGroupsThatShareWeights) {
  const Folder folder;
  const Words training = joined(flower_training(folder), {"--share", "4", "--epochs", "20"});
  const std::string whole = folder.path("whole.safetensors");
  const std::string part = folder.path("part.safetensors");
  const Json complete = json_of(joined(training, {"--members", "24", "--output", whole}));
  EXPECT_EQ(complete["share"], 4);
  static_cast<void>(json_of(joined(training, {"--members", "8", "--output", part})));
  const Json found =
      json_of(joined(training, {"--members", "24", "--resume", part, "--output", part}));
  EXPECT_EQ(found["resumed"], 8);
  EXPECT_TRUE(bytes_of(part) == bytes_of(whole));
  const std::string rounds = folder.path("rounds.safetensors");
  static_cast<void>(
      json_of(joined(training, {"--members", "24", "--keep-partial", "--output", rounds})));
  EXPECT_TRUE(bytes_of(rounds) == bytes_of(whole));
  EXPECT_THAT(refused(joined(flower_training(folder),
                             {"--members", "24", "--epochs", "20", "--resume", part, "--quiet"})),
              HasSubstr("has share 4 but this training has 0"));
}

TEST(EnsembleResume, GoesOnWithSeveralSettings) {
  const Folder folder;
  const Words training = joined(flower_training(folder), {"--epochs", "3", "--hidden", "16"});
  const std::string whole = folder.path("whole.safetensors");
  const std::string part = folder.path("part.safetensors");
  static_cast<void>(json_of(joined(training, {"--members", "18", "--output", whole})));
  static_cast<void>(json_of(joined(training, {"--members", "4", "--output", part})));
  static_cast<void>(
      json_of(joined(training, {"--members", "18", "--resume", part, "--output", part})));
  EXPECT_TRUE(bytes_of(part) == bytes_of(whole));
  const Outcome none = run(joined(training, {"--members", "8", "--resume", folder.path("none")}));
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, testing::Not(HasSubstr("networks")));  // no plan
}

// Large networks are trained one by one, so few of them are enough to be kept.
TEST(EnsembleResume, KeepsLargeNetworksOneByOne) {
  const Folder folder;
  const std::string part = folder.path("part.safetensors");
  const Outcome outcome =
      run(joined(flower_training(folder),
                 {"--hidden", "512,512", "--epochs", "20", "--members", "500", "--threads", "1",
                  "--keep-partial", "--output", part, "--json"}),
          {.signal = SIGINT, .patience = std::chrono::milliseconds(6000)});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(ensemble::Ensemble::load(part).size(), 500U);
}

TEST(EnsembleResume, GoesOnAfterAnInterruption) {
  const Folder folder;
  const std::string part = folder.path("part.safetensors");
  const Words training = joined(flower_training(folder), {"--epochs", "40", "--threads", "1"});
  const Outcome outcome =
      run(joined(training, {"--members", "1e5", "--keep-partial", "--output", part, "--json"}),
          {.signal = SIGINT, .patience = std::chrono::milliseconds(500)});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t some = ensemble::Ensemble::load(part).size();
  const std::string members = std::to_string(some + 20);
  const std::string whole = folder.path("whole.safetensors");
  static_cast<void>(json_of(joined(training, {"--members", members, "--output", whole})));
  const Json found = json_of(joined(
      training, {"--members", members, "--resume", part, "--keep-partial", "--output", part}));
  EXPECT_EQ(found["resumed"], some);
  EXPECT_TRUE(bytes_of(part) == bytes_of(whole));
}

TEST(EnsembleResume, RefusesWhatDiffers) {
  const Folder folder;
  const std::string part = folder.path("part.safetensors");
  const Words training = joined(flower_training(folder), {"--members", "10", "--epochs", "5"});
  static_cast<void>(json_of(joined(training, {"--output", part})));
  const auto with = [&](const Words& more) {
    return refused(joined(joined(training, {"--resume", part, "--quiet"}), more));
  };
  EXPECT_THAT(with({"--seed", "2"}), HasSubstr("has seed 0 but this training has 2"));
  EXPECT_THAT(with({"--learning-rate", "0.5"}),
              HasSubstr("has learning rate 0.01 but this training has 0.5"));
  EXPECT_THAT(with({"--hidden", "16"}), HasSubstr("has hidden 8 but this training has 8, 16"));
  EXPECT_THAT(with({"--initializer", "he"}), HasSubstr("has other settings"));
  EXPECT_THAT(with({"--resampling", "none"}), HasSubstr("has resampling bootstrap"));
  EXPECT_THAT(with({"--ignore", "noise"}),
              HasSubstr("has inputs length, noise, width but this training has length, width"));
  EXPECT_THAT(with({"--where", "length > 10"}), HasSubstr("has rows: 150 but this training has"));
  EXPECT_THAT(with({"--standardize", "no"}), HasSubstr("--standardize"));
  EXPECT_THAT(with({"--checkpoint", folder.path("c")}), HasSubstr("--checkpoint and --resume"));
  const auto changed = [&](Words words, const std::string& from, const std::string& to) {
    *std::ranges::find(words, from) = to;
    return refused(joined(words, {"--resume", part, "--quiet"}));
  };
  EXPECT_THAT(changed(training, "5", "6"), AllOf(HasSubstr("first member"), HasSubstr("--epochs")));
  EXPECT_THAT(changed(training, "10", "9"), HasSubstr("--members is 9"));
  const std::string others = folder.write("others.csv", flowers(150, 9));
  EXPECT_THAT(changed(training, training[2], others), HasSubstr("rows"));
  const std::string best = folder.path("best.safetensors");
  static_cast<void>(json_of(joined(training, {"--keep-best", "4", "--output", best})));
  EXPECT_THAT(refused(joined(training, {"--resume", best, "--quiet"})), HasSubstr("--keep-best"));
}

}  // namespace ensemble_resume_test
}  // namespace bootfold::cli
