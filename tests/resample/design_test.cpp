// Facts that schemes state about themselves agree with what they do.
#include "resample/design.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "resample/blocks.h"
#include "resample/groups.h"
#include "resample/rows.h"
#include "resample/sampler.h"
#include "resample/strata.h"

namespace bootfold::resample {
namespace design_test {

using testing::HasSubstr;

constexpr std::size_t kRows = 1200;

std::vector<std::uint32_t> labels(std::uint32_t groups) {
  std::vector<std::uint32_t> made(kRows);
  for (std::uint32_t row = 0; row < kRows; ++row) made[row] = row * row % 11 % groups;
  return made;
}

const std::vector<std::uint32_t> kTwo = labels(2);
const std::vector<std::uint32_t> kFive = labels(5);
const std::vector<std::uint32_t> kOddOnes = [] {
  std::vector<std::uint32_t> made = kFive;
  for (std::uint32_t& label : made) label %= 2;
  return made;
}();

std::vector<double> sequence() {
  std::vector<double> made(kRows);
  for (std::size_t row = 0; row < kRows; ++row) made[row] = static_cast<double>(row % 17 + 1);
  return made;
}

const std::vector<double> kValues = sequence();

/// At least one scheme for each alternative but Custom.
const std::vector<Scheme> kSchemes = {scheme::Iid{},
                                      scheme::Iid{100},
                                      scheme::Iid{2000},
                                      scheme::Poisson{},
                                      scheme::Bayesian{},
                                      scheme::Balanced{},
                                      scheme::Unequal{kValues},
                                      scheme::Unequal{kValues, 300},
                                      scheme::Stratified{kTwo},
                                      scheme::Cluster{kFive},
                                      scheme::Cluster{kFive, true},
                                      scheme::Cluster{kFive, false, kOddOnes},
                                      scheme::Cluster{kFive, true, kOddOnes},
                                      scheme::MovingBlocks{7},
                                      scheme::CircularBlocks{7},
                                      scheme::StationaryBlocks{7.5},
                                      scheme::Jackknife{},
                                      scheme::Jackknife{kFive}};

/// Calls see(design, traits, scheme) for each scheme.
template <class See>
void for_each_scheme(const See& see) {
  for (const Scheme& scheme : kSchemes) {
    const auto design = resample::design(scheme);
    SCOPED_TRACE(design->describe(kRows));
    see(*design, design->traits(kRows), scheme);
  }
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

std::uint64_t run_length(const Design& design) { return design.replicates(kRows).value_or(20); }

TEST(Design, EveryAlternativeOfSchemeIsCovered) {
  std::set<std::size_t> covered;
  for (const Scheme& scheme : kSchemes) covered.insert(scheme.index());
  EXPECT_EQ(covered.size(), std::variant_size_v<Scheme> - 1);
}

TEST(Design, NamesBeginDescriptionsAndAreTheOnesOfMakeScheme) {
  const auto names = scheme::names();
  for_each_scheme([&](const Design& design, const Traits&, const Scheme& scheme) {
    EXPECT_EQ(name(scheme), design.name());
    EXPECT_TRUE(design.describe(kRows).starts_with(design.name()));
    EXPECT_THAT(names, testing::Contains(design.name()));
  });
}

TEST(Design, FitsItsRowsAndNoOthersWhereItHasLabelsOrWeights) {
  for_each_scheme([](const Design& design, const Traits&, const Scheme&) {
    EXPECT_EQ(refusal([&] { design.check(kRows); }), "");
    const bool bound = !design.labels().empty() || !design.weights().empty();
    EXPECT_EQ(!refusal([&] { design.check(kRows + 1); }).empty(), bound);
  });
}

TEST(Design, ListsRowsUnlessItWeighsThem) {
  for_each_scheme([](const Design& design, const Traits& traits, const Scheme& scheme) {
    EXPECT_NE(traits.lists_rows, traits.weighs);
    if (!traits.lists_rows) {
      EXPECT_NE(refusal([&] { (void)design.sampling(kRows, 1, 20, execution::default_level()); }),
                "");
      EXPECT_THAT(refusal([&] {
                    (void)bootstrap(kValues, statistic::mean(),
                                    {.scheme = scheme, .path = Path::gather});
                  }),
                  HasSubstr("path 'gather' is not available"));
      return;
    }
    const auto sampler =
        design.sampling(kRows, 1, run_length(design), execution::default_level())->sampler();
    std::set<std::size_t> sizes;
    for (std::uint64_t r = 0; r < std::min<std::uint64_t>(20, run_length(design)); ++r) {
      const auto rows = sampler->draw(r);
      sizes.insert(rows.size());
      for (const std::uint32_t row : rows) ASSERT_LT(row, kRows);
    }
    if (traits.fixed_size) {
      EXPECT_THAT(sizes, testing::ElementsAre(design.draws(kRows)));
    } else {
      EXPECT_GT(sizes.size(), 1U);
    }
  });
}

TEST(Design, StartsAtZeroUnlessItIsEndless) {
  for_each_scheme([](const Design& design, const Traits& traits, const Scheme& scheme) {
    const std::uint64_t length = run_length(design);
    EXPECT_EQ(refusal([&] { design.check_run(kRows, 0, length); }), "");
    const std::string later = refusal([&] { design.check_run(kRows, 5, length); });
    const std::string run = refusal([&] {
      (void)bootstrap(kValues, statistic::mean(),
                      {.replicates = length, .first_replicate = 5, .scheme = scheme});
    });
    if (traits.endless) {
      EXPECT_EQ(later, "");
      EXPECT_EQ(run, "");
    } else {
      EXPECT_THAT(later, HasSubstr("starts at 0"));
      EXPECT_THAT(run, HasSubstr("starts at 0"));
    }
  });
}

TEST(Design, TakesManyRowsIfItSaysSo) {
  for_each_scheme([](const Design& design, const Traits& traits, const Scheme&) {
    const std::string many = refusal([&] { design.check_run(kMostGatherRows + 1, 0, 20); });
    EXPECT_EQ(many.empty(), traits.any_length) << many;
  });
}

TEST(Design, OfBalancedReplicatesBoundsTheNumberOfDraws) {
  const auto design = resample::design(scheme::Balanced{});
  EXPECT_THAT(refusal([&] { design->check_run(kRows, 0, std::uint64_t{1} << 60); }),
              HasSubstr("2^62"));
}

TEST(Design, StreamsStrataThatHoldAllRows) {
  std::vector<std::string> streamed;
  for_each_scheme([&](const Design& design, const Traits& traits, const Scheme&) {
    if (!design.streams(kRows)) return;
    streamed.push_back(design.describe(kRows));
    const auto strata = design.strata(kRows, 1);
    std::uint64_t rows = 0;
    std::uint64_t draws = 0;
    for (const Stratum& stratum : strata->all()) {
      rows += stratum.rows;
      draws += stratum.draws;
    }
    EXPECT_EQ(rows, kRows);
    EXPECT_EQ(draws, design.draws(kRows));
    EXPECT_EQ(strata->topped_up(), traits.fixed_size);
    EXPECT_EQ(strata->order().size(), design.stratum_labels().size());
  });
  EXPECT_THAT(streamed, testing::ElementsAre("iid", "iid, 100 rows a replicate", "poisson",
                                             "stratified, 2 strata"));
}

TEST(Design, HasBlocksWhereItHasALengthOfBlocks) {
  for_each_scheme([](const Design& design, const Traits& traits, const Scheme&) {
    const auto blocks = design.blocks(kRows, execution::default_level());
    EXPECT_EQ(blocks != nullptr, design.block_length() > 0);
    if (!blocks) return;
    EXPECT_EQ(blocks->mean_length(), design.block_length());
    EXPECT_TRUE(traits.together);
  });
}

TEST(Design, SortsItsLabelsOnlyOnce) {
  for_each_scheme([](const Design& design, const Traits&, const Scheme&) {
    EXPECT_EQ(design.groups() != nullptr, !design.labels().empty());
    EXPECT_EQ(design.groups(), design.groups());
  });
}

TEST(Design, OfWholeClustersHasASchemeThatTreatsThemAsRows) {
  for_each_scheme([](const Design& design, const Traits& traits, const Scheme&) {
    if (design.clusters().empty()) {
      EXPECT_NE(refusal([&] { (void)design.of_clusters(); }), "");
      return;
    }
    const auto inner = resample::design(design.of_clusters());
    EXPECT_EQ(inner->labels().empty(), design.cluster_strata().empty());
    EXPECT_EQ(inner->traits(5).deletes, traits.deletes);
    EXPECT_EQ(inner->draws(5), traits.deletes ? 4U : 5U);
  });
}

TEST(Design, ThatDeletesHasASchemeThatDrawsTheSameUnits) {
  for_each_scheme([](const Design& design, const Traits& traits, const Scheme&) {
    EXPECT_EQ(design.replicates(kRows).has_value(), traits.deletes);
    if (!traits.deletes) {
      EXPECT_NE(refusal([&] { (void)design.drawing_what_is_deleted(); }), "");
      return;
    }
    const auto drawing = resample::design(design.drawing_what_is_deleted());
    EXPECT_FALSE(drawing->traits(kRows).deletes);
    EXPECT_EQ(drawing->clusters().data(), design.clusters().data());
  });
}

TEST(Design, OfSomeRowsHasTheirLabelsAndWeights) {
  for_each_scheme([](const Design& design, const Traits&, const Scheme& scheme) {
    if (design.labels().empty() && design.weights().empty()) return;
    const auto part = [](const auto& all) { return all.empty() ? all : all.subspan(100, 50); };
    const Scheme some = design.subset(
        {part(design.labels()), part(design.weights()), part(design.cluster_strata())});
    EXPECT_EQ(some.index(), scheme.index());
    const auto own = resample::design(some);
    EXPECT_EQ(refusal([&] { own->check(50); }), "");
    EXPECT_EQ(own->traits(50).together, design.traits(kRows).together);
    EXPECT_EQ(own->draws(2000) == 2000, design.draws(2000) == 2000);
  });
}

// With U near 0 for all rows but one, the second cumulant is the variance of that row's count,
// which is 1 - 1/n, or 1 for Poisson counts, where rows have the same law.
TEST(Design, KnowsItsCumulantsUnlessNothingIsDrawn) {
  std::vector<double> changes(kRows, -1.0 / (kRows - 1));
  changes[5] = 1;
  for_each_scheme([&](const Design& design, const Traits& traits, const Scheme&) {
    const auto found = design.cumulants(changes);
    EXPECT_EQ(found.has_value(), !traits.deletes);
    if (!found || !traits.exchangeable) return;
    EXPECT_NEAR(found->second.value(), 1, 0.01);
  });
}

TEST(Design, ChoosesALengthThatIsLeftOpen) {
  for (const Scheme& open : {Scheme(scheme::MovingBlocks{}), Scheme(scheme::CircularBlocks{}),
                             Scheme(scheme::StationaryBlocks{})}) {
    EXPECT_EQ(resample::design(open)->block_length(), 0);
    const auto design = resample::design(open, DataView(kValues));
    EXPECT_GE(design->block_length(), 1);
    EXPECT_EQ(refusal([&] { design->check(kRows); }), "");
    const bool stationary = std::holds_alternative<scheme::StationaryBlocks>(open);
    const BlockLengths lengths = block_lengths(kValues);
    EXPECT_EQ(design->block_length(), stationary ? lengths.stationary : std::round(lengths.fixed));
  }
  EXPECT_EQ(resample::design(scheme::MovingBlocks{9}, DataView(kValues))->block_length(), 9);
}

}  // namespace design_test
}  // namespace bootfold::resample
