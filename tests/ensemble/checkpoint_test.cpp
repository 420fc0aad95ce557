// A training that ended early goes on from its checkpoint, to the same bits.
#include "bootfold/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stop_token>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/streaming.h"
#include "bootfold/error.h"
#include "statistic/reference.h"
#include "temp_folder.h"

namespace bootfold::ensemble {
namespace checkpoint_test {

using testing::HasSubstr;

using Folder = TempFolder;

struct Rows {
  std::vector<double> x = reference::normals(200, 1);
  std::vector<double> z = reference::normals(200, 2);
  std::vector<double> y = std::vector<double>(200);
  Rows() {
    for (std::size_t row = 0; row < y.size(); ++row) y[row] = x[row] * z[row] + 0.1 * z[row];
  }
  [[nodiscard]] Examples examples() const {
    return {.inputs = DataView({ColumnView(x), ColumnView(z)}, {"x", "z"}),
            .targets = DataView({ColumnView(y)}, {"y"})};
  }
};

void expect_same(const Ensemble& a, const Ensemble& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t m = 0; m < a.size(); ++m) {
    EXPECT_EQ(a.member(m).steps, b.member(m).steps);
    EXPECT_EQ(a.member(m).loss, b.member(m).loss);
    EXPECT_EQ(a.member(m).held_out_loss, b.member(m).held_out_loss);
    EXPECT_EQ(a.member(m).curve, b.member(m).curve);
    EXPECT_TRUE(std::ranges::equal(a.parameters(m), b.parameters(m)));
  }
  EXPECT_EQ(a.out_of_bag().mean, b.out_of_bag().mean);
  EXPECT_EQ(a.out_of_bag().total, b.out_of_bag().total);
}

Training training_of(bool stopping) {
  Training training{.members = 80, .epochs = 5, .curves = true, .seed = 3};
  training.settings[0].architecture.hidden = {8};
  training.settings.push_back(training.settings[0]);
  training.settings[1].architecture.hidden = {4, 4};
  if (stopping) training.stopping = {.patience = 2, .look_every = 1};
  return training;
}

/// Trains, and cancels after some members are done.
std::string train_some(const Rows& rows, Training training, int members) {
  std::stop_source source;
  int done = 0;
  training.finished = [&](const Member&) {
    if (++done >= members) source.request_stop();
  };
  training.execution.threads = 1;
  training.execution.stop = source.get_token();
  try {
    static_cast<void>(train(rows.examples(), training));
  } catch (const Cancelled& cancelled) {
    return cancelled.kept();
  }
  return "it was not cancelled";
}

TEST(EnsembleCheckpoint, TrainingGoesOnToTheSameBits) {
  const Rows rows;
  for (const bool stopping : {false, true}) {
    SCOPED_TRACE(stopping);
    const Folder folder;
    Training training = training_of(stopping);
    const Ensemble whole = train(rows.examples(), training);
    training.checkpoint = folder.path("run");
    EXPECT_THAT(train_some(rows, training, 1), HasSubstr(" of 160 members are in "));
    EXPECT_THAT(train_some(rows, training, 100), HasSubstr(" of 160 members are in "));
    std::vector<std::string> notes;
    training.execution.note = [&](const execution::Note& note) { notes.push_back(note.text); };
    training.execution.threads = 3;
    expect_same(train(rows.examples(), training), whole);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_THAT(notes[0], HasSubstr(" of 160 members; the training goes on from there"));
    remove_checkpoint(training.checkpoint);
    EXPECT_TRUE(folder.empty());
  }
}

TEST(EnsembleCheckpoint, AnotherNumberOfMembersGoesOn) {
  const Rows rows;
  const Folder folder;
  Training training = training_of(false);
  training.checkpoint = folder.path("run");
  static_cast<void>(train_some(rows, training, 33));
  training.members = 90;
  const Ensemble longer = train(rows.examples(), training);
  training.checkpoint = "";
  expect_same(longer, train(rows.examples(), training));
}

TEST(EnsembleCheckpoint, StreamedPredictionsGoOn) {
  const Rows rows;
  const Folder folder;
  Training training = training_of(false);
  const DataView points = rows.examples().inputs;
  const StreamedPrediction whole = train_and_predict(rows.examples(), training, points);
  training.checkpoint = folder.path("run");
  static_cast<void>(train_some(rows, training, 40));
  const StreamedPrediction found = train_and_predict(rows.examples(), training, points);
  EXPECT_EQ(found.prediction.mean, whole.prediction.mean);
  EXPECT_EQ(found.loss, whole.loss);
}

TEST(EnsembleCheckpoint, AnotherTrainingIsRefusedByWhatDiffers) {
  Rows rows;
  const Folder folder;
  Training training = training_of(false);
  training.checkpoint = folder.path("run");
  static_cast<void>(train_some(rows, training, 1));
  const auto refusal = [&](const Training& asked) -> std::string {
    try {
      static_cast<void>(train(rows.examples(), asked));
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "it was taken";
  };
  Training changed = training;
  changed.seed = 4;
  EXPECT_THAT(refusal(changed), HasSubstr("the seed was 3 and is 4"));
  changed = training;
  changed.settings[1].learning_rate = 0.5;
  EXPECT_THAT(refusal(changed), HasSubstr("the list of settings was "));
  changed = training;
  changed.epochs = 6;
  EXPECT_THAT(refusal(changed), HasSubstr("the length of training was 5 epochs and is 6 epochs"));
  changed = training;
  changed.loss = Loss::huber;
  changed.huber_delta = 0.5;
  EXPECT_THAT(refusal(changed), HasSubstr(" and is huber, delta 0.5"));
  changed = training;
  changed.target_transforms = {TargetTransform::quantile};
  EXPECT_THAT(refusal(changed), HasSubstr("transforms of targets was none and is quantile"));
  rows.y[3] += 1;
  EXPECT_THAT(refusal(training), HasSubstr("the targets or weights differ"));
  rows.x[3] += 1;
  EXPECT_THAT(refusal(training), HasSubstr("the inputs differ"));
}

}  // namespace checkpoint_test
}  // namespace bootfold::ensemble
