// plan() and bootstrap() walk the same road: they accept the same, choose the same path, and refuse
// in the same words, for every scheme, family of statistics, interval and forced path.
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace road_test {

constexpr std::size_t kRows = 24;

struct Labels {
  std::vector<std::uint32_t> halves = std::vector<std::uint32_t>(kRows);
  std::vector<std::uint32_t> fours = std::vector<std::uint32_t>(kRows);
  std::vector<double> weights = std::vector<double>(kRows);

  Labels() {
    for (std::size_t i = 0; i < kRows; ++i) {
      halves[i] = i < kRows / 2 ? 0 : 1;
      fours[i] = static_cast<std::uint32_t>(i / 4);
      weights[i] = static_cast<double>(1 + i % 3);
    }
  }
};

/// Every alternative of the variant but scheme::Custom, which has tests of its own.
std::vector<Scheme> schemes(const Labels& labels) {
  return {scheme::Iid{},
          scheme::Iid{10},
          scheme::Iid{50},
          scheme::Poisson{},
          scheme::Bayesian{},
          scheme::Balanced{},
          scheme::Unequal{labels.weights},
          scheme::Stratified{labels.halves},
          scheme::Cluster{labels.fours},
          scheme::Cluster{labels.fours, true},
          scheme::MovingBlocks{3},
          scheme::CircularBlocks{3},
          scheme::StationaryBlocks{},
          scheme::Jackknife{},
          scheme::Jackknife{labels.fours}};
}

struct Sum {
  double sum = 0;
  void accumulate(double value, double weight) { sum += weight * value; }
  void merge(const Sum& part) { sum += part.sum; }
  [[nodiscard]] double finish() const { return sum; }
};

std::vector<std::vector<Statistic>> families() {
  const Statistic range = statistic::callable(
      [](const statistic::Resample& r) { return r.column(0)[0] - r.column(0)[r.rows - 1]; });
  return {{statistic::mean()},
          {statistic::mean(), statistic::skewness()},
          {statistic::median()},
          {statistic::mean(), statistic::median()},
          {statistic::accumulator(Sum{})},
          {range},
          {statistic::trimmed_mean(0.1), statistic::mean()}};
}

/// What came of a call: a path, or a message.
struct Outcome {
  std::optional<Path> path = std::nullopt;
  std::string message = {};

  [[nodiscard]] bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << (outcome.path ? name(*outcome.path) : "refused: ") << outcome.message;
}

template <class Act>
Outcome outcome_of(Act&& act) {
  try {
    return {act().path};
  } catch (const InvalidArgument& error) {
    return {std::nullopt, error.what()};
  }
}

TEST(Road, ExplainAcceptsExactlyWhatRunAccepts) {
  const Labels labels;
  const std::vector<double> x = reference::normals(kRows, 3);
  std::vector<std::optional<Path>> paths = {std::nullopt};
  for (int i = 0; i <= static_cast<int>(Path::deletion); ++i) paths.push_back(static_cast<Path>(i));
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const Scheme& scheme : schemes(labels))
    for (const std::vector<Statistic>& statistics : families())
      for (const bool influence : {false, true})
        for (const bool standard_errors : {false, true})
          for (const std::optional<Path> path : paths) {
            Options options;
            options.replicates = 3;
            options.scheme = scheme;
            options.path = path;
            options.influence = influence;
            options.standard_errors = standard_errors;
            options.nested_replicates = 2;
            options.execution.threads = 1;
            SCOPED_TRACE(testing::Message()
                         << name(scheme) << ", " << statistics[0].name() << " of "
                         << statistics.size() << (influence ? ", bca" : "")
                         << (standard_errors ? ", studentized" : "") << ", path "
                         << (path ? name(*path) : "any"));
            const Outcome planned = outcome_of([&] { return plan(x, statistics, options); });
            const Outcome ran =
                outcome_of([&] { return bootstrap(x, statistics, options).plan(); });
            ASSERT_EQ(planned, ran);
            (ran.path ? accepted : refused) += 1;
            if (ran.path && path) {
              EXPECT_EQ(*ran.path, *path);
            }
          }
  // Both happen, so that the comparison says something.
  EXPECT_GT(accepted, 500U);
  EXPECT_GT(refused, 500U);
}

// Without a forced path a scheme refuses only what has no meaning for it.
TEST(Road, TakesEverySchemeForFunctionsOfSums) {
  const Labels labels;
  const std::vector<double> x = reference::normals(kRows, 3);
  for (const Scheme& scheme : schemes(labels)) {
    Options options;
    options.replicates = 3;
    options.scheme = scheme;
    options.influence = true;
    EXPECT_NO_THROW(static_cast<void>(bootstrap(x, statistic::variance(), options)))
        << name(scheme);
  }
}

}  // namespace road_test
}  // namespace bootfold
