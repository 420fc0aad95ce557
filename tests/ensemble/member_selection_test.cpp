// Greedy selection of members, and its score on rows that did not select.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "bootfold/ensemble/sampling.h"
#include "bootfold/ensemble/selection.h"
#include "bootfold/error.h"
#include "data/temp_file.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/selection/row_draws.h"
#include "ensemble/spirals.h"
#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {
namespace member_selection_test {

using testing_data::message_of;
using testing_data::says;

/// Several settings of small networks, some of which learn nothing.
Training sampled(std::size_t settings, std::size_t members) {
  Training training{.members = members, .steps = 60, .seed = 4};
  training.settings = sample_settings(
      settings,
      {.ranges = {{"learning_rate", {1e-4, 1e-1}}, {"hidden", {4, 12}}, {"dropout", {0, 0.3}}},
       .seed = 9});
  for (Settings& each : training.settings) each.batch_size = 16;
  training.keep_held_out = true;
  return training;
}

/// The probabilities of the true classes by each member, and which rows it was not trained on.
struct OutOfBagTable {
  std::vector<std::vector<double>> truth;  // [member][row]
  std::vector<std::vector<bool>> known;

  OutOfBagTable(const Ensemble& ensemble, const Spirals& spirals) {
    for (std::size_t m = 0; m < ensemble.size(); ++m) {
      const Prediction own =
          out_of_bag(ensemble.subset(std::vector<std::size_t>{m}), spirals.examples());
      truth.emplace_back();
      known.emplace_back();
      for (std::size_t row = 0; row < own.rows; ++row) {
        truth[m].push_back(own.probability(row, spirals.classes.codes[row]));
        known[m].push_back(own.members[row] > 0);
      }
    }
  }

  /// Losses of the members that are listed, of the rows of a mask that they predict.
  [[nodiscard]] std::vector<double> losses(const std::vector<std::size_t>& members,
                                           const std::vector<bool>& rows) const {
    std::vector<double> found;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      double sum = 0;
      double count = 0;
      for (const std::size_t m : members)
        if (rows[row] && known[m][row]) {
          sum += truth[m][row];
          count += 1;
        }
      if (count > 0) found.push_back(-std::log(sum / count));
    }
    return found;
  }
  [[nodiscard]] double mean(const std::vector<std::size_t>& members,
                            const std::vector<bool>& rows) const {
    const std::vector<double> found = losses(members, rows);
    return std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(found.size());
  }
};

/// The definition: rounds with one member of each number, from scratch for each candidate.
std::vector<std::size_t> greedy_by_definition(const Ensemble& ensemble, const OutOfBagTable& table,
                                              std::size_t numbers, std::size_t count,
                                              const std::vector<bool>& rows) {
  std::vector<std::size_t> chosen;
  std::vector<std::size_t> best;
  double lowest = std::numeric_limits<double>::infinity();
  while (chosen.size() + numbers <= count) {
    for (std::size_t number = 0; number < numbers; ++number) {
      std::size_t next = ensemble.size();
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t m = 0; m < ensemble.size(); ++m) {
        if (ensemble.member(m).number != number || std::ranges::count(chosen, m) > 0) continue;
        std::vector<std::size_t> with = chosen;
        with.push_back(m);
        // All candidates predict the same rows, so that sums compare as means do.
        const std::vector<double> losses = table.losses(with, rows);
        const double loss = std::accumulate(losses.begin(), losses.end(), 0.0);
        if (loss >= least) continue;
        least = loss;
        next = m;
      }
      chosen.push_back(next);
    }
    const double loss = table.mean(chosen, rows);
    if (loss >= lowest) continue;
    lowest = loss;
    best = chosen;
  }
  return best;
}

TEST(GreedySelection, MatchesItsDefinition) {
  const Spirals spirals(140, 0.3);
  const Training training = sampled(9, 3);
  const Ensemble trained = train(spirals.examples(), training);
  const OutOfBagTable table(trained, spirals);
  const Selection found = select(trained, spirals.examples(), {.count = 18});
  const std::vector<bool> all(140, true);
  EXPECT_EQ(found.members, greedy_by_definition(trained, table, 3, 18, all));
  EXPECT_LT(found.members.size(), 18U);
  EXPECT_NEAR(found.same_rows.loss, table.mean(found.members, all), 1e-6);

  bool differ = false;  // or the folds would not matter
  std::vector<double> others;
  for (std::size_t f = 0; f < SelectionOptions::kFolds; ++f) {
    std::vector<bool> own(140);
    std::vector<bool> rest(140);
    for (std::size_t row = 0; row < 140; ++row) {
      own[row] = RowDraws(training.seed, false, row).fold(SelectionOptions::kFolds) == f;
      rest[row] = !own[row];
    }
    const auto members = greedy_by_definition(trained, table, 3, 18, rest);
    for (const double loss : table.losses(members, own)) others.push_back(loss);
    differ = differ || members != found.members;
  }
  const auto count = static_cast<double>(others.size());
  const double mean = std::accumulate(others.begin(), others.end(), 0.0) / count;
  double squares = 0;
  for (const double loss : others) squares += (loss - mean) * (loss - mean);
  EXPECT_NEAR(found.other_rows.loss, mean, 1e-6);
  EXPECT_EQ(found.other_rows.rows, others.size());
  EXPECT_TRUE(differ);
  EXPECT_NEAR(found.other_rows.standard_error, std::sqrt(squares / (count - 1) / count), 1e-6);
  std::vector<std::size_t> everyone(trained.size());
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  EXPECT_NEAR(found.all_members.loss, table.mean(everyone, all), 1e-6);
  EXPECT_LT(found.same_rows.loss, found.all_members.loss);
}

// Two members of six predict about two thirds of the rows; scores are compared on these.
TEST(SelectionScore, AllAreOfTheSameRows) {
  const Spirals spirals(140, 0.3);
  const Training training = sampled(2, 3);
  const Ensemble trained = train(spirals.examples(), training);
  const OutOfBagTable table(trained, spirals);
  const Selection found =
      select(trained, spirals.examples(), {.rule = SelectionRule::best, .count = 1});
  std::vector<double> changes;
  std::vector<std::size_t> everyone(trained.size());
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  double all_members = 0;
  for (std::size_t row = 0; row < 140; ++row) {
    std::vector<bool> one(140);
    one[row] = true;
    const std::size_t fold = RowDraws(training.seed, false, row).fold(SelectionOptions::kFolds);
    const auto own = table.losses(found.without_fold[fold], one);
    if (own.empty()) continue;
    const double other = table.losses(everyone, one).at(0);
    changes.push_back(own[0] - other);
    all_members += other;
  }
  const auto count = static_cast<double>(changes.size());
  const double mean = std::accumulate(changes.begin(), changes.end(), 0.0) / count;
  double squares = 0;
  for (const double change : changes) squares += (change - mean) * (change - mean);
  EXPECT_LT(changes.size(), 100U);
  for (const SelectionScore& score : {found.other_rows, found.all_members, found.difference})
    EXPECT_EQ(score.rows, changes.size());
  EXPECT_NEAR(found.all_members.loss, all_members / count, 1e-6);
  EXPECT_NEAR(found.difference.loss, mean, 1e-6);
  EXPECT_NEAR(found.difference.standard_error, std::sqrt(squares / (count - 1) / count), 1e-6);
}

TEST(GreedySelection, IsCancelledAndReportsProgress) {
  const Spirals spirals(140);
  const Ensemble trained = train(spirals.examples(), sampled(9, 3));
  for (const SelectionRule rule : {SelectionRule::greedy, SelectionRule::best}) {
    SelectionOptions options{.rule = rule};
    double total = 0;
    options.execution.progress = [&](execution::Progress progress) { total = progress.total; };
    std::stop_source stop;
    options.execution.stop = stop.get_token();
    static_cast<void>(select(trained, spirals.examples(), options));
    EXPECT_GT(total, 20);
    stop.request_stop();
    EXPECT_THROW(static_cast<void>(select(trained, spirals.examples(), options)), Cancelled);
  }
}

// The predictions that a training kept are of its own validation rows.
TEST(GreedySelection, IsByTheRowsThatAreGiven) {
  const Spirals spirals(140);
  const Spirals first(100, 0.05, 8);
  const Spirals second(100, 0.05, 9);
  const Examples a = first.examples();
  const Examples b = second.examples();
  Training training = sampled(8, 3);
  training.validation = &a;
  training.stopping = {.patience = 5};
  const Ensemble trained = train(spirals.examples(), training);
  const auto by = [&](const Examples* rows) {
    return select(trained, spirals.examples(), {.validation = rows, .stopping = training.stopping});
  };
  EXPECT_TRUE(by(&a).stopped_members);
  EXPECT_FALSE(by(&b).stopped_members);  // the rows of the training did
  EXPECT_FALSE(by(nullptr).stopped_members);
  const Selection found = by(&b);
  double loss = 0;
  const Prediction prediction = trained.subset(found.members).predict(b.inputs);
  for (std::size_t row = 0; row < 100; ++row)
    loss -= std::log(prediction.probability(row, second.classes.codes[row])) / 100;
  EXPECT_NEAR(found.same_rows.loss, loss, 1e-6);
}

void expect_same(const Selection& a, const Selection& b) {
  EXPECT_EQ(a.members, b.members);
  EXPECT_EQ(a.other_rows.loss, b.other_rows.loss);
  EXPECT_EQ(a.other_rows.standard_error, b.other_rows.standard_error);
  EXPECT_EQ(a.same_rows.loss, b.same_rows.loss);
}

TEST(GreedySelection, IsTheSameOnAnyThreadsAndFromMembersAlone) {
  const Spirals spirals(140);
  Training training = sampled(8, 3);
  training.execution.threads = 1;
  const Ensemble one = train(spirals.examples(), training);
  training.execution.threads = 7;
  const Ensemble seven = train(spirals.examples(), training);
  const Selection expected = select(one, spirals.examples(), {.execution = {.threads = 1}});
  expect_same(expected, select(seven, spirals.examples(), {.execution = {.threads = 7}}));
  // A copy without the kept predictions makes them again.
  training.keep_held_out = false;
  const Ensemble plain = train(spirals.examples(), training);
  EXPECT_EQ(EnsembleAccess::record(plain), nullptr);
  expect_same(expected, select(plain, spirals.examples(), {.stopping = {.patience = 0}}));
  // Little memory, for which out-of-bag rows are predicted in parts.
  training.keep_held_out = true;
  training.memory = 24 * 200 * sizeof(float) + 20'000;
  expect_same(expected, select(train(spirals.examples(), training), spirals.examples()));
  // Rounds of members that are joined.
  std::vector<Ensemble> parts;
  training.memory = 0;
  for (const std::size_t first : {0, 2}) {
    training.first_member = first;
    training.members = first == 0 ? 2 : 1;
    parts.push_back(train(spirals.examples(), training));
  }
  const Ensemble joined = join(parts, spirals.examples());
  EXPECT_NE(EnsembleAccess::record(joined), nullptr);
  expect_same(expected, select(joined, spirals.examples()));
}

TEST(GreedySelection, KeepsTheMembersWithTheirOwnOutOfBagPrediction) {
  const Spirals spirals(140);
  const Ensemble trained = train(spirals.examples(), sampled(8, 3));
  const Selection selection = select(trained, spirals.examples());
  const Ensemble kept = keep(trained, selection.members, spirals.examples());
  ASSERT_EQ(kept.size(), selection.members.size());
  std::vector<std::size_t> order = selection.members;
  std::ranges::sort(order);
  for (std::size_t m = 0; m < kept.size(); ++m)
    EXPECT_TRUE(std::ranges::equal(kept.parameters(m), trained.parameters(order[m])));
  EXPECT_EQ(kept.out_of_bag().rows, 140U);
  const Prediction expected = out_of_bag(trained.subset(order), spirals.examples());
  EXPECT_EQ(kept.out_of_bag().members, expected.members);
  for (std::size_t row = 0; row < 140; ++row) {
    if (expected.members[row] == 0) continue;
    EXPECT_EQ(kept.out_of_bag().probability(row, 0), expected.probability(row, 0));
  }
}

TEST(GreedySelection, WithValidationRowsAllMembersCompete) {
  const Spirals spirals(140);
  const Spirals others(200, 0.05, 8);
  const Examples validation = others.examples();
  Training training = sampled(8, 3);
  training.validation = &validation;
  const Ensemble trained = train(spirals.examples(), training);
  const SelectionOptions options{.count = 24, .validation = &validation};
  const Selection found = select(trained, spirals.examples(), options);
  EXPECT_TRUE(found.validation);
  EXPECT_EQ(found.other_rows.rows, 200U);
  // The first one is the best member.
  for (std::size_t m = 0; m < trained.size(); ++m)
    EXPECT_LE(trained.member(found.members[0]).held_out_loss, trained.member(m).held_out_loss);
  double loss = 0;
  const Prediction prediction = trained.subset(found.members).predict(validation.inputs);
  for (std::size_t row = 0; row < 200; ++row)
    loss -= std::log(prediction.probability(row, others.classes.codes[row])) / 200;
  EXPECT_NEAR(found.same_rows.loss, loss, 1e-6);
  // Members trained on all rows too.
  training.resampling = Resampling::none;
  training.validation = nullptr;
  const Ensemble all = train(spirals.examples(), training);
  EXPECT_GT(select(all, spirals.examples(), options).members.size(), 0U);
}

// A member alone has the held-out loss that training reports, whatever the loss.
TEST(SelectionScore, OfOneMemberIsItsHeldOutLoss) {
  random::Stream stream({.seed = 3});
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> counts;
  std::vector<double> ones;
  std::vector<double> weights;
  std::vector<std::int32_t> label;
  for (int i = 0; i < 120; ++i) {
    x.push_back(random::normal(stream));
    y.push_back(std::exp(x.back() + random::normal(stream)));
    counts.push_back(std::floor(3 * random::uniform(stream) * y.back()));
    ones.push_back(random::uniform(stream) < 0.4 ? 1 : 0);
    weights.push_back(random::uniform(stream) + 0.1);
    label.push_back(static_cast<std::int32_t>(ones.back()));
  }
  const data::Labels classes = data::labels(label);
  const auto check = [&](const Examples& examples, Training training, const char* what) {
    SCOPED_TRACE(what);
    training.members = 6;
    training.steps = 40;
    training.stopping.patience = 0;
    const Ensemble trained = train(examples, training);
    std::size_t best = 0;
    for (std::size_t m = 0; m < trained.size(); ++m)
      if (trained.member(m).held_out_loss < trained.member(best).held_out_loss) best = m;
    const Selection found = select(trained, examples, {.rule = SelectionRule::best, .count = 1});
    EXPECT_EQ(found.members, std::vector<std::size_t>{best});
    const Ensemble alone = trained.subset(std::vector<std::size_t>{best});
    const double loss = select(alone, examples).same_rows.loss;  // on all rows that it leaves out
    EXPECT_NEAR(loss, trained.member(best).held_out_loss, 1e-5 * std::abs(loss) + 1e-6);
  };
  const Examples numbers{DataView(x), nullptr, DataView(y)};
  for (const Loss loss :
       {Loss::squared_error, Loss::gaussian, Loss::huber, Loss::pinball, Loss::poisson}) {
    Training training;
    training.loss = loss;
    check(loss == Loss::poisson ? Examples{DataView(x), nullptr, DataView(counts)} : numbers,
          training, std::string(name(loss)).c_str());
  }
  Training transformed;
  transformed.target_transforms = {TargetTransform::log};
  check(numbers, transformed, "log");
  Training binary;
  binary.loss = Loss::binary;
  binary.pos_weight = {3};
  check({DataView(x), &classes}, binary, "binary");
  Training mixed;
  mixed.loss = Loss::mixed;
  mixed.losses = {Loss::gaussian, Loss::binary};
  check({DataView(x), nullptr, DataView({ColumnView(y), ColumnView(ones)}, {"y", "ones"})}, mixed,
        "mixed");
  check({.inputs = DataView(x), .classes = &classes, .weights = ColumnView(weights)}, {},
        "weighted classes");
}

// Rows that judge members do not stop them: another label of such a row leaves a member as it is.
TEST(StoppingShare, RowsThatJudgeDoNotStopMembers) {
  Spirals spirals(120);
  Training training{.members = 1, .epochs = 30, .seed = 2};
  training.settings[0].batch_size = 16;
  training.stopping = {.patience = 3, .share_of_rows = 0.25};
  const auto parameters = [&] {
    const Ensemble trained = train(spirals.examples(), training);
    return std::vector<float>(trained.parameters(0).begin(), trained.parameters(0).end());
  };
  const std::vector<float> before = parameters();
  training.stopping.share_of_rows = 1;
  const std::vector<float> by_all_rows = parameters();
  const std::vector<float> held_out =
      MemberRows({2, 0}, Resampling::bootstrap, 120, 0.5, false, execution::default_level())
          .held_out();
  std::size_t changed = 0;
  for (std::size_t row = 0; row < 120; ++row) {
    if (held_out[row] == 0 || RowDraws(2, false, row).stops(0.25)) continue;
    spirals.classes.codes[row] = 1 - spirals.classes.codes[row];
    ++changed;
  }
  EXPECT_NEAR(static_cast<double>(changed), 120 * 0.37 * 0.75, 20);
  EXPECT_NE(parameters(), by_all_rows);  // all held-out rows stop members
  training.stopping.share_of_rows = 0.25;
  EXPECT_EQ(parameters(), before);
}

TEST(StoppingShare, ScoresAreOfTheOtherRows) {
  const Spirals spirals(200);
  Training training = sampled(4, 4);
  training.steps = 0;
  training.epochs = 20;
  training.stopping = {.patience = 3, .share_of_rows = 0.25};
  const Ensemble trained = train(spirals.examples(), training);
  const Selection found = select(trained, spirals.examples(), {.stopping = training.stopping});
  EXPECT_FALSE(found.stopped_members);
  std::size_t judges = 0;
  for (std::size_t row = 0; row < 200; ++row)
    judges +=
        !RowDraws(training.seed, false, row).stops(0.25) && trained.out_of_bag().members[row] > 0
            ? 1U
            : 0U;
  EXPECT_EQ(found.all_members.rows, judges);
  training.stopping.share_of_rows = 1;
  EXPECT_TRUE(select(train(spirals.examples(), training), spirals.examples()).stopped_members);
}

// Shares of the rows that differ: rows that all members with a number leave out judge them.
TEST(GreedySelection, TakesDifferentSubsamples) {
  const Spirals spirals(140);
  Training training = sampled(4, 3);
  training.resampling = Resampling::subsample;
  training.settings[0].subsample = 0.3;
  training.settings[1].subsample = 0.8;
  const Ensemble trained = train(spirals.examples(), training);
  const Selection found = select(trained, spirals.examples());
  EXPECT_GE(found.members.size(), 3U);
  EXPECT_LE(found.other_rows.rows, 140U);
}

// Labels are fair coins, so no score of a row is below log 2 on average, unless the row helped to
// choose what predicts it. Over 40 sets of rows the mean of the honest scores is below log 2 by
// more than 4.75 of its standard errors once in a million (by the normal approximation, for 40 *
// 100 rows). The same bound tells that the scores on the rows that selected are too good.
TEST(SelectionNull, ScoresOnOtherRowsAreNotBeyondChance) {
  constexpr int kSets = 40;
  double honest = 0;
  double honest_square = 0;
  double optimistic = 0;
  double optimistic_square = 0;
  for (int set = 0; set < kSets; ++set) {
    random::Stream stream({.seed = 1000 + static_cast<std::uint64_t>(set)});
    std::vector<std::vector<double>> columns(4);
    std::vector<std::int32_t> label;
    for (int row = 0; row < 140; ++row) {
      for (std::vector<double>& column : columns) column.push_back(random::normal(stream));
      label.push_back(random::uniform(stream) < 0.5 ? 1 : 0);
    }
    const data::Labels classes = data::labels(label);
    const Examples examples{DataView(std::vector<ColumnView>(columns.begin(), columns.end())),
                            &classes};
    Training training{.members = 4, .epochs = 8, .seed = 5};
    training.settings = sample_settings(
        40, {.ranges = {{"learning_rate", {1e-3, 3e-2}}, {"hidden", {4, 8}}}, .seed = 5});
    for (Settings& each : training.settings) each.batch_size = 32;
    training.stopping = {.patience = 4, .share_of_rows = 0.25};
    training.keep_held_out = true;
    const Ensemble trained = train(examples, training);
    for (const SelectionRule rule : {SelectionRule::greedy, SelectionRule::best}) {
      const Selection found = select(trained, examples, {.rule = rule, .count = 20});
      EXPECT_LT(found.same_rows.loss, found.other_rows.loss);
      honest += found.other_rows.loss - std::log(2);
      honest_square += std::pow(found.other_rows.standard_error, 2);
      optimistic += found.same_rows.loss - std::log(2);
      optimistic_square += std::pow(found.same_rows.standard_error, 2);
    }
  }
  // Both rules see the same rows, so that their errors add up.
  EXPECT_GT(honest, -4.75 * std::sqrt(2 * honest_square));
  EXPECT_LT(optimistic, -4.75 * std::sqrt(2 * optimistic_square));
}

TEST(GreedySelection, RejectsInvalidArguments) {
  const Spirals spirals(60);
  const Ensemble trained = train(spirals.examples(), sampled(3, 2));
  const auto refuses = [](auto&& act) {
    return message_of<InvalidArgument>([&] { static_cast<void>(act()); });
  };
  const Examples examples = spirals.examples();
  EXPECT_TRUE(says(refuses([&] { return select(trained, examples, {.count = 0}); }), "count is 0"));
  // Fewer members than that are selected, so that a long training is not lost.
  EXPECT_EQ(select(trained, examples, {.rule = SelectionRule::best, .count = 7}).members.size(),
            6U);
  const Spirals others(61);
  EXPECT_TRUE(says(refuses([&] { return select(trained, others.examples()); }), "61", "60"));
  Training training = sampled(3, 2);
  training.resampling = Resampling::bayesian;
  const Ensemble all = train(examples, training);
  EXPECT_TRUE(says(refuses([&] { return select(all, examples); }), "bayesian", "validation rows"));
  EXPECT_TRUE(
      says(refuses([&] { return parse_selection_rule("gredy"); }), "gredy", "greedy, best"));
  training = sampled(3, 2);
  training.stopping.share_of_rows = 0;
  EXPECT_TRUE(says(refuses([&] { return train(examples, training); }), "share_of_rows is 0"));
}

}  // namespace member_selection_test
}  // namespace bootfold::ensemble
