// Dropout masks: their definition, their law, and that they follow from seed, member, step, row,
// layer and unit alone.
#include "ensemble/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace dropout_test {

std::uint32_t word_of(const DropoutKey& key, std::uint32_t counter) {
  std::uint32_t word = 0;
  dropout_word(counter, key.add, key.mix, word);
  return word;
}

// From the definition, by a few lines of Python. A change of these words changes members.
TEST(Dropout, WordsAreThoseOfTheDefinition) {
  EXPECT_EQ(word_of({0, 0}, 0), 0U);
  EXPECT_EQ(word_of({0, 0}, 1), 0xECB17756U);
  EXPECT_EQ(word_of({0x12345678, 0x9ABCDEF0}, 0), 0xE113150EU);
  EXPECT_EQ(word_of({0x12345678, 0x9ABCDEF0}, 4'000'000'000U), 0xCE710FC7U);
  const auto block = random::block({7, 3, random::Purpose::dropout}, 41);
  EXPECT_EQ(dropout_key({7, 3}, 41).add, block[0]);
  EXPECT_EQ(dropout_key({7, 3}, 41).mix, block[1]);
}

TEST(Dropout, ScaleIsTheInverseOfTheShareThatIsKept) {
  for (const double rate : {0.0, 1e-6, 0.1, 0.25, 0.5, 0.99}) {
    const double kept = 1 - dropout_threshold(rate) / 65'536.0;
    EXPECT_NEAR(kept, 1 - rate, 0.5 / 65'536);
    EXPECT_NEAR(dropout_scale(rate) * kept, 1, 1e-6);
  }
  EXPECT_EQ(dropout_threshold(0.25), 16'384U);
}

/// Masks of consecutive members, steps and counters: 1 if the half is below the threshold.
struct Drawn {
  static constexpr std::size_t kMembers = 16;
  static constexpr std::size_t kSteps = 64;
  static constexpr std::size_t kWords = 1024;

  explicit Drawn(double rate) : dropped(kMembers * kSteps * kWords * 2) {
    const std::uint32_t threshold = dropout_threshold(rate);
    for (std::size_t m = 0; m < kMembers; ++m)
      for (std::size_t s = 0; s < kSteps; ++s) {
        const DropoutKey key = dropout_key({1, m}, s);
        for (std::size_t i = 0; i < kWords; ++i) {
          const std::uint32_t word = word_of(key, static_cast<std::uint32_t>(i));
          dropped[((m * kSteps + s) * kWords + i) * 2] = word % 65'536 < threshold;
          dropped[((m * kSteps + s) * kWords + i) * 2 + 1] = word / 65'536 < threshold;
        }
      }
  }

  std::vector<char> dropped;
};

// The number of dropped units is binomial, and so is the number of pairs at some distance that are
// both dropped, but for a covariance of overlapping pairs that the bound includes. 3 rates x (1 +
// 13 distances) standard scores, each beyond 5 with probability 6e-7: false alarm 3e-5. Distances
// are those of units, of rows of layers of 8 to 128 units, of steps and of members.
TEST(Dropout, UnitsAreDroppedIndependentlyAtTheRate) {
  for (const double rate : {0.1, 0.3, 0.5}) {
    const Drawn drawn(rate);
    const auto count = static_cast<double>(drawn.dropped.size());
    const double p = dropout_threshold(rate) / 65'536.0;
    double sum = 0;
    for (const char one : drawn.dropped) sum += one;
    EXPECT_LT(std::abs(sum - count * p) / std::sqrt(count * p * (1 - p)), 5) << rate;
    for (const std::size_t apart :
         {1U, 2U, 3U, 4U, 8U, 16U, 32U, 64U, 100U, 128U, 256U, 2048U, 131'072U}) {
      double product = 0;
      std::size_t pairs = 0;
      for (std::size_t i = 0; i + apart < drawn.dropped.size(); ++i, ++pairs)
        product += (drawn.dropped[i] - p) * (drawn.dropped[i + apart] - p);
      EXPECT_LT(std::abs(product) / (p * (1 - p) * std::sqrt(static_cast<double>(pairs))), 5)
          << rate << " at distance " << apart;
    }
  }
}

std::vector<float> flat(const Ensemble& ensemble) {
  std::vector<float> all;
  for (std::size_t m = 0; m < ensemble.size(); ++m)
    all.insert(all.end(), ensemble.parameters(m).begin(), ensemble.parameters(m).end());
  return all;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

Training training_of(std::vector<std::size_t> hidden) {
  Training training{.members = 21, .steps = 19, .seed = 5};
  Settings& own = training.settings[0];
  own.architecture = {.hidden = std::move(hidden), .layer_norm = true, .residual = true};
  own.dropout = 0.2;
  own.average = 0.9;
  own.warmup = 0.2;
  own.weight_decay = 0.01;
  own.batch_size = 16;
  return training;
}

// 9 units are trained in packs, 64 one by one.
TEST(Dropout, MembersAreTheSameAloneOnAnyThreadsAndAtAnyLevel) {
  const Spirals spirals(90);
  for (const auto& hidden : {std::vector<std::size_t>{9, 9}, std::vector<std::size_t>{64, 64}}) {
    Training training = training_of(hidden);
    training.settings.push_back(training.settings[0]);
    training.settings[1].dropout = 0.5;
    training.settings.push_back(training.settings[0]);
    training.settings[2].dropout = 0;
    const Ensemble all = train(spirals.examples(), training);
    const std::vector<float> expected = flat(all);
    for (const execution::Level level : execution::available_levels())
      for (const unsigned threads : {1U, 3U}) {
        training.execution.level = level;
        training.execution.threads = threads;
        EXPECT_TRUE(same_bits(flat(train(spirals.examples(), training)), expected))
            << execution::name(level) << ", threads " << threads;
      }
    for (std::size_t s = 0; s < 3; ++s) {
      Training one = training_of(hidden);
      one.settings[0].dropout = training.settings[s].dropout;
      one.members = 1;
      one.first_member = 17;
      const Ensemble alone = train(spirals.examples(), one);
      EXPECT_TRUE(std::ranges::equal(alone.parameters(0), all.parameters(s * 21 + 17)));
    }
    EXPECT_FALSE(std::ranges::equal(all.parameters(0), all.parameters(21)));
    EXPECT_FALSE(std::ranges::equal(all.parameters(0), all.parameters(42)));
  }
}

// A linear model has no hidden units.
TEST(Dropout, HasNoEffectOnALinearModel) {
  const Spirals spirals(60);
  Training training{.members = 3, .steps = 9};
  training.settings[0].architecture.hidden = {};
  const std::vector<float> without = flat(train(spirals.examples(), training));
  training.settings[0].dropout = 0.5;
  EXPECT_TRUE(same_bits(flat(train(spirals.examples(), training)), without));
}

}  // namespace dropout_test
}  // namespace bootfold::ensemble
