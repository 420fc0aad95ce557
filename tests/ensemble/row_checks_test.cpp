// Rows that cannot be learned from or predicted in 32 bits, and copies of rows.
#include "ensemble/training/row_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bootfold/ensemble/conformal.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/error.h"
#include "bootfold/random.h"
#include "data/temp_file.h"

namespace bootfold::ensemble {
namespace row_checks_test {

using testing::AllOf;
using testing::HasSubstr;
using testing_data::message_of;

/// y = x + noise, for rows that occur `times` times.
struct Line {
  explicit Line(std::size_t rows, std::size_t times = 1) {
    random::Stream stream({.seed = 5});
    for (std::size_t i = 0; i < rows; ++i) {
      const double at = random::normal(stream);
      const double target = at + 0.1 * random::normal(stream);
      x.insert(x.end(), times, at);
      y.insert(y.end(), times, target);
    }
  }
  [[nodiscard]] Examples examples() const {
    Examples examples{DataView({ColumnView(x)}, {"x"})};
    examples.targets = DataView({ColumnView(y)}, {"y"});
    return examples;
  }

  std::vector<double> x, y;
};

Training short_training(std::size_t members = 2) {
  Training training{.members = members, .steps = 5};
  training.settings[0].architecture.hidden = {4};
  return training;
}

template <class Error>
std::string refused(const Line& line, const Training& training = short_training()) {
  return message_of<Error>([&] { static_cast<void>(train(line.examples(), training)); });
}

TEST(RowChecks, RefuseColumnsWhoseVarianceOverflows) {
  Line line(50);
  line.y[7] = -1.2e155;
  EXPECT_THAT(refused<DataError>(line),
              AllOf(HasSubstr("target y, row 8: -1.2e+155 is too large"), HasSubstr("divide")));
  line.y[7] = 0;
  line.x[3] = 3e290;
  EXPECT_THAT(refused<DataError>(line), HasSubstr("column x, row 4: 3e+290 is too large"));
  line.x[3] = 1e140;
  static_cast<void>(train(line.examples(), short_training()));
  Training plain = short_training();
  plain.standardize = false;
  EXPECT_THAT(refused<DataError>(line, plain), HasSubstr("column x, row 4: 1e+140 is 1e+140"));
  line.x[3] = 0;
  line.y[9] = 1e40;
  EXPECT_THAT(refused<DataError>(line, plain), HasSubstr("target y, row 10: 1e+40"));
}

TEST(RowChecks, RefuseToPredictRowsBeyond32Bits) {
  const Line line(50);
  const Ensemble model = train(line.examples(), short_training());
  const std::vector<double> far = {0, 1, 1e39};
  EXPECT_THAT(message_of<DataError>(
                  [&] { static_cast<void>(model.predict(DataView({ColumnView(far)}, {"x"}))); }),
              AllOf(HasSubstr("column x, row 3: 1e+39 is"), HasSubstr("1e30 or less")));
  EXPECT_EQ(find_far_value(model.frame(), DataView({ColumnView(far)}, {"x"}))->row, 2U);
  const std::vector<double> near = {1e20};
  const Prediction prediction = model.predict(DataView({ColumnView(near)}, {"x"}));
  EXPECT_EQ(prediction.outside[0], 1U);
}

// A rate that overflows is not known, and neither is its uncertainty.
TEST(RowChecks, AnOverflowIsNotCertain) {
  Line line(60);
  for (double& y : line.y) y = std::round(std::exp(y));
  Training training = short_training(4);
  training.loss = Loss::poisson;
  training.steps = 200;
  const Ensemble model = train(line.examples(), training);
  const std::vector<double> far = {1e29, -1e29};
  const Prediction prediction = model.predict(DataView({ColumnView(far)}, {"x"}));
  std::size_t overflows = 0;
  for (std::size_t row = 0; row < 2; ++row) {
    if (std::isfinite(prediction.mean[row])) continue;
    ++overflows;
    EXPECT_TRUE(std::isnan(prediction.epistemic[row]));
  }
  EXPECT_GT(overflows, 0U);
}

TEST(RowChecks, TellOfCopies) {
  std::vector<std::string> notes;
  Training training = short_training();
  training.execution.note = [&](const execution::Note& note) { notes.push_back(note.text); };
  static_cast<void>(train(Line(50).examples(), training));
  EXPECT_THAT(notes, testing::IsEmpty());
  Line few(50);
  for (const std::size_t row : {1, 2, 3, 4}) few.x[row] = few.x[0], few.y[row] = few.y[0];
  static_cast<void>(train(few.examples(), training));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("5 of 50 rows equal another row in all inputs and targets"));
  notes.clear();
  const Line copies(20, 10);
  static_cast<void>(train(copies.examples(), training));
  EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("200 of 200 rows")));
  notes.clear();
  // Later members of the same training, and scores of validation rows, need no note.
  training.first_member = 2;
  static_cast<void>(train(copies.examples(), training));
  training.first_member = 0;
  const Line others(20);
  const Examples validation = others.examples();
  training.validation = &validation;
  static_cast<void>(train(copies.examples(), training));
  EXPECT_THAT(notes, testing::IsEmpty());
}

TEST(RowChecks, FewMembersHaveIntervalsOfOneWidth) {
  const Line line(80);
  for (const std::size_t members : {5U, 19U, 20U}) {
    const Ensemble model = train(line.examples(), short_training(members));
    EXPECT_EQ(default_interval_method(model.frame()),
              members < 20 ? IntervalMethod::conformal : IntervalMethod::scaled);
  }
  Training shared = short_training(40);
  shared.share = 4;  // 10 groups
  EXPECT_EQ(default_interval_method(train(line.examples(), shared).frame()),
            IntervalMethod::conformal);
}

// Of any settings, also those whose members share packs or are trained by themselves.
TEST(RowChecks, JoinedPartsAreOneTrainingToTheBit) {
  const Line line(80);
  for (const std::size_t patience : {0U, 3U}) {
    Training training = short_training(24);
    training.settings.push_back(training.settings[0]);
    training.settings.push_back(training.settings[0]);
    training.settings[1].learning_rate = 0.02;
    training.settings[2].architecture.hidden = {300, 300};
    training.stopping.patience = patience;
    const Ensemble whole = train(line.examples(), training);
    std::vector<Ensemble> parts;
    for (const auto& [first, members] : {std::pair{0U, 5U}, {5U, 19U}}) {
      Training part = training;
      part.first_member = first;
      part.members = members;
      parts.push_back(train(line.examples(), part));
    }
    const Ensemble joined = join(parts, line.examples(), {}, &training);
    EXPECT_EQ(joined.frame().noise, whole.frame().noise);
    EXPECT_EQ(joined.out_of_bag().mean, whole.out_of_bag().mean);
    EXPECT_EQ(joined.out_of_bag().total, whole.out_of_bag().total);
    EXPECT_EQ(joined.frame().conformal.scaled[0].values, whole.frame().conformal.scaled[0].values);
  }
}

}  // namespace row_checks_test
}  // namespace bootfold::ensemble
