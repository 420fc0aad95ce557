// Inputs of a source train the same members, to the bit, as the same inputs in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "bootfold/ensemble/calibration.h"
#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/ensemble/streaming.h"
#include "bootfold/error.h"
#include "bootfold/random.h"
#include "bootfold/sources.h"

namespace bootfold::ensemble {
namespace source_test {

using testing::HasSubstr;

constexpr std::size_t kRows = 301;

/// Inputs that float32 cannot hold: the first has an offset beside which its deviations vanish.
struct Rows {
  Rows() {
    random::Stream stream({.seed = 5});
    for (std::size_t row = 0; row < kRows; ++row) {
      time.push_back(1.7e9 + 10 * random::normal(stream));
      other.push_back(random::normal(stream));
      price.push_back(0.1 * (time.back() - 1.7e9) + other.back() + 0.1 * random::normal(stream));
      weight.push_back(static_cast<double>(row % 4));
      classes.codes.push_back(price.back() > 0 ? 1 : 0);
    }
    classes.names = {"down", "up"};
    inputs = DataView({ColumnView(time), ColumnView(other)}, {"time", "other"});
  }

  std::vector<double> time;
  std::vector<double> other;
  std::vector<double> price;
  std::vector<double> weight;
  data::Labels classes;
  DataView inputs;
};

Training small_training() {
  Training training{.members = 5, .epochs = 3, .seed = 7};
  training.settings[0].architecture.hidden = {8};
  return training;
}

/// Equality of bits: a row that all members are trained on has NaN.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_same(const Ensemble& found, const Ensemble& expected) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(found.frame().inputs, expected.frame().inputs);
  EXPECT_EQ(found.frame().input_scaling.mean, expected.frame().input_scaling.mean);
  EXPECT_EQ(found.frame().input_scaling.scale, expected.frame().input_scaling.scale);
  EXPECT_EQ(found.frame().input_range.low, expected.frame().input_range.low);
  EXPECT_EQ(found.frame().input_range.high, expected.frame().input_range.high);
  EXPECT_EQ(found.frame().noise, expected.frame().noise);
  EXPECT_TRUE(same_bits(found.out_of_bag().mean, expected.out_of_bag().mean));
  EXPECT_EQ(found.frame().temperature, expected.frame().temperature);
  for (std::size_t m = 0; m < found.size(); ++m) {
    EXPECT_TRUE(std::ranges::equal(found.parameters(m), expected.parameters(m))) << m;
    EXPECT_EQ(found.member(m).held_out_loss, expected.member(m).held_out_loss);
  }
}

TEST(EnsembleSource, TrainsTheMembersOfTheSameRowsInMemory) {
  const Rows rows;
  for (const bool classes : {false, true}) {
    Examples memory{.inputs = rows.inputs};
    if (classes)
      memory.classes = &rows.classes;
    else
      memory.targets = DataView(rows.price);
    memory.weights = ColumnView(rows.weight);
    for (const bool standardize : {true, false}) {
      if (!standardize) memory.inputs = DataView({ColumnView(rows.other)}, {"other"});
      Training training = small_training();
      training.standardize = standardize;
      const Ensemble expected = train(memory, training);
      const Ensemble expected_best = best(expected, 3, memory);
      for (const std::size_t chunks : {1U, 2U, 7U}) {
        SCOPED_TRACE(testing::Message() << classes << standardize << ", chunks: " << chunks);
        const data::MemorySource source(memory.inputs, (kRows + chunks - 1) / chunks);
        Examples examples = memory;
        examples.inputs = {};
        examples.source = &source;
        training.validation = nullptr;
        const Ensemble found = train(examples, training);
        expect_same(found, expected);
        expect_same(best(found, 3, examples), expected_best);
        if (classes) expect_same(calibrate(found, examples), calibrate(expected, memory));
        training.validation = &examples;
        const Ensemble validated = train(examples, training);
        training.validation = &memory;
        expect_same(validated, train(memory, training));
      }
    }
  }
}

TEST(EnsembleSource, StreamsTheSamePredictions) {
  const Rows rows;
  const Examples memory{.inputs = rows.inputs, .targets = DataView(rows.price)};
  const data::MemorySource source(rows.inputs, 50);
  const Examples examples{.targets = DataView(rows.price), .source = &source};
  const StreamedPrediction expected = train_and_predict(memory, small_training(), rows.inputs);
  const StreamedPrediction found = train_and_predict(examples, small_training(), rows.inputs);
  EXPECT_EQ(found.prediction.mean, expected.prediction.mean);
  EXPECT_TRUE(same_bits(found.out_of_bag.mean, expected.out_of_bag.mean));
}

std::string message(const Examples& examples, const Training& training) {
  try {
    static_cast<void>(train(examples, training));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(EnsembleSource, RowsBeyondTheMemoryLimitAreRefused) {
  const Rows rows;
  const data::MemorySource source(rows.inputs, 50);
  const Examples examples{.targets = DataView(rows.price), .source = &source};
  Training training = small_training();
  training.memory = bytes_of_rows(kRows, 3);
  EXPECT_EQ(message(examples, training), "");
  --training.memory;
  EXPECT_THAT(message(examples, training), HasSubstr("301 rows of 3 columns"));
  training.memory = 2048;
  EXPECT_EQ(message(examples, training),
            "301 rows of 3 columns take 3.5 KiB as float32 but the memory limit is 2.0 KiB; "
            "choose fewer columns or rows, or raise the memory limit");
  EXPECT_EQ(row_memory_limit(0), 2 * execution::default_memory());
}

TEST(EnsembleSource, OtherRowsThanTargetsAreRefused) {
  const Rows rows;
  const data::MemorySource source(rows.inputs, 50);
  std::vector<double> fewer(rows.price.begin(), rows.price.end() - 1);
  std::vector<double> more = rows.price;
  more.push_back(0);
  EXPECT_EQ(message({.targets = DataView(fewer), .source = &source}, small_training()),
            "the source of the inputs gives at least 301 rows but there are 300 targets; the "
            "numbers must be equal");
  EXPECT_EQ(message({.targets = DataView(more), .source = &source}, small_training()),
            "the source of the inputs gives 301 rows but there are 302 targets; the numbers must "
            "be equal");
  EXPECT_THAT(message({.inputs = rows.inputs, .targets = DataView(more), .source = &source},
                      small_training()),
              HasSubstr("give one of the two"));
  const Examples memory{.inputs = rows.inputs, .targets = DataView(rows.price)};
  const Ensemble trained = train(memory, small_training());
  const Examples examples{.targets = DataView(rows.price), .source = &source};
  EXPECT_THROW(static_cast<void>(jackknife_plus(trained, examples, rows.inputs)), InvalidArgument);
}

}  // namespace source_test
}  // namespace bootfold::ensemble
