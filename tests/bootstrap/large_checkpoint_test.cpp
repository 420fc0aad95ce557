// A checkpoint of many replicates grows by its tail, and outlives damage to either file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "bootfold/checkpoint.h"
#include "bootstrap/replicate_checkpoint.h"
#include "temp_folder.h"

namespace bootfold {
namespace large_checkpoint_test {

using testing::AllOf;
using testing::HasSubstr;

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Replicates that cost nothing: more than a checkpoint writes anew each time.
class LargeCheckpoint : public testing::Test {
 protected:
  static constexpr std::uint64_t kCount = 2'500'000;
  static constexpr std::uint64_t kFirst = 1'600'000;  // replicates of the first process
  static constexpr std::uint64_t kRecord = (4U << 20) / sizeof(double);

  /// A process that makes the replicates first .. first + kCount - 1 up to `last` of them, and is
  /// interrupted. Returns how many it found.
  std::uint64_t make_until(std::uint64_t last, std::uint64_t first = 0) {
    notes_.clear();
    Execution execution;
    execution.note = [&](const execution::Note& note) {
      if (note.warning) notes_.push_back(note.text);
    };
    ReplicateCheckpoint checkpoint(path_, "bootstrap", 0, execution);
    std::vector<double> wanted(kCount);
    for (std::size_t i = 0; i < kCount; ++i) wanted[i] = 0.5 * static_cast<double>(first + i);
    std::vector<double> values(kCount);
    const std::uint64_t there =
        checkpoint.begin("", {{"the seed", "7"}}, {first, kCount, 1}, values);
    EXPECT_TRUE(std::equal(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(there),
                           wanted.begin()));
    values = wanted;
    if (last > there) checkpoint.made(last - there);
    for (int times = 0; times < 50; ++times) checkpoint.save();  // each for half a second at most
    checkpoint.stop();
    return there;
  }
  /// The same that makes nothing.
  std::uint64_t found(std::uint64_t first = 0) { return make_until(0, first); }

  TempFolder folder_;
  std::string path_ = folder_.path("run");
  std::string tail_ = folder_.path("run.tail");
  std::vector<std::string> notes_;
};

TEST_F(LargeCheckpoint, GrowsByWhatIsNew) {
  EXPECT_EQ(make_until(kFirst), 0U);
  const std::string file = read(path_);
  const std::string tail = read(tail_);
  EXPECT_LT(file.size(), 5U << 20);
  EXPECT_EQ(make_until(kCount), kFirst);
  EXPECT_EQ(read(path_), file);
  EXPECT_TRUE(read(tail_).starts_with(tail));
  EXPECT_EQ(found(), kCount);
  EXPECT_TRUE(notes_.empty());
  remove_checkpoint(path_);
  EXPECT_EQ(folder_.files(), 0U);
}

// A process may be killed at any byte of a record.
TEST_F(LargeCheckpoint, ARecordThatIsNotCompleteIsLeftOut) {
  make_until(kFirst);
  const std::string tail = read(tail_);
  for (const double share : {0.0, 0.1, 0.3, 0.5, 0.9, 0.999999}) {
    SCOPED_TRACE(share);
    const auto size = static_cast<std::size_t>(share * static_cast<double>(tail.size()));
    write(tail_, tail.substr(0, size));
    const std::uint64_t records = size / (kRecord * sizeof(double));
    const std::uint64_t there = found();
    EXPECT_EQ(there, std::max(kRecord, records * kRecord));  // FILE has as much as a record
    EXPECT_TRUE(notes_.empty());
    // The next process writes behind the last complete record.
    EXPECT_EQ(make_until(kFirst), there);
    EXPECT_EQ(found(), kFirst);
  }
}

TEST_F(LargeCheckpoint, DamageIsDetectedAndWhatComesBeforeIsUsed) {
  make_until(kFirst);
  const std::string tail = read(tail_);
  for (const std::size_t place : {std::size_t{3}, std::size_t{100}, tail.size() / 2}) {
    SCOPED_TRACE(place);
    std::string damaged = tail;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    write(tail_, damaged);
    const std::uint64_t there = found();
    EXPECT_EQ(there, place < 1000 ? kRecord : kRecord * (place / (kRecord * 8)));
    if (place > 8) {  // a wrong length looks like a record that is not complete
      ASSERT_EQ(notes_.size(), 1U);
      EXPECT_THAT(notes_[0], AllOf(HasSubstr("run.tail"), HasSubstr("what comes before is used")));
    }
    EXPECT_EQ(make_until(kFirst), there);
    EXPECT_EQ(found(), kFirst);
  }
}

TEST_F(LargeCheckpoint, TheTailOutlivesDamageToTheFile) {
  make_until(kFirst);
  const std::string file = read(path_);
  std::string damaged = file;
  damaged[damaged.size() / 2] ^= 1;
  write(path_, damaged);
  EXPECT_EQ(found(), kFirst);
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], HasSubstr("run.previous is used"));
  std::filesystem::remove(path_);  // killed between two renames
  write(path_ + ".new", file.substr(0, 1000));
  EXPECT_EQ(make_until(kCount), kFirst);
  EXPECT_EQ(found(), kCount);
}

TEST_F(LargeCheckpoint, AnotherFileOfThatNameIsLeftAlone) {
  write(tail_, "minutes of a meeting");
  EXPECT_EQ(make_until(kFirst), 0U);
  ASSERT_FALSE(notes_.empty());
  EXPECT_THAT(notes_[0], HasSubstr("it is not the tail of a checkpoint"));
  EXPECT_EQ(read(tail_), "minutes of a meeting");
  remove_checkpoint(path_);
  EXPECT_EQ(folder_.files(), 1U);
}

TEST_F(LargeCheckpoint, OfAnotherRunTheTailIsNotRead) {
  make_until(kFirst);
  const std::string tail = read(tail_);
  std::filesystem::remove(path_);
  std::filesystem::remove(path_ + ".previous");
  EXPECT_EQ(make_until(10), 0U);  // deleted to start from the beginning
  write(tail_, tail);
  EXPECT_EQ(found(), 10U);
  EXPECT_EQ(make_until(kFirst), 10U);
  EXPECT_EQ(found(), kFirst);
  std::filesystem::remove(tail_);
  EXPECT_LT(found(), kRecord + 1);
}

// What lies elsewhere is given up as soon as the new run has more.
TEST_F(LargeCheckpoint, ServesARunOfOtherReplicates) {
  constexpr std::uint64_t kElsewhere = 10 * kCount;
  for (const std::uint64_t before : {kRecord / 2, kRecord + 10, kFirst - 10}) {
    SCOPED_TRACE(before);
    make_until(before);
    EXPECT_EQ(make_until(kFirst, kElsewhere), 0U);
    EXPECT_EQ(found(kElsewhere), kFirst);
    std::string damaged = read(path_);
    damaged[damaged.size() / 2] ^= 1;
    write(path_, damaged);
    EXPECT_EQ(found(kElsewhere), kFirst);
    remove_checkpoint(path_);
  }
}

}  // namespace large_checkpoint_test
}  // namespace bootfold
