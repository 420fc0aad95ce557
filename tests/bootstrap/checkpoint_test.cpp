// A run that ended early goes on from its checkpoint and has the bits of a run that did not; files
// that are damaged, of another run or no checkpoint at all are told apart.
#include "bootfold/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <stop_token>
#include <thread>

#include "bootfold/batches.h"
#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "bootfold/precision.h"
#include "bootstrap/road.h"
#include "statistic/reference.h"
#include "temp_folder.h"

namespace bootfold {
namespace checkpoint_test {

using testing::AllOf;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

using Folder = TempFolder;

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// A run, cut to its first replicates and stored.
void store(const std::string& path, const DataView& data, std::span<const Statistic> statistics,
           Options options, std::uint64_t replicates) {
  options.replicates = replicates;
  ReplicateCheckpoint checkpoint(path, "bootstrap", 0, options.execution);
  static_cast<void>(Road(data, statistics, options).run(checkpoint, ""));
  checkpoint.save();
}

/// What a result has, as bits.
void expect_same(const Result& a, const Result& b) {
  ASSERT_EQ(a.replicates().size(), b.replicates().size());
  EXPECT_TRUE(std::ranges::equal(a.replicates(), b.replicates(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  }));
  EXPECT_EQ(a.companions().replicate_errors, b.companions().replicate_errors);
  EXPECT_EQ(a.companions().linear_parts, b.companions().linear_parts);
  EXPECT_EQ(a.companions().estimate_errors, b.companions().estimate_errors);
  ASSERT_EQ(a.companions().influences.size(), b.companions().influences.size());
  for (std::size_t i = 0; i < a.companions().influences.size(); ++i)
    EXPECT_EQ(a.companions().influences[i].second, b.companions().influences[i].second);
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
  EXPECT_EQ(a.count(), b.count());
}

struct Family {
  std::string name;
  std::vector<Statistic> statistics;
  std::optional<Path> path = std::nullopt;
  Scheme scheme = scheme::Iid{};
  bool errors = false;
};

double spread(const statistic::Resample& resample) {
  const auto column = resample.column(0);
  return *std::max_element(column.begin(), column.end()) - column[0];
}

const std::vector<std::uint32_t>& labels() {
  static const std::vector<std::uint32_t> kLabels = [] {
    std::vector<std::uint32_t> all(500);
    for (std::size_t row = 0; row < all.size(); ++row)
      all[row] = static_cast<std::uint32_t>(row * row % 23);
    return all;
  }();
  return kLabels;
}

const std::vector<double>& probabilities() {
  static const std::vector<double> kProbabilities = reference::uniforms(500, 5);
  return kProbabilities;
}

std::vector<Family> families() {
  using namespace statistic;  // NOLINT(google-build-using-namespace)
  return {
      {"stream", {mean(), variance()}, Path::stream},
      {"gather", {mean(), skewness()}, Path::gather},
      {"distinct", {mean()}, Path::distinct},
      {"order", {median(), quantile(0.9)}, Path::order},
      {"ranked", {trimmed_mean(0.1)}},
      {"callable", {callable(spread, "spread")}},
      {"errors by formula", {mean(), variance()}, std::nullopt, scheme::Iid{}, true},
      {"nested errors", {median()}, std::nullopt, scheme::Iid{}, true},
      {"strata", {mean()}, std::nullopt, scheme::Stratified{labels()}},
      {"clusters", {mean(), median()}, std::nullopt, scheme::Cluster{labels()}},
      {"blocks", {mean()}, std::nullopt, scheme::StationaryBlocks{7}},
      {"moving blocks", {variance()}, std::nullopt, scheme::MovingBlocks{7}},
      {"poisson", {mean()}, std::nullopt, scheme::Poisson{}},
      {"bayesian", {mean(), median()}, std::nullopt, scheme::Bayesian{}},
      {"unequal", {mean()}, std::nullopt, scheme::Unequal{probabilities()}},
      {"fewer rows", {mean()}, std::nullopt, scheme::Iid{.size = 100}},
  };
}

TEST(Checkpoint, EveryPathAndSchemeGoesOnToTheSameBits) {
  std::vector<double> rows = reference::uniforms(500, 3);
  for (double& value : rows) value = std::floor(200 * value);
  const DataView data(rows);
  for (const Family& family : families())
    for (const std::uint64_t stored : {1U, 64U, 131U, 199U, 200U}) {
      SCOPED_TRACE(family.name + ", " + std::to_string(stored) + " are stored");
      const Folder folder;
      Options options{.replicates = 200, .seed = 7, .scheme = family.scheme};
      options.path = family.path;
      options.standard_errors = family.errors;
      options.nested_replicates = 5;
      options.influence = true;
      const Result whole = bootstrap(data, family.statistics, options);
      options.checkpoint = folder.path("run");
      store(options.checkpoint, data, family.statistics, options, stored);
      std::vector<std::string> notes;
      options.execution.note = [&](const execution::Note& note) { notes.push_back(note.text); };
      options.execution.threads = 3;
      expect_same(bootstrap(data, family.statistics, options), whole);
      ASSERT_EQ(notes.size(), 1U);
      EXPECT_THAT(notes[0], HasSubstr("holds " + std::to_string(stored) + " of 200 replicates"));
      remove_checkpoint(options.checkpoint);
      EXPECT_EQ(folder.files(), 0U);
    }
}

/// Stops a run again and again until it is complete; returns how often.
int finish_in_pieces(const DataView& data, const Statistic& statistic, Options options,
                     std::optional<Result>& result) {
  for (int stops = 0;; ++stops) {
    std::stop_source source;
    options.execution.stop = source.get_token();
    options.execution.progress = [&](execution::Progress progress) {
      const double share = progress.done / progress.total;
      if (stops < 2 && share > 0.1 * (stops + 1) && share < 0.5) source.request_stop();
    };
    try {
      result = bootstrap(data, statistic, options);
      return stops;
    } catch (const Cancelled& cancelled) {
      EXPECT_THAT(cancelled.kept(), HasSubstr("replicates are in " + options.checkpoint));
    }
  }
}

TEST(Checkpoint, CancelledRunsKeepWhatTheyMade) {
  const std::vector<double> rows = reference::normals(1000, 1);
  for (const bool balanced : {false, true}) {
    SCOPED_TRACE(balanced);
    const Folder folder;
    Options options{.replicates = balanced ? 40'000U : 2'000'000U, .seed = 3};
    if (balanced) options.scheme = scheme::Balanced{};
    options.execution.threads = 1;
    options.path = Path::gather;
    const Result whole = bootstrap(DataView(rows), statistic::mean(), options);
    options.checkpoint = folder.path("run");
    std::optional<Result> result;
    EXPECT_GE(finish_in_pieces(DataView(rows), statistic::mean(), options, result), 1);
    expect_same(*result, whole);
  }
}

TEST(Checkpoint, AJackknifeGoesOn) {
  const Folder folder;
  const std::vector<double> rows = reference::normals(3000, 1);
  const Statistic slow = statistic::callable(
      [](const statistic::Resample& resample) {
        double sum = 0;
        for (int turn = 0; turn < 40; ++turn)
          for (const double value : resample.column(0)) sum = 0.5 * sum + value;
        return sum;
      },
      "slow");
  Options options{.scheme = scheme::Jackknife{}};
  const Result whole = bootstrap(DataView(rows), slow, options);
  options.checkpoint = folder.path("run");
  std::optional<Result> result;
  EXPECT_GE(finish_in_pieces(DataView(rows), slow, options, result), 1);
  expect_same(*result, whole);
}

TEST(Checkpoint, AStatisticThatThrowsLosesNothing) {
  const Folder folder;
  const std::vector<double> rows = reference::normals(50, 1);
  bool fails = true;
  std::atomic<int> calls = 0;
  const Statistic statistic = statistic::callable(
      [&](const statistic::Resample& resample) {
        if (++calls > 500 && fails) throw std::runtime_error("no more");
        return resample.column(0)[0];
      },
      "first");
  Options options{.replicates = 1000, .checkpoint = folder.path("run")};
  options.execution.threads = 1;
  EXPECT_EQ(message_of([&] { static_cast<void>(bootstrap(DataView(rows), statistic, options)); }),
            "no more");
  fails = false;
  calls = 0;
  const Result result = bootstrap(DataView(rows), statistic, options);
  EXPECT_LT(calls, 700);
  options.checkpoint = "";
  expect_same(result, bootstrap(DataView(rows), statistic, options));
}

// A function that takes milliseconds has small groups, so that little is lost when it is stopped.
TEST(Checkpoint, SlowFunctionsAreStoredAfterAFewReplicates) {
  const Folder folder;
  const std::vector<double> rows = reference::normals(4, 1);  // a group would be 4096 replicates
  std::stop_source source;
  std::atomic<int> calls = 0;
  const Statistic slow = statistic::callable(
      [&](const statistic::Resample& resample) {
        if (++calls == 60) source.request_stop();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return resample.column(0)[0];
      },
      "slow");
  Options options{.replicates = 10'000, .checkpoint = folder.path("run")};
  options.execution.threads = 2;
  options.execution.stop = source.get_token();
  std::string kept;
  try {
    static_cast<void>(bootstrap(DataView(rows), slow, options));
  } catch (const Cancelled& cancelled) {
    kept = cancelled.kept();
  }
  EXPECT_THAT(kept, testing::MatchesRegex("[1-5][0-9] of 10,000 replicates are in .*"));
}

TEST(Checkpoint, ARunToAPrecisionGoesOnInAnyRound) {
  const std::vector<double> rows = reference::normals(300, 4);
  const DataView data(rows);
  const Statistic statistic = statistic::variance();
  const Precision wanted{.precision = 0.02, .method = interval::Method::bca};
  Options options{.seed = 9};
  const Reached whole = bootstrap_to_precision(data, statistic, wanted, options);
  ASSERT_GE(whole.rounds.size(), 2U);
  for (const std::uint64_t stored : {whole.rounds[0] / 2, whole.rounds[0] + 1}) {
    const Folder folder;
    options.checkpoint = folder.path("run");
    store(options.checkpoint, data, {&statistic, 1}, options, stored);
    const Reached reached = bootstrap_to_precision(data, statistic, wanted, options);
    expect_same(reached.result, whole.result);
    EXPECT_EQ(reached.rounds, whole.rounds);
    EXPECT_EQ(reached.precision, whole.precision);
  }
}

TEST(Checkpoint, OneThatIsLongerServesAShorterRun) {
  const Folder folder;
  const std::vector<double> rows = reference::normals(100, 1);
  const Statistic mean = statistic::mean();
  Options options{.replicates = 50};
  const Result whole = bootstrap(DataView(rows), mean, options);
  options.checkpoint = folder.path("run");
  store(options.checkpoint, DataView(rows), {&mean, 1}, options, 300);
  expect_same(bootstrap(DataView(rows), mean, options), whole);
  options.first_replicate = 20;
  options.replicates = 100;
  const Result part = bootstrap(DataView(rows), mean, options);
  EXPECT_EQ(part.replicate(0), whole.replicate(20));
}

TEST(Checkpoint, AnotherRunIsRefusedByWhatDiffers) {
  const Folder folder;
  const std::vector<double> rows = reference::normals(100, 1);
  const std::vector<double> others = reference::normals(100, 2);
  const std::vector<double> fewer = reference::normals(99, 1);
  const std::vector<std::uint32_t> strata(100, 0);
  std::vector<std::uint32_t> halves(100, 0);
  halves[99] = 1;
  halves[98] = 1;
  const Statistic mean = statistic::mean();
  const Statistic median = statistic::median();
  Options options{.replicates = 200, .seed = 7};
  options.checkpoint = folder.path("run");
  store(options.checkpoint, DataView(rows), {&mean, 1}, options, 100);
  const std::string before = read(options.checkpoint);
  const auto refusal = [&](const std::vector<double>& data, const Statistic& statistic,
                           const Options& asked) {
    EXPECT_THROW(static_cast<void>(bootstrap(DataView(data), statistic, asked)), InvalidArgument);
    return message_of([&] { static_cast<void>(bootstrap(DataView(data), statistic, asked)); });
  };
  EXPECT_THAT(refusal(others, mean, options),
              AllOf(HasSubstr("checkpoint is"), HasSubstr("the data differ"),
                    HasSubstr("delete this one"), Not(HasSubstr("seed"))));
  EXPECT_THAT(refusal(fewer, mean, options), HasSubstr("the number of rows was 100 and is 99"));
  EXPECT_THAT(refusal(rows, median, options),
              HasSubstr("the list of statistics was mean and is median"));
  Options changed = options;
  changed.seed = 8;
  EXPECT_THAT(refusal(rows, mean, changed),
              AllOf(HasSubstr("the seed was 7 and is 8"), Not(HasSubstr("fingerprint"))));
  changed = options;
  changed.scheme = scheme::Poisson{};
  EXPECT_THAT(refusal(rows, mean, changed), HasSubstr("the scheme was iid"));
  changed = options;
  changed.standard_errors = true;
  EXPECT_THAT(refusal(rows, mean, changed),
              HasSubstr("the standard error of resamples was none and is formula"));
  changed = options;
  changed.tolerance = 1e-6;
  EXPECT_THAT(refusal(rows, mean, changed), HasSubstr("the tolerance was 1e-05 and is 1e-06"));
  EXPECT_EQ(read(options.checkpoint), before) << "a refused checkpoint is left as it is";

  changed = options;
  changed.checkpoint = folder.path("strata");
  changed.scheme = scheme::Stratified{halves};
  store(changed.checkpoint, DataView(rows), {&mean, 1}, changed, 100);
  halves[97] = 1;
  halves[98] = 0;
  EXPECT_THAT(refusal(rows, mean, changed), HasSubstr("labels, weights or other options differ"));
}

TEST(Checkpoint, OneOfAnotherVersionIsRefused) {
  const Folder folder;
  const std::vector<double> rows = reference::normals(100, 1);
  data::CheckpointFile file(folder.path("run"), "bootstrap");
  const std::vector<double> values(10, 1.0);
  file.write(std::vector<data::CheckpointSection>{{.facts = {{"the version of bootfold", "0.0.1"}},
                                                   .numbers = {{"first", 0}, {"outputs", 1}}}},
             std::vector<data::Tensor>{{"0.replicates", {10, 1}, values}});
  EXPECT_THAT(message_of([&] {
                static_cast<void>(bootstrap(DataView(rows), statistic::mean(),
                                            {.checkpoint = folder.path("run")}));
              }),
              HasSubstr("the version of bootfold was 0.0.1 and is "));
  data::Labels groups{std::vector<std::uint32_t>(100, 0), {"a", "b"}, "g"};
  std::fill_n(groups.codes.begin(), 50, 1U);
  EXPECT_THAT(message_of([&] {
                static_cast<void>(compare(DataView(rows), groups, statistic::mean(),
                                          {.checkpoint = folder.path("run")}));
              }),
              HasSubstr("holds a run of another kind (bootstrap)"));
}

TEST(Checkpoint, DamageIsDetectedAndThePreviousOneIsUsed) {
  const Folder folder;
  const std::vector<double> rows = reference::normals(100, 1);
  const DataView data(rows);
  const Statistic mean = statistic::mean();
  Options options{.replicates = 500, .seed = 7};
  const Result whole = bootstrap(data, mean, options);
  options.checkpoint = folder.path("run");
  const std::string previous = options.checkpoint + ".previous";
  store(options.checkpoint, data, {&mean, 1}, options, 100);
  EXPECT_FALSE(std::filesystem::exists(previous));
  store(options.checkpoint, data, {&mean, 1}, options, 300);
  ASSERT_TRUE(std::filesystem::exists(previous));
  const std::string good = read(options.checkpoint);
  const std::string earlier = read(previous);

  // Every byte of the header, and some of the values.
  std::mt19937 draw(1);  // NOLINT(cert-msc51-cpp): always the same
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < good.size(); at += at < 1600 ? 7 : 97) places.push_back(at);
  for (const std::size_t at : places) {
    SCOPED_TRACE("byte " + std::to_string(at));
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (draw() % 7)));
    write(options.checkpoint, damaged);
    write(previous, earlier);
    std::vector<execution::Note> notes;
    options.execution.note = [&](const execution::Note& note) { notes.push_back(note); };
    expect_same(bootstrap(data, mean, options), whole);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_TRUE(notes[0].warning);
    EXPECT_THAT(notes[0].text, HasSubstr("run.previous is used instead"));
    EXPECT_THAT(notes[1].text, HasSubstr("holds 100 of 500 replicates"));
    options.execution.note = {};
  }
  // A file that was cut.
  for (const std::size_t size : {0UL, 5UL, 100UL, good.size() - 1}) {
    write(options.checkpoint, good.substr(0, size));
    expect_same(bootstrap(data, mean, options), whole);
  }
  // The next write replaces the damaged file, and not the good one before it.
  write(options.checkpoint, good.substr(0, 100));
  store(options.checkpoint, data, {&mean, 1}, options, 400);
  EXPECT_EQ(read(previous), earlier);
  // A process that was killed between two renames has left the previous one alone.
  std::filesystem::remove(options.checkpoint);
  expect_same(bootstrap(data, mean, options), whole);
  // Both are damaged, or the only one: nothing is made up.
  write(options.checkpoint, good.substr(0, 100));
  write(previous, "x");
  EXPECT_THAT(message_of([&] { static_cast<void>(bootstrap(data, mean, options)); }),
              HasSubstr("delete both files to start from the beginning"));
  std::filesystem::remove(previous);
  EXPECT_THROW(static_cast<void>(bootstrap(data, mean, options)), DataError);
}

TEST(Checkpoint, AFileThatIsNoCheckpointIsLeftAlone) {
  const Folder folder;
  const std::vector<double> rows = reference::normals(100, 1);
  const Result result = bootstrap(DataView(rows), statistic::mean());
  result.save(folder.path("result"));
  write(folder.path("text"), "price\n1\n2\n");
  for (const std::string name : {"result", "text"}) {
    const std::string before = read(folder.path(name));
    EXPECT_THROW(static_cast<void>(bootstrap(DataView(rows), statistic::mean(),
                                             {.checkpoint = folder.path(name)})),
                 DataError);
    remove_checkpoint(folder.path(name));
    EXPECT_EQ(read(folder.path(name)), before);
  }
  EXPECT_THAT(message_of([&] {
                static_cast<void>(bootstrap(DataView(rows), statistic::mean(),
                                            {.checkpoint = folder.path("missing/run")}));
              }),
              HasSubstr("missing/run: No such file or directory"));
}

/// A run of a function of batches or of counts that fails at a batch, and then goes on.
template <class Run>
void expect_functions_to_go_on(const Run& run) {
  const Folder folder;
  Options options{.replicates = 5000, .seed = 3, .memory = std::size_t{16} << 20};
  const Result whole = run(options, FunctionTraits{}, -1);
  options.checkpoint = folder.path("run");
  const FunctionTraits named{.identity = "first version"};
  EXPECT_EQ(message_of([&] { static_cast<void>(run(options, named, 4)); }), "no more");
  std::vector<std::string> notes;
  options.execution.note = [&](const execution::Note& note) { notes.push_back(note.text); };
  EXPECT_THAT(
      message_of([&] { static_cast<void>(run(options, FunctionTraits{"second version"}, -1)); }),
      HasSubstr("the function was first version and is second version"));
  EXPECT_TRUE(notes.empty());
  expect_same(run(options, named, -1), whole);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr(" of 5,000 replicates; the run goes on from there"));
}

TEST(Checkpoint, FunctionsOfBatchesGoOn) {
  const std::vector<double> rows = reference::normals(1000, 1);
  expect_functions_to_go_on([&](const Options& options, const FunctionTraits& traits, int fails) {
    return bootstrap_batches(
        DataView(rows), {"first"},
        [&, batches = 0](const Batch& batch, std::span<double> values) mutable {
          if (batches++ == fails) throw std::runtime_error("no more");
          for (std::size_t r = 0; r < values.size(); ++r)
            values[r] = batch.resamples[r].column(0)[0];
        },
        options, traits);
  });
}

TEST(Checkpoint, FunctionsOfCountsGoOn) {
  const std::vector<double> rows = reference::normals(1000, 1);
  expect_functions_to_go_on([&](const Options& options, const FunctionTraits& traits, int fails) {
    return bootstrap_counts(
        DataView(rows), {"first"},
        [&, batches = 0](const CountBatch& batch, std::span<double> values) mutable {
          if (batches++ == fails) throw std::runtime_error("no more");
          const auto counts = std::get<std::span<const std::uint8_t>>(batch.counts);
          for (std::size_t r = 0; r < values.size(); ++r)
            values[r] = static_cast<double>(counts[r * batch.rows]);
        },
        options, Takes::counts, traits);
  });
}

}  // namespace checkpoint_test
}  // namespace bootfold
