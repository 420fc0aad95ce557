// A member is the same to the bit whatever other members, lane and order it is trained with.
#include <gtest/gtest.h>

#include <cstring>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace reproducibility_test {

bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

std::vector<Training> ways() {
  std::vector<Training> found;
  for (const Resampling resampling :
       {Resampling::bootstrap, Resampling::none, Resampling::subsample, Resampling::bayesian})
    for (const bool reshuffle : {false, true})
      for (const std::size_t batch : {0U, 7U, 32U}) {
        Training training{.members = 1, .steps = 23};
        training.resampling = resampling;
        training.reshuffle = reshuffle;
        training.settings[0].batch_size = batch;
        training.settings[0].clip = batch == 7 ? 0.5 : 0;
        training.settings[0].optimizer = batch == 32 ? Optimizer::adamw : Optimizer::adam;
        training.settings[0].weight_decay = 0.01;
        found.push_back(training);
      }
  return found;
}

TEST(Reproducibility, MemberDoesNotDependOnOtherMembers) {
  const Spirals spirals(90);
  for (Training training : ways()) {
    SCOPED_TRACE(testing::Message()
                 << name(training.resampling) << ", batch " << training.settings[0].batch_size
                 << ", reshuffle " << training.reshuffle);
    training.members = 37;
    const Ensemble many = train(spirals.examples(), {.hidden = {6}}, training);
    for (const std::uint64_t member : {0U, 5U, 16U, 36U}) {
      training.members = 1;
      training.first_member = member;
      const Ensemble alone = train(spirals.examples(), {.hidden = {6}}, training);
      EXPECT_TRUE(same(many.parameters(member), alone.parameters(0))) << member;
      EXPECT_EQ(many.member(member).loss, alone.member(0).loss);
    }
  }
}

TEST(Reproducibility, ThreadsAndSimdLevelsGiveTheSameBits) {
  const Spirals spirals(90);
  for (Training training : ways()) {
    training.members = 20;
    training.execution.threads = 1;
    training.execution.level = execution::Level::portable;
    const Ensemble expected = train(spirals.examples(), {.hidden = {6, 5}}, training);
    for (const execution::Level level : execution::available_levels())
      for (const unsigned threads : {1U, 2U, 7U}) {
        training.execution.level = level;
        training.execution.threads = threads;
        const Ensemble found = train(spirals.examples(), {.hidden = {6, 5}}, training);
        for (std::size_t m = 0; m < found.size(); ++m)
          ASSERT_TRUE(same(found.parameters(m), expected.parameters(m)))
              << execution::name(level) << ", " << threads << " threads, member " << m;
        EXPECT_EQ(found.out_of_bag().mean, expected.out_of_bag().mean);
        EXPECT_EQ(found.predict(spirals.examples().inputs, training.execution).mean,
                  expected.predict(spirals.examples().inputs).mean);
      }
  }
}

// Members that stop early give their lanes to others, which must not be affected.
TEST(Reproducibility, EarlyStoppingOfOthersDoesNotChangeAMember) {
  const Spirals spirals(120, 0.2);
  Training training{.members = 70, .epochs = 60};
  training.stopping = {.patience = 3, .look_every = 2};
  training.settings[0].learning_rate = 0.03;
  const Ensemble many = train(spirals.examples(), {.hidden = {8}}, training);
  std::vector<std::uint64_t> steps;
  for (std::size_t m = 0; m < many.size(); ++m) steps.push_back(many.member(m).steps);
  EXPECT_NE(*std::min_element(steps.begin(), steps.end()),
            *std::max_element(steps.begin(), steps.end()));
  for (const std::uint64_t member : {0U, 15U, 16U, 40U, 69U}) {
    training.members = 1;
    training.first_member = member;
    const Ensemble alone = train(spirals.examples(), {.hidden = {8}}, training);
    EXPECT_TRUE(same(many.parameters(member), alone.parameters(0))) << member;
    EXPECT_EQ(many.member(member).steps, alone.member(0).steps);
  }
}

TEST(Sweep, MembersMatchStandaloneTraining) {
  const Spirals spirals(60);
  Training sweep{.members = 5, .steps = 20};
  sweep.settings.clear();
  for (const double rate : {1e-3, 1e-2})
    for (const std::size_t hidden : {4U, 6U})
      for (const std::size_t batch : {16U, 0U}) {
        Settings settings;
        settings.learning_rate = rate;
        settings.architecture.hidden = {hidden};
        settings.batch_size = batch;
        sweep.settings.push_back(settings);
      }
  const Ensemble all = train(spirals.examples(), sweep);
  ASSERT_EQ(all.size(), 40U);
  for (std::size_t s = 0; s < sweep.settings.size(); ++s) {
    Training one = sweep;
    one.settings = {sweep.settings[s]};
    const Ensemble alone = train(spirals.examples(), one);
    for (std::size_t m = 0; m < 5; ++m) {
      EXPECT_EQ(all.member(s * 5 + m).settings, s);
      EXPECT_TRUE(same(all.parameters(s * 5 + m), alone.parameters(m)));
    }
  }
}

}  // namespace reproducibility_test
}  // namespace bootfold::ensemble
