// Rows that stand for several equal rows.
#include "bootfold/repeated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"

namespace bootfold::data {
namespace repeated_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<double> kX = {3, 1, 4, 1.5};
const std::vector<double> kY = {30, 10, 40, 15};

TEST(Repeated, WritesRowsOutInTheirOrder) {
  const Repeated rows(DataView({kX, kY}, {"x", "y"}), std::vector<double>{2, 0, 1, 3});
  EXPECT_EQ(rows.rows(), 6U);
  EXPECT_EQ(rows.view().name(1), "y");
  std::vector<double> found(6);
  rows.view().column(0).read(0, found);
  EXPECT_THAT(found, ElementsAre(3, 3, 4, 1.5, 1.5, 1.5));
  EXPECT_THAT(rows.codes(std::vector<std::uint32_t>{7, 8, 9, 5}), ElementsAre(7, 7, 9, 5, 5, 5));
}

TEST(Repeated, ReadsAnyPartOfTheRows) {
  const std::vector<double> times = {2, 0, 1, 3};
  const Repeated rows(DataView(kX), times);
  std::vector<double> all(6);
  rows.view().column(0).read(0, all);
  for (std::size_t first = 0; first < 6; ++first)
    for (std::size_t size = 0; first + size <= 6; ++size) {
      std::vector<double> part(size);
      rows.view().column(0).slice(first, size).read(0, part);
      EXPECT_TRUE(
          std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(first)));
    }
}

TEST(Repeated, HasTheBitsOfRowsThatAreWrittenOut) {
  const std::vector<double> times = {200, 1, 350, 49};
  std::vector<double> long_x;
  for (std::size_t i = 0; i < 4; ++i)
    long_x.insert(long_x.end(), static_cast<std::size_t>(times[i]), kX[i]);
  const Repeated rows(DataView(kX), times);
  for (const Statistic& statistic : {statistic::mean(), statistic::variance(), statistic::median(),
                                     statistic::trimmed_mean(0.1)})
    for (const std::optional<Path> path : {std::optional<Path>(), std::optional(Path::gather)}) {
      const Options options{.replicates = 100, .path = path, .influence = true};
      const Result expected = bootstrap(long_x, statistic, options);
      const Result found = bootstrap(rows.view(), statistic, options);
      EXPECT_EQ(found.estimate(), expected.estimate());
      EXPECT_TRUE(std::ranges::equal(found.replicates(), expected.replicates()));
      const Influence& influence = found.companions().influences[0];
      EXPECT_EQ(influence.second, expected.companions().influences[0].second);
      EXPECT_EQ(influence.third, expected.companions().influences[0].third);
      EXPECT_EQ(found.fingerprint(), expected.fingerprint());
    }
}

TEST(Repeated, RefusesWhatIsNoNumberOfRows) {
  const auto refuses = [](const std::vector<double>& times, const std::string& message) {
    EXPECT_THAT([&] { Repeated(DataView(kX), times); },
                ThrowsMessage<InvalidArgument>(HasSubstr(message)));
  };
  refuses({1, 2, 3}, "there are 3 frequencies but 4 rows");
  refuses({1, 2.5, 3, 4}, "frequency of row 2 is 2.5 but must be a whole number");
  refuses({1, 2, -3, 4}, "frequency of row 3 is -3");
  refuses({1, NAN, 3, 4}, "frequency of row 2 is nan");
  refuses({0, 0, 0, 0}, "all frequencies are 0");
  refuses({1e12, 1e12, 0, 0}, "add up to more than");
  const Repeated rows(DataView(kX), std::vector<double>{1, 2, 3, 4});
  EXPECT_THAT([&] { static_cast<void>(rows.codes(std::vector<std::uint32_t>{1})); },
              ThrowsMessage<InvalidArgument>(HasSubstr("there are 1 labels but 4 rows")));
}

}  // namespace repeated_test
}  // namespace bootfold::data
