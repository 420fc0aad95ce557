// Files of looks, plans and parts whose frame is right and whose contents are not: they are refused
// with an error of ours, or give some result, but never do harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "data/archive.h"
#include "shards/contents.h"
#include "statistic/reference.h"

namespace bootfold {
namespace forged_test {

using testing::HasSubstr;

constexpr std::size_t kRows = 5000;  // too many to be kept

std::vector<double> ramp() {
  std::vector<double> values;
  for (std::size_t i = 0; i < kRows; ++i)
    values.push_back(static_cast<double>(i * 7919 % kRows) / 8 + 1);
  return values;
}

/// What a file holds, changed and put into a frame again.
std::string with(std::string_view kind, const std::string& file,
                 const std::function<void(std::string&)>& change) {
  std::string contents(data::unframed(kind, file));
  change(contents);
  return data::framed(kind, std::move(contents));
}

shards::Part::Contents contents_of(const shards::Part& part) {
  const std::string bytes = part.to_bytes();
  data::ArchiveReader reader(data::unframed("part", bytes));
  shards::Part::Contents contents;
  reader(contents);
  return contents;
}

shards::Part part_of(shards::Part::Contents contents) {
  data::ArchiveWriter writer;
  writer(contents);
  return shards::Part::from_bytes(data::framed("part", writer.take()));
}

shards::Look look_of(shards::Look::Contents contents) {
  data::ArchiveWriter writer;
  writer(contents);
  return shards::Look::from_bytes(data::framed("look", writer.take()));
}

/// Changes every byte of the contents in turn. `use` may throw what our functions throw.
void for_every_byte(std::string_view kind, const std::string& file,
                    const std::function<void(const std::string&)>& use) {
  constexpr unsigned kChanges[] = {0x01U, 0x80U, 0xFFU};
  const std::size_t size = data::unframed(kind, file).size();
  for (std::size_t at = 0; at < size; ++at) {
    const std::string changed = with(kind, file, [&](std::string& contents) {
      contents[at] = static_cast<char>(static_cast<unsigned char>(contents[at]) ^ kChanges[at % 3]);
    });
    try {
      use(changed);
    } catch (const DataError&) {
    } catch (const InvalidArgument&) {
    } catch (const std::exception& error) {
      FAIL() << kind << ", byte " << at << ": " << error.what();
    }
  }
}

const std::vector<Statistic>& mean() {
  static const std::vector<Statistic> statistics = {statistic::mean()};
  return statistics;
}
const std::vector<Statistic>& quantiles() {
  static const std::vector<Statistic> statistics = {statistic::median(), statistic::quantile(0.9)};
  return statistics;
}

const Options kFew{.replicates = 4, .execution = {.threads = 1}};

TEST(ForgedLooks, ThatDoNotAddUpAreRefused) {
  const std::vector<double> values(kRows, 2.0);
  for (const auto& statistics : {mean(), quantiles()}) {
    const std::string file = shards::look(DataView(values), statistics).to_bytes();
    const std::uint64_t rows = kRows;
    const std::uint64_t more = kRows + 1;
    std::string number(reinterpret_cast<const char*>(&rows), sizeof rows);
    std::size_t places = 0;
    for (std::size_t at = file.find(number); at != std::string::npos;
         at = file.find(number, at + 1), ++places) {
      const std::size_t begin = file.size() - sizeof rows - data::unframed("look", file).size();
      const std::string changed = with("look", file, [&](std::string& contents) {
        std::memcpy(contents.data() + at - begin, &more, sizeof more);
      });
      EXPECT_THROW(static_cast<void>(shards::Look::from_bytes(changed)), DataError) << at;
    }
    EXPECT_GE(places, 4);  // rows seen, values above 0, the sample, distinct rows or histogram
  }
}

TEST(ForgedLooks, AtOtherFeaturesAreRefused) {
  const std::vector<double> values = ramp();
  const DataView two({ColumnView(values), ColumnView(values)});
  const std::vector<std::vector<Statistic>> kinds = {
      {statistic::difference()}, {statistic::correlation()}, {statistic::ratio()}};
  for (const auto& from : kinds)  // some have features in common
    for (const auto& to : kinds) {
      shards::Look::Contents contents = shards::look(two, from).contents();
      contents.statistics = shards::look(two, to).contents().statistics;
      try {
        const shards::Plan plan(look_of(std::move(contents)), to, kFew);
        static_cast<void>(plan.part(two, 0));
      } catch (const InvalidArgument&) {
      } catch (const DataError&) {
      }
    }
  shards::Look::Contents contents = shards::look(DataView(values), quantiles()).contents();
  contents.statistics = {"mean"};
  EXPECT_THAT(reference::message_of<InvalidArgument>(
                  [&] { static_cast<void>(shards::Plan(look_of(contents), mean(), kFew)); }),
              HasSubstr("only looks for the same statistics"));
}

TEST(ForgedLooks, KeepTheRowsThatTheySaw) {
  const std::vector<double> values = {1, 2, 3, 4};
  const shards::Look look = shards::look(DataView(values), mean());
  const std::vector<std::function<void(shards::KeptRows&)>> changes = {
      [](auto& kept) { kept.pieces.clear(); },
      [](auto& kept) { kept.pieces[0].first = 1; },
      [](auto& kept) { kept.pieces[0].columns[0].pop_back(); },
      [](auto& kept) { kept.pieces[0].columns.clear(); },
      [](auto& kept) { kept.pieces.push_back(kept.pieces[0]); },
  };
  for (const auto& change : changes) {
    shards::Look::Contents contents = look.contents();
    change(*contents.kept);
    EXPECT_THROW(static_cast<void>(look_of(contents)), DataError);
  }
}

TEST(ForgedLooks, CannotBeShiftedPastTheLastRow) {
  const std::vector<double> values = {1, 2, 3, 4};
  shards::Look look = shards::look(DataView(values), mean());
  EXPECT_THROW(look.shift(~std::uint64_t{0} - 3), InvalidArgument);
  EXPECT_EQ(look, shards::look(DataView(values), mean()));
  EXPECT_THROW(
      static_cast<void>(shards::look(DataView(values), mean(), {.first = ~std::uint64_t{0} - 1})),
      InvalidArgument);
}

TEST(ForgedFiles, MayHaveAnyByteWrong) {
  std::vector<double> few;
  for (std::size_t i = 0; i < kRows; ++i) few.push_back(static_cast<double>(i % 5));
  for (const auto& statistics : {mean(), quantiles()}) {
    const shards::Plan plan(shards::look(DataView(few), statistics), statistics, kFew);
    for_every_byte("look", shards::look(DataView(few), statistics).to_bytes(),
                   [&](const std::string& file) {
                     const shards::Look look = shards::Look::from_bytes(file);
                     static_cast<void>(shards::Plan(look, statistics, kFew).finish());
                   });
    for_every_byte("plan", plan.to_bytes(), [&](const std::string& file) {
      static_cast<void>(shards::Plan::words_of(file));
      const shards::Plan read = shards::Plan::from_bytes(file, statistics);
      if (read.plan().replicates <= 16) static_cast<void>(read.finish());
    });
  }
  const std::vector<double> values = ramp();
  for (const auto& statistics : {mean(), quantiles()}) {
    const shards::Plan plan(shards::look(DataView(values), statistics), statistics, kFew);
    const shards::Part good = plan.part(DataView(values), 0);
    for_every_byte("part", good.to_bytes(), [&](const std::string& file) {
      const shards::Part part = shards::Part::from_bytes(file);
      static_cast<void>(part.describe());
      static_cast<void>(plan.finish(part));
    });
  }
}

// Statistics of different kinds are one level: files that nest them deeper, which once took a frame
// of the stack for each level, are refused.
TEST(ForgedFiles, CannotNestKinds) {
  constexpr std::size_t kLevels = 400'000;
  std::string part;
  for (std::size_t level = 0; level < kLevels; ++level)
    for (const std::uint64_t number : {std::uint64_t{7}, std::uint64_t{0}, std::uint64_t{1}})
      part.append(reinterpret_cast<const char*>(&number), sizeof number);
  EXPECT_THROW(static_cast<void>(shards::Part::from_bytes(data::framed("part", part))), DataError);
  const std::vector<double> values = {1, 2, 3, 4};
  std::string look(data::unframed("look", shards::look(DataView(values), mean()).to_bytes()));
  look.resize(look.size() - sizeof(std::uint64_t));  // the number of kinds
  std::string looks;
  for (std::size_t level = 0; level < kLevels / 100; ++level) {
    looks += look;
    const std::uint64_t one = 1;
    looks.append(reinterpret_cast<const char*>(&one), sizeof one);
  }
  EXPECT_THROW(static_cast<void>(shards::Look::from_bytes(data::framed("look", looks))), DataError);
}

class ForgedParts : public testing::Test {
 protected:
  ForgedParts()
      : values_(ramp()),
        view_(values_),
        plan_(shards::look(view_, mean()), mean(), kFew),
        quantiles_(shards::look(view_, quantiles()), quantiles(), kFew) {}

  std::vector<double> values_;
  DataView view_;
  shards::Plan plan_;
  shards::Plan quantiles_;
};

TEST_F(ForgedParts, WithoutTheSumsOfThePlanAreNotFinished) {
  using Sums = planning::PartialSums;
  const std::vector<std::function<void(Sums&)>> changes = {
      [](Sums& one) { one.sums.insert(one.sums.end(), one.sums.begin(), one.sums.end()); },
      [](Sums& one) { one.sums.clear(), one.drawn.clear(); },
      [](Sums& one) { one.features.reset(); },
      [](Sums& one) { one.windows.resize(3); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    shards::Part::Contents contents = contents_of(plan_.part(view_, 0));
    changes[i](contents.sums[0]);
    const shards::Part part = part_of(std::move(contents));
    EXPECT_THAT(
        reference::message_of<InvalidArgument>([&] { static_cast<void>(plan_.finish(part)); }),
        HasSubstr("has not the sums that the plan needs"))
        << i;
  }
}

TEST_F(ForgedParts, OfOtherSumsDoNotMerge) {
  const DataView half(std::span<const double>(values_).first(2500));
  const DataView rest(std::span<const double>(values_).subspan(2500));
  const shards::Part good = plan_.part(half, 0);
  shards::Part::Contents contents = contents_of(plan_.part(rest, 2500));
  contents.sums[0].sums.clear();
  contents.sums[0].drawn.clear();
  const shards::Part part = part_of(std::move(contents));
  EXPECT_THAT(reference::message_of<InvalidArgument>([&] { static_cast<void>(good + part); }),
              HasSubstr("have not the same sums"));
}

TEST_F(ForgedParts, OfAnotherQuestionAreNotFinished) {
  shards::Part::Contents contents = contents_of(quantiles_.part(view_, 0));
  contents.fingerprint = plan_.plan().fingerprint;
  EXPECT_THROW(static_cast<void>(plan_.finish(part_of(contents))), InvalidArgument);
  contents = contents_of(plan_.part(view_, 0));
  contents.fingerprint = quantiles_.plan().fingerprint;
  EXPECT_THROW(static_cast<void>(quantiles_.finish(part_of(contents))), InvalidArgument);
  const DataView two({ColumnView(values_), ColumnView(values_)});
  const std::vector<Statistic> ratio = {statistic::ratio()};
  const shards::Plan other(shards::look(two, ratio), ratio, kFew);
  contents = contents_of(plan_.part(view_, 0));
  contents.sums[0].features = contents_of(other.part(two, 0)).sums[0].features;
  EXPECT_THAT(reference::message_of<InvalidArgument>(
                  [&] { static_cast<void>(plan_.finish(part_of(contents))); }),
              HasSubstr("different data or statistics"));
}

TEST_F(ForgedParts, WithValuesThatDoNotFitTheLookAreRefused) {
  shards::Part::Contents contents = contents_of(quantiles_.part(view_, 0));
  planning::WindowValues& window = contents.sums[0].windows[0];
  ASSERT_FALSE(window.values.empty());
  const planning::WindowValues good = window;
  window.counts[0] += 1;
  EXPECT_THROW(static_cast<void>(quantiles_.finish(part_of(contents))), DataError);
  window = good;
  window.counts[0] = ~std::uint64_t{0};  // their sum is past the last number
  EXPECT_THROW(static_cast<void>(part_of(contents)), DataError);
  window = good;
  window.counts.pop_back();
  EXPECT_THROW(static_cast<void>(part_of(contents)), DataError);
}

// A file may change between look and part: adding it up does no harm, and the end notices.
TEST(ChangedRows, AreNoticedAtTheEnd) {
  std::vector<double> values = ramp();
  values[7] = 1e30;  // takes integers of several limbs
  const shards::Plan plan(shards::look(DataView(values), mean()), mean(), kFew);
  ASSERT_GT(plan.plan().digits, 7);
  for (const double changed : {1e300, -1e300, 1e45}) {
    values[7] = changed;
    const shards::Part part = plan.part(DataView(values), 0);
    EXPECT_THAT([&] { static_cast<void>(plan.finish(part)); },
                testing::ThrowsMessage<DataError>(
                    testing::HasSubstr("rows changed between the look and the parts")));
  }
}

// Two rows that change places leave every sum of all rows as it was, but not the replicates.
TEST(ChangedRows, InAnotherOrderAreNoticed) {
  std::vector<double> values = ramp();
  const shards::Plan plan(shards::look(DataView(values), mean()), mean(), kFew);
  shards::Part first = plan.part(DataView(values), 0, {.replicates = std::pair(0, 2)});
  std::swap(values[7], values[8]);
  shards::Part last = plan.part(DataView(values), 0, {.replicates = std::pair(2, 4)});
  EXPECT_THAT([&] { static_cast<void>(plan.finish(first + last)); },
              testing::ThrowsMessage<DataError>(testing::HasSubstr(
                  "between the parts of replicates 1 to 2 and of replicates 3")));
  EXPECT_THROW(static_cast<void>(plan.finish(plan.part(DataView(values), 0))), DataError);
  std::swap(values[7], values[8]);
  EXPECT_EQ(plan.finish(plan.part(DataView(values), 0)).replicates().size(), 4);
}

// The largest sums there are wrap round, as integers of the processor do.
TEST_F(ForgedParts, MayHaveAnySums) {
  const DataView half(std::span<const double>(values_).first(2500));
  const DataView rest(std::span<const double>(values_).subspan(2500));
  shards::Part::Contents a = contents_of(plan_.part(half, 0));
  shards::Part::Contents b = contents_of(plan_.part(rest, 2500));
  const auto largest = static_cast<__int128>(~static_cast<unsigned __int128>(0) >> 1);
  for (__int128& sum : a.sums[0].sums) sum = largest;
  for (__int128& sum : b.sums[0].sums) sum = largest;
  EXPECT_EQ(plan_.finish(part_of(a) + part_of(b)).replicates().size(), 4);
}

}  // namespace forged_test
}  // namespace bootfold
