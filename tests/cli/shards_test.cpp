// look, plan, part and merge: the bits of one run over all files, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bootfold/bootstrap.h"
#include "program.h"

namespace bootfold::cli {
namespace shards_test {

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// What one line on standard error says.
testing::AssertionResult refused(const Outcome& outcome, const Words& parts) {
  if (outcome.code != 2)
    return testing::AssertionFailure() << "exit code " << outcome.code << ", " << outcome.err;
  for (const std::string& part : parts)
    if (outcome.err.find(part) == std::string::npos)
      return testing::AssertionFailure() << "no '" << part << "' in: " << outcome.err;
  return testing::AssertionSuccess();
}

/// Rows begin .. end - 1: all different, with a heavy tail.
std::vector<std::pair<double, double>> rows(std::uint64_t begin, std::uint64_t end) {
  std::vector<std::pair<double, double>> found;
  for (std::uint64_t i = begin; i < end; ++i) {
    const double x = 1000.0 / static_cast<double>(1 + i * 7919 % 10007);
    found.emplace_back(x, static_cast<double>(i * 104729 % 20011) / 8 + x);
  }
  return found;
}

/// Columns x and y, a stratum of seven and a cluster of eleven rows.
std::string csv(std::uint64_t begin, std::uint64_t end) {
  std::string text = "x,y,region,school\n";
  std::uint64_t i = begin;
  for (const auto& [x, y] : rows(begin, end)) {
    char line[120];
    std::snprintf(line, sizeof line, "%.17g,%.17g,r%d,%d\n", x, y, static_cast<int>(i % 7),
                  static_cast<int>(i / 11));
    text += line;
    ++i;
  }
  return text;
}

/// Column x as an .npy file.
std::string npy(std::uint64_t begin, std::uint64_t end) {
  std::string header =
      "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(end - begin) + ",), }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes =
      std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header;
  for (const auto& row : rows(begin, end))
    bytes.append(reinterpret_cast<const char*>(&row.first), sizeof row.first);
  return bytes;
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void expect_same(const std::string& found, const std::string& wanted, bool labelled) {
  const Result a = Result::load(found);
  const Result b = Result::load(wanted);
  if (!labelled) {
    EXPECT_EQ(a.fingerprint(), b.fingerprint());
  }
  ASSERT_EQ(a.outputs(), b.outputs());
  for (std::size_t k = 0; k < a.outputs(); ++k) EXPECT_EQ(a.estimate(k), b.estimate(k));
  EXPECT_TRUE(std::ranges::equal(a.replicates(), b.replicates()));
}

constexpr std::uint64_t kRows = 9000;

/// Shards of `kRows` rows, one of them empty, and the same rows in one file.
class Shards : public testing::Test {
 protected:
  Shards() {
    all_ = folder_.write("all.csv", csv(0, kRows));
    shards_ = {folder_.write("a.csv", csv(0, 5001)), folder_.write("b.csv", csv(5001, 5001)),
               folder_.write("c.csv", csv(5001, kRows))};
  }

  /// Steps 1 and 2, which must succeed. Looks are a.csv.look, ..., the plan is p.plan.
  void look_and_plan(const Words& looking, const Words& planning) {
    Words looks;
    for (const std::string& shard : shards_) {
      looks.push_back(shard + ".look");
      const Outcome looked = run(Words{"look", shard, "--output", looks.back()} + looking);
      ASSERT_EQ(looked.code, 0) << looked.err;
      EXPECT_EQ(looked.out, "");
    }
    const Outcome planned = run(Words{"plan", "--output", plan(), "--quiet"} + looks + planning);
    ASSERT_EQ(planned.code, 0) << planned.err;
    EXPECT_EQ(planned.err, "");
  }
  /// A part of a shard, which must succeed.
  std::string part(const std::string& name, const Words& words) {
    const std::string file = folder_.path(name);
    const Outcome made = run(Words{"part", plan(), "--quiet", "--output", file} + words);
    EXPECT_EQ(made.code, 0) << made.err;
    return file;
  }
  Words all_parts() {
    Words parts;
    for (std::size_t i = 0; i < shards_.size(); ++i)
      parts.push_back(part(std::to_string(i) + ".part", {shards_[i]}));
    return parts;
  }
  [[nodiscard]] std::string plan() const { return folder_.path("p.plan"); }
  Outcome merge(const Words& parts) {
    return run(Words{"merge", plan(), "--output", folder_.path("merged.safetensors"), "--quiet"} +
               parts);
  }
  /// One run over all rows, and that a merge of these parts is the same.
  void expect_whole(const Words& parts, const Words& words) {
    const Outcome merged = merge(parts);
    ASSERT_EQ(merged.code, 0) << merged.err;
    const std::string saved = folder_.path("whole.safetensors");
    const Outcome whole = run(Words{"bootstrap", all_, "--quiet", "--save", saved} + words);
    ASSERT_EQ(whole.code, 0) << whole.err;
    const bool labelled = std::ranges::any_of(
        words, [](const std::string& word) { return word == "--strata" || word == "--cluster"; });
    expect_same(folder_.path("merged.safetensors"), saved, labelled);
    EXPECT_EQ(merged.out, whole.out);
  }

  Folder folder_;
  std::string all_;
  Words shards_;
};

TEST_F(Shards, GiveTheBitsOfOneRun) {
  const Words how = {"--replicates", "300", "--seed", "7"};
  for (const Words& what : std::vector<Words>{{"--column", "x"},
                                              {"--column", "x,y", "--statistic", "correlation"},
                                              {"--column", "y", "--statistic", "median"}}) {
    SCOPED_TRACE(what.back());
    look_and_plan(what, how);
    expect_whole(all_parts(), what + how);
  }
}

// The look tells which columns a name is of: those of --column, not those of the expression.
TEST_F(Shards, OfANameBesideAnExpressionGiveTheBitsOfOneRun) {
  const Words how = {"--replicates", "300", "--seed", "7"};
  const Words what = {"--column", "x", "--statistic", "mean,mean(y),quantile:0.9"};
  look_and_plan(what, how);
  expect_whole(all_parts(), what + how);
  for (std::size_t i = 0; i < shards_.size(); ++i)  // of so few rows that looks keep them
    folder_.write(std::string(1, static_cast<char>('a' + i)) + ".csv",
                  csv(1000 * i, 1000 * i + 1000));
  all_ = folder_.write("all.csv", csv(0, 3000));
  look_and_plan(what, how);
  expect_whole({}, what + how);
}

TEST_F(Shards, GiveTheBitsOfOneRunUnderPoissonAndWithLaterReplicates) {
  look_and_plan({"--column", "x"},
                {"--replicates", "100", "--first-replicate", "50", "--scheme", "poisson"});
  expect_whole(all_parts(), {"--column", "x", "--replicates", "100", "--first-replicate", "50",
                             "--scheme", "poisson"});
}

TEST_F(Shards, WithStrataAndClustersGiveTheBitsOfOneRun) {
  const Words how = {"--replicates", "150", "--seed", "7"};
  for (const Words& what : std::vector<Words>{
           {"--column", "x", "--strata", "region"},
           {"--column", "x,y", "--statistic", "correlation", "--strata", "region"},
           {"--column", "x", "--cluster", "school"},
           {"--column", "x", "--cluster", "school,region"},
           {"--column", "x", "--cluster", "school", "--where", "y > 100", "--statistic",
            "variance"},
       }) {
    SCOPED_TRACE(what.back());
    look_and_plan(what, how);
    expect_whole(all_parts(), what + how);
  }
  shards_ = {folder_.write("a.csv", csv(0, 30)), folder_.write("b.csv", csv(30, 30)),
             folder_.write("c.csv", csv(30, 100))};
  all_ = folder_.write("all.csv", csv(0, 100));
  const Words few = {"--column", "x", "--strata", "region"};
  look_and_plan(few, how);
  expect_whole(all_parts(), few + how);
}

TEST_F(Shards, WithLabelsAreLookedAtInTheSameWay) {
  const auto look = [&](const std::string& shard, const Words& words) {
    EXPECT_EQ(run(Words{"look", shard, "--output", shard + ".look", "--column", "x"} + words).code,
              0);
    return shard + ".look";
  };
  const std::string a = look(shards_[0], {"--strata", "region"});
  std::string c = look(shards_[2], {});
  EXPECT_TRUE(refused(run({"plan", a, c}), {"--strata or --cluster: 'region' and ''"}));
  c = look(shards_[2], {"--strata", "school"});
  EXPECT_TRUE(refused(run({"plan", a, c}), {"'region' and 'school'"}));
  c = look(shards_[2], {"--cluster", "region"});
  EXPECT_TRUE(refused(run({"plan", a, c}), {"strata or clusters"}));
  EXPECT_TRUE(
      refused(run({"look", all_, "--column", "x", "--strata", "region", "--cluster", "school"}),
              {"--strata and --cluster are both given"}));
  EXPECT_TRUE(refused(run({"look", all_, "--column", "x", "--strata", "colour"}), {"'colour'"}));
}

TEST_F(Shards, OfNpyFilesGiveTheBitsOfOneRun) {
  all_ = folder_.write("all.npy", npy(0, kRows));
  shards_ = {folder_.write("a.npy", npy(0, 17)), folder_.write("b.npy", npy(17, 17)),
             folder_.write("c.npy", npy(17, kRows))};
  look_and_plan({}, {"--replicates", "200"});
  expect_whole(all_parts(), {"--replicates", "200"});
}

TEST_F(Shards, MaySplitReplicatesAndRunAtTheSameTime) {
  look_and_plan({"--column", "x"}, {"--replicates", "200"});
  Words parts = {part("later", {shards_[0], "--replicate-range", "120:200"}), "",
                 part("b", {shards_[1]}), ""};
  std::thread other([&] { parts[1] = part("c", {shards_[2], "--threads", "1"}); });
  parts[3] = part("early", {shards_[0], "--replicate-range", "0:120", "--threads", "1"});
  other.join();
  expect_whole(parts, {"--column", "x", "--replicates", "200"});
}

TEST_F(Shards, AreReadAsTheyWereLookedAt) {
  all_ = folder_.write("all.csv", "x;g\n" + std::string("1,5;a\n-;a\n2,5;b\n4;a\n"));
  shards_ = {folder_.write("a.csv", "x;g\n1,5;a\n-;a\n"), folder_.write("b.csv", "x;g\n"),
             folder_.write("c.csv", "x;g\n2,5;b\n4;a\n")};
  const Words reading = {"--column",  "x", "--delimiter", ";",    "--decimal", "comma",
                         "--missing", "-", "--nan",       "omit", "--where",   "g == 'a'"};
  look_and_plan(reading, {"--replicates", "100"});
  expect_whole(all_parts(), reading + Words{"--replicates", "100"});
}

TEST_F(Shards, MayBeSeveralFilesOrHaveAnotherName) {
  look_and_plan({"--column", "x"}, {"--replicates", "100"});
  const std::string copy = folder_.write("copy.csv", csv(5001, kRows));
  expect_whole({part("a", {shards_[0]}), part("c", {copy, "--first", "5001"})},
               {"--column", "x", "--replicates", "100"});
  const std::string look = folder_.path("all.look");
  ASSERT_EQ(run(Words{"look", "--column", "x", "--output", look} + shards_).code, 0);
  ASSERT_EQ(run({"plan", look, "--output", plan(), "--replicates", "100", "--quiet"}).code, 0);
  expect_whole({part("all", shards_)}, {"--column", "x", "--replicates", "100"});
}

// What cannot be added up is told as early as it is known.
TEST_F(Shards, StatisticsThatNeedAllRowsAreRefusedByTheLook) {
  for (const std::string statistic :
       {"gini(x)", "median(x) / mean(y)", "spearman(x, y)", "trimmed_mean(x, 0.1)"}) {
    EXPECT_TRUE(
        refused(run({"look", all_, "--statistic", statistic, "--output", folder_.path("l")}),
                {"statistic '" + statistic + "' needs all rows in one place",
                 "unless there are at most 4,096 in all shards"}));
    const std::string few = folder_.write("few.csv", csv(0, 3000));
    const Outcome looked =
        run({"look", few, "--statistic", statistic, "--output", folder_.path("few.look")});
    EXPECT_EQ(looked.code, 0);
    EXPECT_NE(looked.err.find("only if there are at most 4,096 rows in all shards"),
              std::string::npos);
    const Outcome planned = run({"plan", folder_.path("few.look"), folder_.path("few.look"),
                                 "--output", plan(), "--quiet"});
    EXPECT_TRUE(refused(planned, {"needs all rows in one place"}));
  }
}

TEST_F(Shards, OfFewRowsNeedNoParts) {
  all_ = folder_.write("all.csv", csv(0, 50));
  shards_ = {folder_.write("a.csv", csv(0, 20)), folder_.write("b.csv", csv(20, 50))};
  const Words what = {"--column", "x", "--statistic", "trimmed_mean:0.1"};
  look_and_plan(what, {"--replicates", "100"});
  expect_whole({}, what + Words{"--replicates", "100"});
  const Outcome told =
      run({"plan", shards_[0] + ".look", shards_[1] + ".look", "--output", plan()});
  EXPECT_NE(told.err.find("none needed"), std::string::npos) << told.err;
}

TEST_F(Shards, StandardOutputHasTheFiles) {
  const std::string look = folder_.path("a.look");
  const Outcome looked = run({"look", all_, "--column", "x"});
  ASSERT_EQ(looked.code, 0) << looked.err;
  ASSERT_EQ(run({"look", all_, "--column", "x", "--output", look}).code, 0);
  EXPECT_EQ(looked.out, contents_of(look));
}

TEST_F(Shards, ThatAreMissingOrTwiceAreNamed) {
  look_and_plan({"--column", "x"}, {"--replicates", "20"});
  const Words parts = all_parts();
  EXPECT_TRUE(refused(merge({parts[0]}), {"lack rows 5,002 to 9,000", "replicates 1 to 20"}));
  EXPECT_TRUE(refused(merge({}), {"lack rows 1 to 9,000"}));
  EXPECT_TRUE(refused(merge(parts + Words{parts[2]}), {parts[2] + ": ", "overlap"}));
  const std::string moved = part("moved", {shards_[0], "--first", "100"});
  EXPECT_TRUE(refused(merge({parts[2], moved}), {moved, "rows 101 to 5,101", "overlap"}));
  const std::string early = part("early", {shards_[0], "--replicate-range", "0:5"});
  EXPECT_TRUE(refused(merge({early, parts[2]}), {"lack rows 1 to 5,001 in replicates 6 to 20"}));
}

TEST_F(Shards, OfAnotherPlanAreRefused) {
  look_and_plan({"--column", "x"}, {"--replicates", "20"});
  const Words parts = all_parts();
  look_and_plan({"--column", "x"}, {"--replicates", "20", "--seed", "1"});
  EXPECT_TRUE(refused(merge(parts), {parts[0], "fingerprint", "one plan"}));
  // The same replicates, but what belongs to the first ones of this plan is not there.
  look_and_plan({"--column", "x"}, {"--replicates", "20"});
  const Words later = {part("a", {shards_[0], "--replicate-range", "10:20"}),
                       part("c", {shards_[2], "--replicate-range", "10:20"})};
  look_and_plan({"--column", "x"}, {"--replicates", "10", "--first-replicate", "10"});
  EXPECT_TRUE(refused(merge(later), {"has not the sums that the plan needs"}));
}

TEST_F(Shards, LookedAtDifferentlyAreRefused) {
  const auto planned = [&](const Words& one, const Words& other) {
    const std::string a = folder_.path("a.look");
    const std::string c = folder_.path("c.look");
    EXPECT_EQ(run(Words{"look", shards_[0], "--output", a} + one).code, 0);
    EXPECT_EQ(run(Words{"look", shards_[2], "--output", c} + other).code, 0);
    return run({"plan", a, c, "--output", plan()});
  };
  const Words x = {"--column", "x"};
  EXPECT_TRUE(refused(planned(x, x + Words{"--statistic", "median"}),
                      {"a.look and ",
                       "c.look were made with a different --statistic: 'mean' and "
                       "'median'"}));
  EXPECT_TRUE(refused(planned(x, {"--column", "y"}), {"a different --column: 'x' and 'y'"}));
  EXPECT_TRUE(
      refused(planned(x, x + Words{"--nan", "omit"}), {"a different --nan: 'error' and 'omit'"}));
  EXPECT_TRUE(refused(planned(x, x + Words{"--header", "yes"}), {"a different --header: '' and"}));
  EXPECT_TRUE(refused(planned(x + Words{"--where", "x > 0"}, x), {"--where: 'x > 0' and ''"}));
}

TEST_F(Shards, DamagedOrOfAnotherKindAreRefused) {
  look_and_plan({"--column", "x"}, {"--replicates", "20"});
  const Words parts = all_parts();
  std::string bytes = contents_of(parts[0]);
  bytes[bytes.size() / 2] ^= 1;
  const std::string flipped = folder_.write("flipped", bytes);
  EXPECT_TRUE(refused(merge({flipped}), {flipped + ": its checksum is wrong", "make it again"}));
  const std::string cut = folder_.write("cut", bytes.substr(0, bytes.size() / 2));
  EXPECT_TRUE(refused(merge({cut}), {cut + ": it is cut off"}));
  EXPECT_TRUE(refused(merge({plan()}), {"it is a plan but a part is expected"}));
  EXPECT_TRUE(refused(merge({all_}), {"all.csv: it is not a part; bootfold part makes one"}));
  EXPECT_TRUE(refused(run({"part", parts[0], all_}), {"it is a part but a plan is expected"}));
  EXPECT_TRUE(refused(run({"plan", plan()}), {"it is a plan but a look is expected"}));
  EXPECT_TRUE(refused(run({"merge", folder_.path("none")}), {"none: No such file"}));
}

TEST_F(Shards, MistakesOfPartsNameTheRemedy) {
  look_and_plan({"--column", "x"}, {"--replicates", "20"});
  EXPECT_TRUE(refused(run({"part", plan(), all_}),
                      {"all.csv is not a shard of the plan, which has ", "a.csv", "--first"}));
  EXPECT_TRUE(refused(run({"part", plan(), all_, "--first", "1"}),
                      {"rows 2 to 9,001 but the plan has 9,000 rows"}));
  EXPECT_TRUE(refused(run({"part", plan(), all_, "--first", "-1"}), {"--first"}));
  const auto range = [&](const std::string& text) {
    return run({"part", plan(), shards_[0], "--replicate-range", text});
  };
  EXPECT_TRUE(refused(range("5"), {"--replicate-range is '5'", "A:B"}));
  EXPECT_TRUE(refused(range("5:5"), {"5 to 5", "not be empty"}));
  EXPECT_TRUE(refused(range("0:21"), {"must lie in 0 to 20"}));
  EXPECT_TRUE(refused(run({"part"}), {"no PLAN given"}));
  EXPECT_TRUE(refused(run({"part", plan()}), {"no FILE given"}));
  EXPECT_TRUE(refused(run({"part", plan(), shards_[0], "--output", plan()}), {"choose another"}));
  EXPECT_NE(contents_of(plan()), "");
}

TEST_F(Shards, MistakesOfOtherStepsNameTheRemedy) {
  look_and_plan({"--column", "x"}, {"--replicates", "20"});
  EXPECT_TRUE(refused(run({"look", all_, "--column", "x", "--output", all_}), {"choose another"}));
  EXPECT_EQ(contents_of(all_), csv(0, kRows));
  EXPECT_TRUE(refused(run({"plan"}), {"no FILE given", "in the order of their rows"}));
  EXPECT_TRUE(refused(run({"merge"}), {"no PLAN given"}));
  EXPECT_TRUE(refused(run({"plan", shards_[1] + ".look"}), {"all shards are empty"}));
  EXPECT_TRUE(refused(run({"plan", shards_[0] + ".look", "--scheme", "moving"}), {"--scheme"}));
  EXPECT_TRUE(refused(run({"plan", shards_[0] + ".look", "--scheme", "poisson", "--size", "5"}),
                      {"--size is for --scheme iid"}));
  EXPECT_TRUE(refused(run({"merge", plan(), "--interval", "bca"}),
                      {"--interval is 'bca'", "normal, basic and percentile"}));
  EXPECT_TRUE(refused(run({"merge", plan(), "--output", "x.npy"}), {".safetensors"}));
}

TEST_F(Shards, OfOneFileNameTheRowInIt) {
  const std::string text = folder_.write("n.csv", "x,y\n1,2\n3,NA\n");
  const Outcome looked = run({"look", text, "--column", "y"});
  EXPECT_TRUE(refused(looked, {"n.csv:3:2: missing value (column 'y'); --nan omit"}));
  const std::string infinite = folder_.write("n.csv", "x,y\n1,2\n3,inf\n");
  EXPECT_TRUE(refused(run({"look", infinite, "--column", "y"}), {"is infinite (column 'y');"}));
  std::string bytes = npy(0, 3);
  const double nan = std::nan("");
  bytes.replace(bytes.size() - 8, 8, reinterpret_cast<const char*>(&nan), 8);
  const std::string array = folder_.write("n.npy", bytes);
  EXPECT_TRUE(refused(run({"look", array}), {"n.npy: row 3, column 1 (counted from 1) is NaN"}));
  const std::string whole = folder_.write("w.npy", npy(0, 3));
  EXPECT_TRUE(refused(run({"look", whole, array}), {"n.npy: row 3, row 6 of all files, column"}));
}

TEST_F(Shards, HaveAllIntervalsThatNeedOnlyReplicates) {
  look_and_plan({"--column", "x"}, {"--replicates", "200"});
  const Outcome merged = run(Words{"merge", plan(), "--interval", "all", "--json"} + all_parts());
  ASSERT_EQ(merged.code, 0) << merged.err;
  for (const char* method : {"percentile", "normal", "basic"})
    EXPECT_NE(merged.out.find(method), std::string::npos) << merged.out;
}

// Rows that were left out are counted when the shards are looked at.
TEST(ShardsWithGaps, CountTheRowsThatWereLeftOut) {
  const Folder folder;
  const std::string first = folder.write("a.csv", "x\n1\n\n3\nNA\n5\n8\n");
  const std::string second = folder.write("b.csv", "x\n2\nNA\n7\n1\n9\n");
  const Words words = {"--column", "x", "--nan", "omit", "--where", "x != 8 or missing(x)"};
  Words looks;
  for (const std::string& shard : {first, second}) {
    looks.push_back(shard + ".look");
    ASSERT_EQ(run(Words{"look", shard, "--output", looks.back()} + words).code, 0);
  }
  const std::string plan = folder.path("p.plan");
  const Words planning = {"--replicates", "20", "--quiet", "--output", plan};
  ASSERT_EQ(run(Words{"plan"} + looks + planning).code, 0);
  Words parts;
  for (const std::string& shard : {first, second}) {
    parts.push_back(shard + ".part");
    ASSERT_EQ(run({"part", plan, shard, "--quiet", "--output", parts.back()}).code, 0);
  }
  const auto counts_of = [](const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto at = outcome.out.find("\"omitted_rows\"");
    return outcome.out.substr(at, outcome.out.find("\"replicates\"") - at);
  };
  const std::string saved = folder.path("run.safetensors");
  const std::string merged =
      counts_of(run(Words{"merge", plan, "--json", "--output", saved} + parts));
  EXPECT_EQ(merged, counts_of(run(Words{"bootstrap", first, second, "--json"} + words)));
  EXPECT_EQ(merged, "\"omitted_rows\":3,\"filtered_rows\":1,");
  // A saved run does not know.
  EXPECT_EQ(run({"interval", saved, "--json"}).out.find("omitted_rows"), std::string::npos);
}

TEST(ShardsWithGaps, HelpTellsOfExpressions) {
  const std::string help = run({"look", "--help"}).out;
  EXPECT_NE(help.find("expressions such as log(price)"), std::string::npos) << help;
  EXPECT_NE(help.find("expressions:"), std::string::npos) << help;
}

}  // namespace shards_test
}  // namespace bootfold::cli
