// Runs that are killed or interrupted go on from their checkpoint, to the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <random>
#include <vector>

#include "bootfold/data.h"
#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace checkpoint_test {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file of one column, all rows different.
std::string column(const Folder& folder, std::size_t rows) {
  std::vector<double> values(rows);
  for (std::size_t row = 0; row < rows; ++row)
    values[row] = static_cast<double>(row * 7919 % rows) + 0.25 * static_cast<double>(row % 3);
  data::write_npy(folder.path("x.npy"), values, std::vector<std::size_t>{rows});
  return folder.path("x.npy");
}

/// A command whose result is a file.
struct Job {
  std::vector<std::string> words;
  std::string output;

  [[nodiscard]] std::vector<std::string> with(const std::string& checkpoint) const {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--checkpoint", checkpoint});
    return all;
  }
};

/// A bootstrap of a few seconds of processor time.
Job long_bootstrap(const Folder& folder, const std::string& replicates = "100000") {
  return {{"bootstrap", column(folder, 200'000), "--replicates", replicates, "--path", "stream",
           "--statistic", "mean,variance", "--seed", "7", "--threads", "1", "--output",
           folder.path("r.npy"), "--quiet"},
          folder.path("r.npy")};
}

/// Ends a job `times` times by SIGKILL at random moments, starts it again each time, and expects
/// the bits of a run without interruption.
void expect_to_survive(const Folder& folder, const Job& job, int times, unsigned seed) {
  ASSERT_EQ(run(job.words).code, 0);
  const std::string whole = bytes_of(job.output);
  const std::string checkpoint = folder.path("run.checkpoint");
  std::mt19937 draw(seed);  // NOLINT(cert-msc51-cpp): always the same
  int kills = 0;
  int found = 0;  // checkpoints after a kill
  while (kills < times) {
    std::filesystem::remove(job.output);
    const Outcome outcome = run(job.with(checkpoint),
                                {.signal = SIGKILL, .patience = milliseconds(50 + draw() % 1400)});
    if (outcome.code == 0) {  // it was faster than the signal
      EXPECT_EQ(bytes_of(job.output), whole);
      EXPECT_FALSE(std::filesystem::exists(checkpoint));
      continue;
    }
    ASSERT_EQ(outcome.code, 128 + SIGKILL) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_FALSE(std::filesystem::exists(job.output));
    ++kills;
    if (std::filesystem::exists(checkpoint)) ++found;
  }
  EXPECT_GE(found, 1) << "no run lived long enough to write a checkpoint";
  const Outcome last = run(job.with(checkpoint));
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(bytes_of(job.output), whole);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"r.npy", "x.npy"}));
}

TEST(Checkpoint, RunsThatAreKilledGoOnToTheSameBits) {
  const Folder folder;
  expect_to_survive(folder, long_bootstrap(folder), 5, 1);
}

/// A bootstrap of a file that is larger than the memory limit, for a few seconds.
Job streamed_bootstrap(const Folder& folder) {
  return {{"bootstrap", column(folder, 4'000'000), "--replicates", "4000", "--path", "stream",
           "--statistic", "mean,variance", "--seed", "7", "--threads", "1", "--output",
           folder.path("r.npy"), "--quiet", "--memory", "32M"},
          folder.path("r.npy")};
}

TEST(Checkpoint, RunsOverFilesLargerThanMemoryAreKilledAndGoOn) {
  const Folder folder;
  expect_to_survive(folder, streamed_bootstrap(folder), 4, 3);
}

TEST(Checkpoint, RunsOverFilesLargerThanMemoryStopWithALastCheckpoint) {
  const Folder folder;
  Job job = streamed_bootstrap(folder);
  ASSERT_EQ(run(job.words).code, 0);
  const std::string whole = bytes_of(job.output);
  std::erase(job.words, "--quiet");
  const std::string checkpoint = folder.path("run.checkpoint");
  Outcome stopped;
  for (int patience = 1000; patience < 20'000; patience *= 2) {  // a slow machine needs longer
    stopped = run(job.with(checkpoint), {.signal = SIGTERM, .patience = milliseconds(patience)});
    if (stopped.code != 143 || std::filesystem::exists(checkpoint)) break;
  }
  EXPECT_EQ(stopped.code, 143);
  EXPECT_THAT(stopped.err, HasSubstr(" of 4,000,000 rows of replicates 1 to 4,000 are in "));
  const Outcome ended = run(job.with(checkpoint));
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("the run goes on from there"));
  EXPECT_EQ(bytes_of(job.output), whole);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"r.npy", "x.npy"}));
}

TEST(SlowCheckpoint, FiftyKillsGoOnToTheSameBits) {
  const Folder folder;
  expect_to_survive(folder, long_bootstrap(folder), 50, 2);
}

class CheckpointSignal : public testing::TestWithParam<int> {};

TEST_P(CheckpointSignal, WritesALastCheckpointAndTheSameCommandGoesOn) {
  const Folder folder;
  const Job job = long_bootstrap(folder);
  ASSERT_EQ(run(job.words).code, 0);
  const std::string whole = bytes_of(job.output);
  std::filesystem::remove(job.output);
  const std::string checkpoint = folder.path("run.checkpoint");
  double seconds = 0;
  const Outcome stopped =
      run(job.with(checkpoint),
          {.signal = GetParam(), .patience = milliseconds(700), .seconds_after_signal = &seconds});
  EXPECT_EQ(stopped.code, 128 + GetParam());
  EXPECT_EQ(stopped.out, "");
  EXPECT_THAT(stopped.err,
              MatchesRegex("bootfold: interrupted; [0-9,]+ of 100,000 replicates are in .*"
                           "run.checkpoint; the same command goes on\n"));
  EXPECT_LT(seconds, 5);  // less than one on a machine that does nothing else
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_FALSE(std::filesystem::exists(job.output));
  std::vector<std::string> loud = job.with(checkpoint);
  std::erase(loud, "--quiet");
  const Outcome ended = run(loud);
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("of 100,000 replicates; the run goes on from there"));
  EXPECT_THAT(ended.out, HasSubstr("some of the replicates were made"));
  EXPECT_EQ(bytes_of(job.output), whole);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"r.npy", "x.npy"}));
}

INSTANTIATE_TEST_SUITE_P(By, CheckpointSignal, testing::Values(SIGINT, SIGTERM),
                         [](const auto& test) { return test.param == SIGINT ? "Key" : "Term"; });

// So many replicates that they cannot all be written in a second.
TEST(Checkpoint, ALargeOneIsWrittenInTime) {
  const Folder folder;
  const std::vector<std::string> words = {"bootstrap",     column(folder, 400),
                                          "--replicates",  "2e7",
                                          "--path",        "gather",
                                          "--threads",     "1",
                                          "--json",        "--checkpoint",
                                          folder.path("c")};
  double seconds = 0;
  const Outcome stopped = run(
      words, {.signal = SIGTERM, .patience = milliseconds(1500), .seconds_after_signal = &seconds});
  EXPECT_EQ(stopped.code, 143);
  EXPECT_LT(seconds, 5);  // less than one on a machine that does nothing else
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_THAT(stopped.err, HasSubstr(" of 20,000,000 replicates are in "));
  std::vector<std::string> fewer = words;
  fewer[3] = "1e5";
  const Outcome resumed = run(fewer);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"x.npy"}));
}

TEST(Checkpoint, RunsToAPrecisionGoOn) {
  const Folder folder;
  Job job{{"bootstrap", column(folder, 100'000), "--replicates", "auto", "--precision", "0.006",
           "--path", "stream", "--threads", "1", "--output", folder.path("r.npy"), "--quiet"},
          folder.path("r.npy")};
  ASSERT_EQ(run(job.words).code, 0);
  const std::string whole = bytes_of(job.output);
  for (const int patience : {600, 900})
    static_cast<void>(
        run(job.with(folder.path("c")), {.signal = SIGTERM, .patience = milliseconds(patience)}));
  EXPECT_EQ(run(job.with(folder.path("c"))).code, 0);
  EXPECT_EQ(bytes_of(job.output), whole);
}

TEST(Checkpoint, ComparisonsGoOn) {
  const Folder folder;
  std::string text = "value,group\n";
  for (int row = 0; row < 60'000; ++row)
    text += std::to_string(row * 7919 % 60'013) + "," + "abc"[row % 3] + "\n";
  const Job job{{"compare", folder.write("x.csv", text), "--value", "value", "--by", "group",
                 "--statistic", "variance", "--replicates", "100000", "--threads", "1", "--output",
                 folder.path("r.npy"), "--json"},
                folder.path("r.npy")};
  ASSERT_EQ(run(job.words).code, 0);
  const std::string whole = bytes_of(job.output);
  const Outcome stopped =
      run(job.with(folder.path("c")), {.signal = SIGTERM, .patience = milliseconds(600)});
  if (stopped.code != 0) {
    EXPECT_EQ(stopped.code, 143);
    EXPECT_THAT(stopped.err, HasSubstr("of 300,000 replicates are in"));
  }
  EXPECT_EQ(run(job.with(folder.path("c"))).code, 0);
  EXPECT_EQ(bytes_of(job.output), whole);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"r.npy", "x.csv"}));
}

TEST(Checkpoint, EnsemblesGoOn) {
  const Folder folder;
  const Job job{{"ensemble", "train", folder.write("x.csv", flowers(150)), "--target", "flower",
                 "--ignore", "id", "--members", "4000", "--hidden", "16", "--threads", "1",
                 "--output", folder.path("r.safetensors"), "--quiet"},
                folder.path("r.safetensors")};
  ASSERT_EQ(run(job.words).code, 0);
  const std::string whole = bytes_of(job.output);
  std::filesystem::remove(job.output);
  const Outcome stopped =
      run(job.with(folder.path("c")), {.signal = SIGTERM, .patience = milliseconds(300)});
  EXPECT_EQ(stopped.code, 143);
  EXPECT_THAT(stopped.err, HasSubstr("of 4,000 members are in"));
  EXPECT_EQ(run(job.with(folder.path("c"))).code, 0);
  EXPECT_EQ(bytes_of(job.output), whole);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"r.safetensors", "x.csv"}));
  std::vector<std::string> both = job.with(folder.path("c"));
  both.push_back("--keep-partial");
  EXPECT_THAT(run(both).err, HasSubstr("--checkpoint and --keep-partial do not go together"));
}

TEST(Checkpoint, AnotherRunIsRefusedInTheWordsOfTheCommandLine) {
  const Folder folder;
  Job job = long_bootstrap(folder);
  const std::string checkpoint = folder.path("c");
  ASSERT_EQ(run(job.with(checkpoint), {.signal = SIGTERM}).code, 143);
  std::vector<std::string> other = job.with(checkpoint);
  other.insert(other.end(), {"--seed", "8"});
  Outcome outcome = run(other);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("bootfold: --checkpoint is '"),
                                 HasSubstr("the seed was 7 and is 8")));
  other = job.with(checkpoint);
  other.insert(other.end(), {"--statistic", "median"});
  EXPECT_THAT(run(other).err, HasSubstr("the list of statistics was mean"));
  column(folder, 200'001);
  EXPECT_THAT(run(job.with(checkpoint)).err,
              HasSubstr("the number of rows was 200,000 and is 200,001"));
  for (const char* path : {"x.npy", "r.npy"}) {
    outcome = run(job.with(folder.path(path)));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("choose another name"));
  }
  outcome = run({"bootstrap", folder.path("x.npy"), "--replicates", "exact", "--checkpoint", "c"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("omit --checkpoint"));
}

TEST(Checkpoint, ADamagedOneIsReplacedByThePrevious) {
  const Folder folder;
  const Job job = long_bootstrap(folder);
  ASSERT_EQ(run(job.words).code, 0);
  const std::string whole = bytes_of(job.output);
  const std::string checkpoint = folder.path("c");
  for (const int patience : {400, 500})
    ASSERT_EQ(
        run(job.with(checkpoint), {.signal = SIGTERM, .patience = milliseconds(patience)}).code,
        143);
  ASSERT_TRUE(std::filesystem::exists(checkpoint + ".previous"));
  std::string bytes = bytes_of(checkpoint);
  bytes[bytes.size() / 2] ^= 1;
  folder.write("c", bytes);
  const Outcome outcome = run(job.with(checkpoint));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("its checksum is wrong, so it is damaged"),
                                 HasSubstr("c.previous is used instead")));
  EXPECT_EQ(bytes_of(job.output), whole);
}

// A limit on the size of files stands for a disk that is full.
TEST(FullDisk, KeepsEarlierFilesAndSaysWhatFailed) {
  const Folder folder;
  const std::string data = column(folder, 1000);
  const std::string run_file = folder.path("run.safetensors");
  const std::string array = folder.path("r.npy");
  const std::vector<std::string> words = {
      "bootstrap", data, "--save", run_file, "--output", array, "--replicates", "1000", "--quiet"};
  ASSERT_EQ(run(words).code, 0);
  const std::string saved = bytes_of(run_file);
  const std::string written = bytes_of(array);
  std::vector<std::string> more = words;
  more.insert(more.end(), {"--replicates", "50000"});
  Outcome outcome = run(more, {.file_limit = 100'000});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "bootfold: cannot write " + array + ": File too large\n");
  EXPECT_EQ(bytes_of(array), written);
  EXPECT_EQ(bytes_of(run_file), saved);
  outcome = run({"extend", run_file, "--replicates", "50000"}, {.file_limit = 100'000});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "bootfold: cannot write " + run_file + ": File too large\n");
  EXPECT_EQ(bytes_of(run_file), saved);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"r.npy", "run.safetensors", "x.npy"}));
}

TEST(FullDisk, ACheckpointThatCannotBeWrittenDoesNotStopTheRun) {
  const Folder folder;
  const Job job = long_bootstrap(folder);
  std::vector<std::string> words = job.with(folder.path("c"));
  std::erase(words, "--output");
  std::erase(words, job.output);
  Outcome outcome = run(words, {.file_limit = 3000});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err,
              MatchesRegex("bootfold: cannot write .*/c: File too large; the run continues without "
                           "it, and nothing is stored yet\n"));
  outcome = run(words, {.signal = SIGTERM, .patience = milliseconds(800), .file_limit = 3000});
  EXPECT_EQ(outcome.code, 143);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted; nothing is stored: cannot write"));
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"x.npy"}));
}

TEST(InputThatChanges, EndsTheRunWithOneMessage) {
  const Folder folder;
  const std::string data = column(folder, 200'000);
  const Job job = {{"bootstrap", data, "--replicates", "100000", "--path", "stream", "--threads",
                    "1", "--quiet"},
                   ""};
  for (const bool checkpoint : {false, true}) {
    const Outcome outcome = run(checkpoint ? job.with(folder.path("c")) : job.words,
                                {.patience = milliseconds(300), .meanwhile = [&] {
                                   std::fstream file(data, std::ios::in | std::ios::out);
                                   file.seekp(800'000);
                                   file.write("\0\0\0\0\0\0\0\0", 8);
                                 }});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("x.npy changed while it was read: it was written to; run it "
                                       "again on a file that nobody writes to\n"));
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"x.npy"}));
  }
}

TEST(InputThatChanges, AFileThatBecomesShorterEndsTheRunWithOneMessage) {
  for (const std::size_t size : {std::size_t{1'000'000}, 128 + 8 * std::size_t{200'000} - 8}) {
    const Folder folder;
    const std::string data = column(folder, 200'000);
    const Outcome outcome = run({"bootstrap", data, "--replicates", "100000", "--path", "stream",
                                 "--threads", "1", "--quiet"},
                                {.patience = milliseconds(300),
                                 .meanwhile = [&] { std::filesystem::resize_file(data, size); }});
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, testing::AnyOf(HasSubstr("became shorter while it was read"),
                                            HasSubstr("changed while it was read: it had")));
  }
}

}  // namespace checkpoint_test
}  // namespace bootfold::cli
