// Settings and members that occur twice are rejected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bootfold/error.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace duplicate_settings_test {

using testing::HasSubstr;

std::string complaint(const std::vector<Settings>& settings, Resampling resampling) {
  const Spirals spirals(40);
  Training training{.members = 2, .settings = settings, .steps = 2};
  training.resampling = resampling;
  try {
    static_cast<void>(train(spirals.examples(), training));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(DuplicateSettings, AreRejected) {
  Settings a;
  Settings b;
  b.learning_rate = 2e-3;
  EXPECT_EQ(complaint({a, b}, Resampling::bootstrap), "");
  EXPECT_THAT(complaint({a, b, a}, Resampling::bootstrap), HasSubstr("settings 0 and 2 are equal"));
}

// Each pair trains the same networks to the bit, though the settings are not equal.
TEST(DuplicateSettings, IgnoreValuesWithoutEffect) {
  const auto pair = [](auto&& change, auto&& both) {
    std::vector<Settings> two(2);
    for (Settings& settings : two) both(settings);
    change(two[1]);
    return two;
  };
  const auto nothing = [](Settings&) {};
  const std::vector<std::vector<Settings>> pairs = {
      pair([](Settings& s) { s.subsample = 0.7; }, [](Settings& s) { s.batch_size = 10; }),
      pair([](Settings& s) { s.beta2 = 0.9; }, [](Settings& s) { s.optimizer = Optimizer::sgd; }),
      pair([](Settings& s) { s.optimizer = Optimizer::adamw; }, nothing),
      pair([](Settings& s) { s.batch_size = 40; }, [](Settings& s) { s.batch_size = 0; }),
      pair([](Settings& s) { s.architecture.activation = Activation::gelu; },
           [](Settings& s) { s.architecture.hidden = {}; }),
      pair([](Settings& s) { s.architecture.layer_norm = true; },
           [](Settings& s) { s.architecture.hidden = {}; }),
      pair([](Settings& s) { s.dropout = 0.5; }, [](Settings& s) { s.architecture.hidden = {}; }),
      pair([](Settings& s) { s.architecture.residual = true; },
           [](Settings& s) {
             s.architecture.hidden = {8, 4, 8};
           }),
  };
  const Spirals spirals(40);
  for (const std::vector<Settings>& two : pairs) {
    EXPECT_THAT(complaint(two, Resampling::bootstrap),
                HasSubstr("differ only in values without effect"));
    const auto alone = [&](const Settings& settings) {
      const Training training{.members = 1, .settings = {settings}, .steps = 5};
      const Ensemble ensemble = train(spirals.examples(), training);
      return std::vector<float>(ensemble.parameters(0).begin(), ensemble.parameters(0).end());
    };
    EXPECT_EQ(alone(two[0]), alone(two[1]));
  }
  EXPECT_EQ(complaint(pairs[0], Resampling::subsample), "");
}

TEST(Subset, RejectsDuplicateMembers) {
  const Spirals spirals(40);
  const Ensemble ensemble = train(spirals.examples(), {.members = 4, .steps = 2});
  EXPECT_EQ(ensemble.subset(std::vector<std::size_t>{3, 1}).size(), 2U);
  EXPECT_THROW(static_cast<void>(ensemble.subset(std::vector<std::size_t>{1, 1})), InvalidArgument);
}

}  // namespace duplicate_settings_test
}  // namespace bootfold::ensemble
