// Shards with strata and clusters: the bits of one run over all rows, for every cut.
#include "bootfold/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "bootfold/shards.h"

namespace bootfold {
namespace labels_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Two columns and a label for each row.
struct Rows {
  Rows(std::size_t rows, const std::vector<std::string>& all, std::uint64_t seed) {
    std::mt19937_64 words(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < rows; ++i) {
      names.push_back(all[words() % all.size()]);
      x.push_back(std::exp(normal(words)) + static_cast<double>(names.back().size()));
      y.push_back(normal(words) + 0.1 * x.back());
    }
  }
  [[nodiscard]] DataView view(std::size_t first, std::size_t count) const {
    return DataView({ColumnView(std::span(x).subspan(first, count)),
                     ColumnView(std::span(y).subspan(first, count))});
  }
  [[nodiscard]] data::Labels labels(std::size_t first, std::size_t count) const {
    return data::labels(std::span(names).subspan(first, count));
  }

  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::string> names;
};

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

enum class Kind { strata, clusters };

Options with_labels(Options options, Kind kind, const data::Labels& labels) {
  if (kind == Kind::strata)
    options.scheme = scheme::Stratified{labels.codes};
  else
    options.scheme = scheme::Cluster{labels.codes};
  return options;
}

/// In random pieces, whose parts are merged in a random order; all of it travels as bytes.
Result by_shards(const Rows& rows, Kind kind, const std::vector<Statistic>& statistics,
                 const Options& options, std::size_t count, std::mt19937_64& words) {
  std::vector<std::size_t> cuts = {0, rows.x.size()};
  for (std::size_t i = 1; i < count; ++i) cuts.push_back(words() % (rows.x.size() + 1));
  if (count > 2) cuts.push_back(cuts[2]);  // an empty shard
  std::sort(cuts.begin(), cuts.end());
  std::vector<shards::Look> looks;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const std::size_t size = cuts[i + 1] - cuts[i];
    const data::Labels labels = rows.labels(cuts[i], size);
    shards::LookOptions look;
    (kind == Kind::strata ? look.strata : look.clusters) = &labels;
    looks.push_back(shards::Look::from_bytes(
        shards::look(rows.view(cuts[i], size), statistics, look).to_bytes()));
  }
  const shards::Plan plan(shards::join(looks), statistics, options);
  std::vector<std::size_t> order(cuts.size() - 1);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), words);
  shards::Part all = plan.empty();
  for (const std::size_t i : order) {
    const std::size_t size = cuts[i + 1] - cuts[i];
    const data::Labels labels = rows.labels(cuts[i], size);
    const auto there = shards::Plan::from_bytes(plan.to_bytes(), statistics, 0, options.execution);
    all += shards::Part::from_bytes(
        there.part(rows.view(cuts[i], size), cuts[i], {.labels = &labels}).to_bytes());
  }
  return plan.finish(all);
}

void expect_same(const Result& found, const Result& wanted) {
  ASSERT_EQ(found.outputs(), wanted.outputs());
  for (std::size_t k = 0; k < wanted.outputs(); ++k)
    EXPECT_EQ(found.estimate(k), wanted.estimate(k)) << k;
  EXPECT_TRUE(std::ranges::equal(found.replicates(), wanted.replicates()));
  EXPECT_EQ(found.plan().scheme, wanted.plan().scheme);
  EXPECT_EQ(found.plan().units, wanted.plan().units);
}

// Labels "9" and "10" are ordered as numbers, and those of a shard alone need not be.
TEST(LabelledShards, OfAnyCutGiveTheBitsOfTheWhole) {
  const std::vector<Statistic> statistics = {statistic::mean(), statistic::correlation()};
  std::vector<std::string> mixed = numbered(12);
  mixed.emplace_back("north");
  struct Case {
    std::size_t rows;
    std::vector<std::string> names;
  };
  std::mt19937_64 words(1);
  for (const Case& one : {Case{300, numbered(12)}, Case{20'000, numbered(12)}, Case{20'000, mixed},
                          Case{20'000, {"only"}}}) {
    const Rows rows(one.rows, one.names, one.rows);
    const data::Labels labels = rows.labels(0, one.rows);
    for (const Kind kind : {Kind::strata, Kind::clusters}) {
      if (kind == Kind::clusters && one.names.size() == 1) continue;
      const Options options{.replicates = 40, .seed = 5};
      const Result wanted =
          bootstrap(rows.view(0, one.rows), statistics, with_labels(options, kind, labels));
      for (const std::size_t pieces : {1U, 2U, 7U, 50U}) {
        SCOPED_TRACE(testing::Message()
                     << one.rows << " rows, " << one.names.size() << " labels, " << pieces
                     << (kind == Kind::strata ? " pieces, strata" : " pieces, clusters"));
        ASSERT_NO_FATAL_FAILURE(
            expect_same(by_shards(rows, kind, statistics, options, pieces, words), wanted));
      }
    }
  }
}

// A stratum of more than a super-block, at every instruction set; many clusters of a few rows.
TEST(LabelledShards, GiveTheSameBitsAtEverySimdLevel) {
  const Rows rows(1'500'000, {"a", "a", "a", "a", "a", "b"}, 2);
  const data::Labels labels = rows.labels(0, rows.x.size());
  std::mt19937_64 words(2);
  Options options{.replicates = 6, .seed = 5};
  const std::vector<Statistic> statistics = {statistic::mean()};
  const auto wanted = bootstrap(rows.view(0, rows.x.size()), statistics,
                                with_labels(options, Kind::strata, labels));
  for (const auto level : execution::available_levels()) {
    SCOPED_TRACE(execution::name(level));
    options.execution.level = level;
    ASSERT_NO_FATAL_FAILURE(
        expect_same(by_shards(rows, Kind::strata, statistics, options, 3, words), wanted));
  }
  const Rows many(50'000, numbered(20'000), 3);
  const data::Labels codes = many.labels(0, many.x.size());
  const auto clusters = bootstrap(many.view(0, many.x.size()), statistics,
                                  with_labels(options, Kind::clusters, codes));
  expect_same(by_shards(many, Kind::clusters, statistics, options, 5, words), clusters);
}

class LabelledRefusals : public testing::Test {
 protected:
  LabelledRefusals() : rows_(10'000, numbered(4), 1), labels_(rows_.labels(0, 10'000)) {}

  [[nodiscard]] shards::Look look(std::size_t first, std::size_t size,
                                  const Statistic& statistic = statistic::mean()) const {
    const data::Labels labels = rows_.labels(first, size);
    return shards::look(rows_.view(first, size), statistic, {.first = first, .strata = &labels});
  }

  Rows rows_;
  data::Labels labels_;
};

TEST_F(LabelledRefusals, PartsThatBeginWithinALook) {
  const shards::Plan plan(look(0, 6000) | look(6000, 4000), statistic::mean());
  const data::Labels labels = rows_.labels(5000, 1000);
  EXPECT_THAT(
      [&] { static_cast<void>(plan.part(rows_.view(5000, 1000), 5000, {.labels = &labels})); },
      ThrowsMessage<InvalidArgument>(HasSubstr("a part must begin where a look began")));
}

TEST_F(LabelledRefusals, MissingAndUnknownLabels) {
  const shards::Plan plan(look(0, 10'000), statistic::mean());
  EXPECT_THAT([&] { static_cast<void>(plan.part(rows_.view(0, 10'000), 0)); },
              ThrowsMessage<InvalidArgument>(HasSubstr("labels are missing")));
  data::Labels others = labels_;
  others.names[0] = "elsewhere";
  EXPECT_THAT([&] { static_cast<void>(plan.part(rows_.view(0, 10'000), 0, {.labels = &others})); },
              ThrowsMessage<InvalidArgument>(HasSubstr("stratum 'elsewhere'")));
  // All rows in one stratum: more than were looked at.
  std::fill(others.codes.begin(), others.codes.end(), 1U);
  EXPECT_THAT([&] { static_cast<void>(plan.part(rows_.view(0, 10'000), 0, {.labels = &others})); },
              ThrowsMessage<DataError>(HasSubstr("rows changed")));
  EXPECT_THAT(
      [&] {
        static_cast<void>(look(0, 5000) | shards::look(rows_.view(0, 10), statistic::mean()));
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("some looks have strata")));
  EXPECT_THAT(
      [&] {
        static_cast<void>(shards::look(rows_.view(0, 10), statistic::mean(), {.strata = &labels_}));
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("10,000 labels but the shard has 10 rows")));
}

// Parts know the labels that they were made with: others are noticed, and so are other plans.
TEST_F(LabelledRefusals, OtherLabelsOfTheSameRows) {
  const auto look_at = [&](const data::Labels& labels, bool strata) {
    shards::LookOptions options;
    (strata ? options.strata : options.clusters) = &labels;
    return shards::look(rows_.view(0, 10'000), statistic::mean(), options);
  };
  data::Labels others = labels_;
  std::swap(others.codes.front(), others.codes.back());
  ASSERT_NE(others.codes, labels_.codes);
  for (const bool strata : {true, false}) {
    const shards::Plan plan(look_at(labels_, strata), statistic::mean());
    const shards::Part part = plan.part(rows_.view(0, 10'000), 0, {.labels = &others});
    EXPECT_THAT([&] { static_cast<void>(plan.finish(part)); },
                ThrowsMessage<DataError>(HasSubstr("rows changed")));
    const shards::Plan second(look_at(others, strata), statistic::mean());
    EXPECT_NE(second.plan().fingerprint, plan.plan().fingerprint);
  }
}

// Names of strata that the shard does not have, as a list of all names in the data has them.
TEST_F(LabelledRefusals, NamesWithoutRowsAreNoStrata) {
  data::Labels labels = labels_;
  labels.names.emplace_back("none");
  const shards::Look seen =
      shards::look(rows_.view(0, 10'000), statistic::mean(), {.strata = &labels});
  EXPECT_EQ(shards::Look::from_bytes(seen.to_bytes()), seen);
  EXPECT_EQ(shards::Plan(seen, statistic::mean()).plan().scheme, "stratified, 4 strata");
}

TEST_F(LabelledRefusals, WhatNeedsAllRows) {
  const auto plan_of = [&](const data::Labels& labels, bool strata, const Statistic& statistic) {
    shards::LookOptions options;
    (strata ? options.strata : options.clusters) = &labels;
    return shards::Plan(shards::look(rows_.view(0, 10'000), statistic, options), statistic);
  };
  EXPECT_THAT([&] { plan_of(labels_, false, statistic::median()); },
              ThrowsMessage<InvalidArgument>(HasSubstr("whole clusters need all rows")));
  const Rows many(10'000, numbered(500), 1);
  const data::Labels small = many.labels(0, 10'000);
  EXPECT_THAT([&] { plan_of(small, true, statistic::mean()); },
              ThrowsMessage<InvalidArgument>(HasSubstr("strata have 20 rows on average")));
}

}  // namespace labels_test
}  // namespace bootfold
