// A bootstrap by several ranks has the bits of one process, however the work is split.
#include "bootfold/distributed/bootstrap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "temp_folder.h"
#include "thread_ranks.h"

namespace bootfold::distributed {
namespace bootstrap_test {

using testing::HasSubstr;

constexpr std::size_t kRows = 9000;

/// x has a heavy tail, y depends on it, and g has few values.
struct Data {
  std::vector<double> x, y, g;
  Data() {
    for (std::size_t i = 0; i < kRows; ++i) {
      x.push_back(1000.0 / static_cast<double>(1 + i * 7919 % 10007));
      y.push_back(static_cast<double>(i * 104729 % 20011) / 8 + x.back());
      g.push_back(static_cast<double>(i * i % 5));
    }
  }
  [[nodiscard]] DataView of(const std::string& columns) const {
    std::vector<ColumnView> views;
    std::vector<std::string> names;
    for (const char name : columns) {
      views.emplace_back(name == 'x' ? x : name == 'y' ? y : g);
      names.emplace_back(1, name);
    }
    return {views, names};
  }
};

const Data& data() {
  static const Data kData;
  return kData;
}

struct Case {
  std::string columns;
  std::vector<Statistic> statistics;
  Scheme scheme = {};
};

std::vector<Case> served_by_rows() {
  return {{"x", {statistic::mean()}},
          {"xy", {statistic::correlation()}},
          {"x", {statistic::mean(), statistic::variance()}, scheme::Poisson{}},
          {"y", {statistic::median()}},
          {"g", {statistic::mean()}}};
}

void expect_same(const std::optional<Result>& found, const Result& wanted) {
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fingerprint(), wanted.fingerprint());
  EXPECT_EQ(found->first_replicate(), wanted.first_replicate());
  EXPECT_EQ(found->estimate(), wanted.estimate());
  EXPECT_EQ(found->standard_error(), wanted.standard_error());
  EXPECT_TRUE(std::ranges::equal(found->replicates(), wanted.replicates()));
}

/// The same run by 1 to 4 ranks.
void expect_bits(const Case& one, const Options& options, Split split) {
  const DataView view = data().of(one.columns);
  const Result wanted = bootfold::bootstrap(view, one.statistics, options);
  const data::MemorySource source(view, 700);
  for (const int ranks : {1, 2, 3, 4}) {
    SCOPED_TRACE(one.statistics[0].name() + " by " + std::to_string(ranks));
    in_ranks(
        ranks,
        [&](const Group& group) {
          const auto result = bootstrap(group, source, one.statistics, options, split);
          EXPECT_EQ(result.has_value(), group.rank() == 0);
          if (group.rank() == 0) expect_same(result, wanted);
        },
        2);
  }
}

TEST(DistributedBootstrap, HasTheBitsOfOneProcessIfRowsAreSplit) {
  for (const Case& one : served_by_rows())
    expect_bits(one, {.replicates = 101, .seed = 7, .first_replicate = 3, .scheme = one.scheme},
                Split::rows);
}

TEST(DistributedBootstrap, HasTheBitsOfOneProcessIfReplicatesAreSplit) {
  std::vector<Case> all = served_by_rows();
  all.push_back({"x", {statistic::trimmed_mean(0.1)}});
  all.push_back({"xy", {statistic::correlation()}, scheme::MovingBlocks{20}});
  all.push_back({"x", {statistic::mean()}, scheme::Bayesian{}});
  for (const Case& one : all)
    expect_bits(one, {.replicates = 101, .seed = 7, .first_replicate = 3, .scheme = one.scheme},
                Split::replicates);
}

TEST(DistributedBootstrap, SplitsReplicatesWhereRowsCannotBe) {
  expect_bits({"x", {statistic::trimmed_mean(0.1)}}, {.replicates = 50}, Split::automatic);
  expect_bits({"x", {statistic::mean()}}, {.replicates = 50, .influence = true}, Split::automatic);
  // Only the look can tell that so few draws are looked up in all rows.
  expect_bits({"x", {statistic::mean()}, {}}, {.replicates = 50, .scheme = scheme::Iid{.size = 10}},
              Split::automatic);
}

TEST(DistributedBootstrap, MayHaveFewerReplicatesOrRowsThanRanks) {
  expect_bits({"x", {statistic::mean()}}, {.replicates = 2}, Split::rows);
  expect_bits({"x", {statistic::mean()}}, {.replicates = 2}, Split::replicates);
  const std::vector<double> few = {1, 2, 4};
  const std::vector<Statistic> mean = {statistic::mean()};
  const Result wanted = bootfold::bootstrap(few, mean, {.replicates = 20});
  in_ranks(5, [&](const Group& group) {
    const auto result = bootstrap(group, data::MemorySource(few, 2), mean, {.replicates = 20});
    if (group.rank() == 0) expect_same(result, wanted);
  });
}

TEST(DistributedBootstrap, OfRowsThatEachRankHas) {
  const std::vector<Statistic> mean = {statistic::mean()};
  const Result wanted = bootfold::bootstrap(data().x, mean, {.replicates = 100});
  in_ranks(3, [&](const Group& group) {  // the second rank has none
    const std::size_t begin = group.rank() == 0 ? 0 : 17;
    const std::size_t end = group.rank() == 2 ? kRows : 17;
    const std::span<const double> own(data().x.data() + begin, end - begin);
    const auto result =
        bootstrap_rows(group, data::MemorySource(own, 100), mean, {.replicates = 100});
    if (group.rank() == 0) expect_same(result, wanted);
  });
}

// A cluster has rows on several ranks, and the second rank has no rows.
TEST(DistributedBootstrap, OfLabelledRowsThatEachRankHas) {
  const std::vector<Statistic> statistics = {statistic::mean(), statistic::variance()};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kRows; ++i) names.push_back(std::to_string(i % 20));
  const data::Labels all = data::labels(std::span<const std::string>(names));
  for (const bool strata : {true, false}) {
    Options options{.replicates = 100, .seed = 5};
    if (strata) options.scheme = scheme::Stratified{all.codes};
    if (!strata) options.scheme = scheme::Cluster{all.codes};
    const Result wanted = bootfold::bootstrap(data().x, statistics, options);
    for (const int ranks : {1, 3}) {
      in_ranks(ranks, [&](const Group& group) {
        const std::size_t begin = group.rank() == 0 ? 0 : 1717;
        const std::size_t end = group.rank() == ranks - 1 ? kRows : 1717;
        const std::span<const double> own(data().x.data() + begin, end - begin);
        const data::Labels labels =
            data::labels(std::span<const std::string>(names).subspan(begin, end - begin));
        const auto result = bootstrap_rows(
            group, DataView(own),
            {.strata = strata ? &labels : nullptr, .clusters = strata ? nullptr : &labels},
            statistics, {.replicates = 100, .seed = 5});
        ASSERT_EQ(result.has_value(), group.rank() == 0);
        if (!result) return;
        EXPECT_TRUE(std::ranges::equal(result->replicates(), wanted.replicates()));
      });
    }
  }
}

TEST(DistributedBootstrap, KeepsStandardErrorsAndInfluences) {
  const std::vector<Statistic> mean = {statistic::mean()};
  const Options options{.replicates = 30, .influence = true, .standard_errors = true};
  const Result wanted = bootfold::bootstrap(data().x, mean, options);
  in_ranks(3, [&](const Group& group) {
    const auto result = bootstrap_replicates(group, data().x, mean, options);
    if (group.rank() != 0) return;
    EXPECT_EQ(result->companions().replicate_errors, wanted.companions().replicate_errors);
    EXPECT_EQ(result->companions().influences.size(), 1U);
  });
}

// A text file is read once for each machine, into memory that its ranks share.
TEST(DistributedBootstrap, OfATextFileTellsWhatWasLeftOut) {
  const TempFolder folder;
  std::ofstream(folder.path("x.csv")) << "x\n1\nNA\n2\n7\n3\n";
  const auto source =
      data::open(folder.path("x.csv"), {.nan = data::NanPolicy::omit, .where = "x < 5"});
  const std::vector<Statistic> mean = {statistic::mean()};
  const Result wanted = bootfold::bootstrap(*source, mean, {.replicates = 20});
  in_ranks(
      4,
      [&](const Group& group) {
        data::ReadNotes notes;
        const auto result =
            bootstrap(group, *source, mean, {.replicates = 20}, Split::automatic, &notes);
        if (group.rank() != 0) return;
        expect_same(result, wanted);
        EXPECT_EQ(notes.omitted + notes.filtered,
                  data::notes(*source).omitted + data::notes(*source).filtered);
        EXPECT_EQ(notes.filtered, 2U);
      },
      2);
}

std::string refusal(const std::function<void(const Group&)>& body) {
  std::atomic<int> refused = 0;
  std::string message;
  in_ranks(3, [&](const Group& group) {
    try {
      body(group);
    } catch (const DistributedError& error) {
      ++refused;
      if (group.rank() == 0) message = error.what();
    }
  });
  EXPECT_EQ(refused, 3) << "all ranks have to know";
  return message;
}

TEST(DistributedBootstrap, RefusesOnAllRanks) {
  const std::vector<Statistic> mean = {statistic::mean()};
  const std::vector<Statistic> trimmed = {statistic::trimmed_mean(0.1)};
  const data::MemorySource source(data().x, 1000);
  const auto run = [&](const std::vector<Statistic>& what, const Options& options, Split split) {
    return refusal([&](const Group& group) {
      static_cast<void>(bootstrap(group, source, what, options, split));
    });
  };
  EXPECT_THAT(run(trimmed, {}, Split::rows), HasSubstr("only functions of sums"));
  EXPECT_THAT(run(mean, {.scheme = scheme::Jackknife{}}, Split::automatic),
              HasSubstr("scheme is 'jackknife'"));
  EXPECT_THAT(run(mean, {.scheme = scheme::Balanced{}}, Split::automatic), HasSubstr("balanced"));
  EXPECT_THAT(run(mean, {.checkpoint = "x"}, Split::automatic), HasSubstr("checkpoint"));
  EXPECT_THAT(refusal([&](const Group& group) {
                const std::vector<double> own(group.rank() == 1 ? 99 : 100, 1.0);
                static_cast<void>(bootstrap(group, data::MemorySource(own, 10), mean));
              }),
              HasSubstr("rank 1: the source has 99 rows of column 1 here but 100 rows"));
  EXPECT_THROW(static_cast<void>(parse_split("columns")), InvalidArgument);
}

TEST(DistributedBootstrap, NoticesRanksWithOtherData) {
  const std::vector<Statistic> mean = {statistic::mean()};
  const auto run = [&] {
    in_ranks(2, [&](const Group& group) {
      static_cast<void>(bootstrap_replicates(group, group.rank() == 0 ? data().x : data().y, mean,
                                             {.replicates = 10}));
    });
  };
  EXPECT_THROW(run(), DataError);
}

}  // namespace bootstrap_test
}  // namespace bootfold::distributed
