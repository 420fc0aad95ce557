// A run over a source that ended early goes on from its checkpoint and has the bits of a run that
// did not.
#include "bootfold/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <stop_token>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "bootfold/source.h"
#include "data/checkpoint_file.h"
#include "statistic/reference.h"
#include "temp_folder.h"

namespace bootfold {
namespace shards_checkpoint_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Rows in memory, which arrive in chunks.
class Chunks final : public data::Source {
 public:
  Chunks(DataView data, std::uint64_t length) : data_(std::move(data)), length_(length) {
    for (std::size_t c = 0; c < data_.columns(); ++c) names_.push_back(data_.name(c));
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override { return data_.rows(); }
  [[nodiscard]] std::unique_ptr<data::Pass> open() const override {
    return std::make_unique<ChunksPass>(*this);
  }

 private:
  class ChunksPass final : public data::Pass {
   public:
    explicit ChunksPass(const Chunks& chunks) : chunks_(chunks) {}
    [[nodiscard]] std::optional<data::Chunk> next() override {
      const DataView& data = chunks_.data_;
      if (at_ == data.rows()) return std::nullopt;
      const std::uint64_t rows = std::min(chunks_.length_, data.rows() - at_);
      std::vector<ColumnView> columns;
      for (std::size_t c = 0; c < data.columns(); ++c)
        columns.push_back(data.column(c).slice(at_, rows));
      at_ += rows;
      return data::Chunk{DataView(std::move(columns)), {}};
    }

   private:
    const Chunks& chunks_;
    std::uint64_t at_ = 0;
  };

  DataView data_;
  std::uint64_t length_;
  std::vector<std::string> names_;
};

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void expect_same(const Result& found, const Result& wanted) {
  EXPECT_EQ(found.fingerprint(), wanted.fingerprint());
  for (std::size_t k = 0; k < wanted.outputs(); ++k)
    EXPECT_EQ(found.estimate(k), wanted.estimate(k));
  EXPECT_TRUE(std::ranges::equal(found.replicates(), wanted.replicates(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  }));
}

struct Stopped {
  std::string kept;                ///< what the run says it has stored; empty: it was complete
  std::vector<std::string> notes;  ///< of the run
  std::optional<Result> result;
};

/// Runs until a share of the work is done, as progress tells it.
Stopped run_until(double share, const data::Source& source, std::span<const Statistic> statistics,
                  Options options) {
  Stopped found;
  std::stop_source stop;
  options.execution.stop = stop.get_token();
  options.execution.progress = [&](execution::Progress progress) {
    if (progress.done >= share * progress.total) stop.request_stop();
  };
  options.execution.note = [&](const execution::Note& note) { found.notes.push_back(note.text); };
  try {
    found.result = bootstrap(source, statistics, options);
  } catch (const Cancelled& cancelled) {
    found.kept = cancelled.kept();
  }
  return found;
}

constexpr double kNever = 2;

class SourceCheckpoint : public testing::Test {
 protected:
  // More than a super-block, and too much for the memory.
  static constexpr std::size_t kRows = 3'300'000;

  static void SetUpTestSuite() {
    x_ = reference::normals(kRows, 1);
    y_ = reference::normals(kRows, 2);
  }
  static void TearDownTestSuite() { x_ = y_ = {}; }

  static DataView data() { return DataView({ColumnView(x_), ColumnView(y_)}, {"x", "y"}); }
  static Options options() {
    return {.replicates = 40, .seed = 5, .memory = std::size_t{64} << 20};
  }

  inline static std::vector<double> x_;
  inline static std::vector<double> y_;
};

TEST_F(SourceCheckpoint, CancelledRunsGoOnToTheSameBits) {
  const std::vector<Statistic> statistics = {statistic::correlation(), statistic::ratio()};
  const Chunks source(data(), 300'000);
  Options asked = options();
  const Result whole = bootstrap(source, statistics, asked);
  for (const double share : {0.1, 0.55, 0.7, 0.85, 0.97}) {
    SCOPED_TRACE(share);
    const TempFolder folder;
    asked.checkpoint = folder.path("run");
    const Stopped first = run_until(share, source, statistics, asked);
    EXPECT_FALSE(first.result);
    if (share > 0.6) {  // the first super-block is in
      EXPECT_THAT(first.kept, AllOf(HasSubstr(" of 3,300,000 rows of replicates 1 to 40 are in "),
                                    HasSubstr(asked.checkpoint)));
    }
    asked.execution.threads = 3;
    const Stopped second = run_until(kNever, source, statistics, asked);
    ASSERT_TRUE(second.result);
    expect_same(*second.result, whole);
    EXPECT_EQ(second.notes.size(), first.kept.empty() ? 0 : 1);
    if (!first.kept.empty()) {
      EXPECT_THAT(second.notes[0], AllOf(HasSubstr(" holds "), HasSubstr("goes on from there")));
    }
    remove_checkpoint(asked.checkpoint);
    EXPECT_EQ(folder.files(), 0U);
  }
}

// The memory limit decides how many replicates share a pass and how rows are cut.
TEST_F(SourceCheckpoint, GoesOnInAnyPassWithAnotherMemoryLimit) {
  const std::vector<Statistic> statistics = {statistic::regression()};
  const DataView rows({data().column(0).slice(0, 60'000), data().column(1).slice(0, 60'000),
                       data().column(1).slice(1, 60'000)});
  Options asked{.replicates = 20'000, .seed = 5, .memory = std::size_t{14} << 20};
  const Result whole = bootstrap(rows, statistics, asked);
  const Chunks source(rows, 7000);
  const TempFolder folder;
  asked.checkpoint = folder.path("run");
  ASSERT_GE(plan(source, statistics, asked).reads, 4);
  std::vector<std::string> kept;
  for (const double share : {0.2, 0.5, 0.8}) {
    kept.push_back(run_until(share, source, statistics, asked).kept);
    asked.memory += std::size_t{1} << 18;
  }
  EXPECT_THAT(kept.back(), HasSubstr("all rows of replicates 1 to "));
  EXPECT_NE(kept[0], kept[1]);
  EXPECT_NE(kept[1], kept[2]);
  const Stopped last = run_until(kNever, source, statistics, asked);
  ASSERT_TRUE(last.result);
  expect_same(*last.result, whole);
}

// Quantiles and few distinct values: rows are read, then replicates are made and stored.
TEST_F(SourceCheckpoint, ReplicatesThatAreMadeAfterReadingAreStored) {
  std::vector<double> dice(9'000'000);
  for (std::size_t i = 0; i < dice.size(); ++i) dice[i] = static_cast<double>(i * i % 7);
  std::vector<double> twice = x_;
  twice.insert(twice.end(), y_.begin(), y_.end());
  struct Case {
    std::string name;
    const std::vector<double>& rows;
    std::vector<Statistic> statistics;
    std::uint64_t replicates;
  };
  for (const Case& each : {Case{"distinct", dice, {statistic::mean()}, 4'000'000},
                           Case{"order", twice, {statistic::median()}, 4'000'000}}) {
    SCOPED_TRACE(each.name);
    const Chunks source(DataView(each.rows), 1'000'000);
    Options asked = options();
    asked.replicates = each.replicates;
    asked.execution.threads = 1;
    const Result whole = bootstrap(source, each.statistics, asked);
    ASSERT_EQ(name(whole.plan().path), each.name);
    const TempFolder folder;
    asked.checkpoint = folder.path("run");
    std::stop_source stop;
    Options stopped = asked;
    stopped.execution.stop = stop.get_token();
    std::optional<double> reading;  // how much there is to read
    stopped.execution.progress = [&](execution::Progress progress) {
      if (!reading) reading = progress.total;
      if (progress.total != *reading && progress.done > 0 && progress.done < progress.total)
        stop.request_stop();
    };
    std::string kept;
    try {
      static_cast<void>(bootstrap(source, each.statistics, stopped));
    } catch (const Cancelled& cancelled) {
      kept = cancelled.kept();
    }
    EXPECT_THAT(kept, HasSubstr("00,000 replicates are in "));
    expect_same(bootstrap(source, each.statistics, asked), whole);
  }
}

TEST_F(SourceCheckpoint, AnotherRunIsRefusedByWhatDiffers) {
  const std::vector<Statistic> statistics = {statistic::mean()};
  const Chunks source(DataView({ColumnView(x_), ColumnView(y_)}), 300'000);
  const TempFolder folder;
  Options asked = options();
  asked.checkpoint = folder.path("run");
  ASSERT_NE(run_until(0.8, source, statistics, asked).kept, "");
  const auto refusal = [&](const data::Source& rows, const Statistic& statistic,
                           const Options& changed) {
    EXPECT_THROW(static_cast<void>(bootstrap(rows, statistic, changed)), InvalidArgument);
    return message_of([&] { static_cast<void>(bootstrap(rows, statistic, changed)); });
  };
  const Chunks swapped(DataView({ColumnView(y_), ColumnView(x_)}), 300'000);
  EXPECT_THAT(refusal(swapped, statistics[0], asked),
              AllOf(HasSubstr("the data differ"), Not(HasSubstr("seed"))));
  EXPECT_THAT(refusal(source, statistic::variance(), asked),
              HasSubstr("the list of statistics was mean"));
  Options changed = asked;
  changed.seed = 6;
  EXPECT_THAT(refusal(source, statistics[0], changed), HasSubstr("the seed was 5 and is 6"));
  changed = asked;
  changed.replicates = 41;
  EXPECT_THAT(refusal(source, statistics[0], changed),
              HasSubstr("the number of replicates was 40 and is 41"));
  changed = asked;
  changed.memory = std::size_t{1} << 30;  // all rows fit
  EXPECT_THAT(refusal(source, statistics[0], changed),
              HasSubstr("another kind (bootstrap of rows larger than memory)"));
}

TEST_F(SourceCheckpoint, DamageIsNoticedAndTheOneBeforeIsUsed) {
  const std::vector<Statistic> statistics = {statistic::mean()};
  const Chunks source(data(), 300'000);
  Options asked = options();
  const Result whole = bootstrap(source, statistics, asked);
  const TempFolder folder;
  asked.checkpoint = folder.path("run");
  ASSERT_NE(run_until(0.7, source, statistics, asked).kept, "");
  ASSERT_NE(run_until(0.9, source, statistics, asked).kept, "");
  {
    std::fstream file(asked.checkpoint, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(-100, std::ios::end);
    file.put('x');
  }
  const Stopped last = run_until(kNever, source, statistics, asked);
  ASSERT_TRUE(last.result);
  expect_same(*last.result, whole);
  EXPECT_THAT(last.notes[0], AllOf(HasSubstr("checksum is wrong"), HasSubstr(".previous is used")));
}

// The checksum is right, but the sums are not those of such a run.
TEST_F(SourceCheckpoint, ImpossibleSumsAreRefused) {
  const std::vector<Statistic> statistics = {statistic::mean()};
  const Chunks source(data(), 300'000);
  const TempFolder folder;
  Options asked = options();
  asked.checkpoint = folder.path("run");
  ASSERT_NE(run_until(0.8, source, statistics, asked).kept, "");
  data::CheckpointFile file(asked.checkpoint, "bootstrap of rows larger than memory");
  auto stored = file.read();
  std::map<std::string, std::vector<std::byte>> arrays;
  for (const char* name : {"0.current.head", "0.current.sums", "0.current.drawn"})
    arrays[name] = stored->file.bytes(name);
  arrays["0.current.sums"].resize(16);
  std::vector<data::Tensor> tensors;
  for (const auto& [name, bytes] : arrays) tensors.push_back(data::Tensor::of_bytes(name, bytes));
  file.write(stored->sections, tensors);
  EXPECT_THROW(static_cast<void>(bootstrap(source, statistics, asked)), DataError);
  EXPECT_THAT(message_of([&] { static_cast<void>(bootstrap(source, statistics, asked)); }),
              HasSubstr("sums are not those of its replicates"));
}

}  // namespace shards_checkpoint_test
}  // namespace bootfold
