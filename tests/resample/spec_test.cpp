// Schemes from descriptions: which scheme is meant, and which options belong to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "bootfold/error.h"
#include "bootfold/scheme.h"

namespace bootfold {
namespace spec_test {

using scheme::Spec;

const std::vector<std::uint32_t> kLabels = {0, 1, 1};
const std::vector<double> kWeights = {1, 2, 3};

std::string refusal(const Spec& spec,
                    const std::function<std::string(std::string_view)>& option = {}) {
  try {
    (void)make_scheme(spec, option);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Spec, NamesASchemeOrImpliesIt) {
  EXPECT_EQ(name(make_scheme({})), "iid");
  EXPECT_EQ(name(make_scheme({.strata = kLabels})), "stratified");
  EXPECT_EQ(name(make_scheme({.clusters = kLabels})), "cluster");
  EXPECT_EQ(name(make_scheme({.probabilities = kWeights})), "unequal");
  EXPECT_EQ(name(make_scheme({.block_length = 2.5})), "stationary");
  EXPECT_EQ(name(make_scheme({.auto_block_length = true})), "stationary");
  EXPECT_EQ(name(make_scheme({.name = "jackknife", .clusters = kLabels})), "jackknife");
  EXPECT_EQ(name(make_scheme({.name = "moving", .auto_block_length = true})), "moving");
}

TEST(Spec, HandsItsOptionsToTheScheme) {
  EXPECT_EQ(std::get<scheme::Iid>(make_scheme({.size = 7})).size, 7U);
  const auto cluster =
      std::get<scheme::Cluster>(make_scheme({.clusters = kLabels, .two_stage = true}));
  EXPECT_EQ(cluster.clusters.data(), kLabels.data());
  EXPECT_TRUE(cluster.two_stage);
  EXPECT_TRUE(cluster.strata.empty());
  const auto within =
      std::get<scheme::Cluster>(make_scheme({.strata = kLabels, .clusters = kLabels}));
  EXPECT_EQ(within.strata.data(), kLabels.data());
  const auto weighted =
      std::get<scheme::Unequal>(make_scheme({.probabilities = kWeights, .size = 2}));
  EXPECT_EQ(weighted.probabilities.data(), kWeights.data());
  EXPECT_EQ(weighted.size, 2U);
  EXPECT_EQ(std::get<scheme::Stratified>(make_scheme({.strata = kLabels})).strata.data(),
            kLabels.data());
  EXPECT_EQ(std::get<scheme::StationaryBlocks>(make_scheme({.block_length = 2.5})).length, 2.5);
  EXPECT_EQ(
      std::get<scheme::MovingBlocks>(make_scheme({.name = "moving", .block_length = 3})).length,
      3U);
  EXPECT_EQ(std::get<scheme::CircularBlocks>(make_scheme({.name = "circular"})).length, 0U);
  EXPECT_TRUE(std::get<scheme::Jackknife>(make_scheme({.name = "jackknife"})).clusters.empty());
}

TEST(Spec, KnowsEveryNameAndNoOther) {
  const Spec full{.strata = kLabels, .clusters = kLabels, .probabilities = kWeights};
  for (const std::string_view each : scheme::names()) {
    Spec spec{.name = std::string(each)};
    if (each == "stratified") spec.strata = full.strata;
    if (each == "cluster") spec.clusters = full.clusters;
    if (each == "unequal") spec.probabilities = full.probabilities;
    EXPECT_EQ(name(make_scheme(spec)), each);
  }
  EXPECT_EQ(scheme::names().size(), 11U);
  EXPECT_EQ(refusal({.name = "boot"}),
            "scheme is 'boot' but must be one of iid, poisson, bayesian, balanced, unequal, "
            "stratified, cluster, moving, circular, stationary, jackknife");
}

TEST(Spec, RefusesOptionsOfOtherSchemes) {
  const std::string of_iid = " does not go with scheme 'iid'; leave one of them out";
  EXPECT_EQ(refusal({.name = "iid", .strata = kLabels}), "strata" + of_iid);
  EXPECT_EQ(refusal({.name = "iid", .clusters = kLabels}), "clusters" + of_iid);
  EXPECT_EQ(refusal({.name = "iid", .probabilities = kWeights}), "probabilities" + of_iid);
  EXPECT_EQ(refusal({.name = "iid", .block_length = 5}), "block_length" + of_iid);
  EXPECT_EQ(refusal({.name = "iid", .auto_block_length = true}), "block_length" + of_iid);
  EXPECT_EQ(refusal({.two_stage = true}), "two_stage" + of_iid);
  EXPECT_EQ(refusal({.name = "poisson", .size = 5}),
            "size does not go with scheme 'poisson'; leave one of them out");
  EXPECT_EQ(refusal({.name = "stratified", .strata = kLabels, .clusters = kLabels}),
            "clusters does not go with scheme 'stratified'; leave one of them out");
}

TEST(Spec, RefusesToLeaveOutWhatASchemeNeeds) {
  EXPECT_EQ(refusal({.name = "stratified"}),
            "scheme 'stratified' needs strata: the stratum of each row");
  EXPECT_EQ(refusal({.name = "cluster"}),
            "scheme 'cluster' needs clusters: the cluster of each row");
  EXPECT_EQ(refusal({.name = "unequal"}),
            "scheme 'unequal' needs probabilities: the probability of each row");
}

TEST(Spec, RefusesLengthsThatNoBlockHas) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal({.block_length = 0}), HasSubstr("block_length is 0 but must be at least 1"));
  EXPECT_THAT(refusal({.block_length = 0.5}), HasSubstr("at least 1"));
  EXPECT_THAT(refusal({.block_length = NAN}), HasSubstr("at least 1"));
  EXPECT_THAT(refusal({.block_length = INFINITY}), HasSubstr("at least 1"));
  EXPECT_THAT(refusal({.name = "moving", .block_length = 2.5}), HasSubstr("whole number of rows"));
  EXPECT_THAT(refusal({.name = "circular", .block_length = 1e30}), HasSubstr("block_length is"));
}

TEST(Spec, CallsOptionsByTheNamesOfTheFrontEnd) {
  const auto option = [](std::string_view key) { return "--" + std::string(key); };
  EXPECT_EQ(refusal({.name = "iid", .two_stage = true}, option),
            "--two_stage does not go with --scheme 'iid'; leave one of them out");
}

TEST(Spec, HasFactsBeforeLabelsAreRead) {
  const std::span<const std::uint32_t> unread;
  EXPECT_TRUE(facts(make_scheme({.clusters = unread, .two_stage = true})).together);
  EXPECT_FALSE(facts(make_scheme({.clusters = unread})).together);
  EXPECT_FALSE(facts(make_scheme({.clusters = unread})).studentized);
  EXPECT_TRUE(facts(make_scheme({.strata = unread})).studentized);
  EXPECT_FALSE(facts(make_scheme({.strata = unread})).formula);
  EXPECT_TRUE(facts(make_scheme({.name = "jackknife", .clusters = unread})).deletes);
  EXPECT_TRUE(facts(make_scheme({})).formula);
  EXPECT_TRUE(facts(make_scheme({.auto_block_length = true})).together);
}

}  // namespace spec_test
}  // namespace bootfold
