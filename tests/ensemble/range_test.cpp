// Rows outside the range of the training rows.
#include "bootfold/ensemble/range.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "bootfold/ensemble/streaming.h"
#include "bootfold/error.h"
#include "data/temp_file.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace range_test {

using testing_data::message_of;
using testing_data::says;

using Counts = std::vector<std::uint32_t>;

/// y = x + 2 z at six rows: x from 0 to 5, z from -1 to 1.
struct Plane {
  std::vector<double> x = {0, 1, 2, 3, 4, 5};
  std::vector<double> z = {1, -1, 0.5, 0, -0.5, 1};
  std::vector<double> y = {2, -1, 3, 3, 3, 7};

  [[nodiscard]] Examples examples() const {
    return {DataView({ColumnView(x), ColumnView(z)}, {"x", "z"}), nullptr, DataView(y)};
  }
  [[nodiscard]] Ensemble train() const {
    return ensemble::train(examples(), {.hidden = {4}}, {.members = 3, .steps = 5});
  }
};

TEST(Range, IsThatOfTheTrainingRows) {
  const Ensemble ensemble = Plane().train();
  EXPECT_EQ(ensemble.frame().input_range.low, (std::vector<double>{0, -1}));
  EXPECT_EQ(ensemble.frame().input_range.high, (std::vector<double>{5, 1}));
}

// Inputs are compared in their own units, whatever the networks are given.
TEST(Range, DoesNotDependOnStandardization) {
  Training training{.members = 1, .steps = 1};
  training.standardize = false;
  const Ensemble ensemble = train(Plane().examples(), {.hidden = {2}}, training);
  EXPECT_EQ(ensemble.frame().input_range.high, (std::vector<double>{5, 1}));
}

TEST(Range, LeavesOutRowsOfWeightZero) {
  const Plane plane;
  const std::vector<double> weights = {1, 1, 0.5, 1, 1, 0};
  Examples examples = plane.examples();
  examples.weights = ColumnView(weights);
  const Ensemble ensemble = train(examples, {.hidden = {2}}, {.members = 1, .steps = 1});
  EXPECT_EQ(ensemble.frame().input_range.low, (std::vector<double>{0, -1}));
  EXPECT_EQ(ensemble.frame().input_range.high, (std::vector<double>{4, 1}));
}

TEST(Range, RowsOutsideAreCountedByColumn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Range range{{0, -1}, {5, 1}};
  const std::vector<double> x = {0, 5, 2.5, -1e-300, 5.0000001, 6, nan, infinity};
  const std::vector<double> z = {-1, 1, 0, 0, 2, -1.5, 0, -infinity};
  EXPECT_EQ(outside_range(range, DataView({ColumnView(x), ColumnView(z)})),
            (Counts{0, 0, 0, 1, 2, 2, 1, 2}));
  EXPECT_EQ(outside_range(range, DataView({ColumnView(Plane().x).slice(0, 0),
                                           ColumnView(Plane().z).slice(0, 0)})),
            Counts{});
}

TEST(Range, AnotherNumberOfColumnsIsRefused) {
  const std::vector<double> x = {1};
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     static_cast<void>(outside_range({{0, 0}, {1, 1}}, DataView(x)));
                   }),
                   "1 columns", "2"));
}

TEST(Range, PredictionsCarryTheCount) {
  const Plane plane;
  const Ensemble ensemble = plane.train();
  EXPECT_EQ(ensemble.predict(plane.examples().inputs).outside, Counts(6, 0));
  EXPECT_TRUE(ensemble.out_of_bag().outside.empty());
  // More rows than a worker predicts at a time.
  std::vector<double> x(5000, 1.0);
  std::vector<double> z(5000, 0.0);
  Counts expected(5000, 0);
  for (const std::size_t row : {0U, 63U, 64U, 1023U, 1024U, 4999U}) {
    x[row] = 7;
    expected[row] = 1;
  }
  const DataView rows({ColumnView(x), ColumnView(z)});
  for (const unsigned threads : {1U, 2U, 7U})
    EXPECT_EQ(ensemble.predict(rows, {.threads = threads}).outside, expected);
  EXPECT_EQ(outside_range(ensemble.frame().input_range, rows), expected);
}

TEST(Range, StreamedPredictionsCarryTheCount) {
  const Plane plane;
  const std::vector<double> x = {-1, 2, 9};
  const std::vector<double> z = {0, 0, 9};
  const StreamedPrediction streamed = train_and_predict(
      plane.examples(), {.members = 4, .steps = 3}, DataView({ColumnView(x), ColumnView(z)}));
  EXPECT_EQ(streamed.prediction.outside, (Counts{1, 0, 2}));
  EXPECT_TRUE(streamed.out_of_bag.outside.empty());
}

TEST(Range, OfASubsetAndOfAFileIsTheSame) {
  const Ensemble ensemble = Plane().train();
  const std::vector<std::size_t> one = {1};
  EXPECT_EQ(ensemble.subset(one).frame().input_range.low, ensemble.frame().input_range.low);
  const testing_data::TempFile file("m.safetensors");
  ensemble.save(file.path());
  const Ensemble read = Ensemble::load(file.path());
  EXPECT_EQ(read.frame().input_range.low, ensemble.frame().input_range.low);
  EXPECT_EQ(read.frame().input_range.high, ensemble.frame().input_range.high);
}

}  // namespace range_test
}  // namespace bootfold::ensemble
