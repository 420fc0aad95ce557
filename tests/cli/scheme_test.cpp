// Schemes on the command line: labels and weights from columns, and what is said of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "program.h"

namespace bootfold::cli {
namespace scheme_test {

using Json = nlohmann::json;
using testing::HasSubstr;

/// Schools of two pupils with equal scores, so that a cluster is as good as one row.
std::string schools(int count) {
  std::string text = "school,score,weight\n";
  for (int i = 0; i < count; ++i)
    for (int pupil = 0; pupil < 2; ++pupil)
      text += "S" + std::to_string(i) + "," + std::to_string(i % 7) + "," + std::to_string(i % 3) +
              "\n";
  return text;
}

Json bootstrap(const std::string& file, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"bootstrap", file, "--column", "score", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? Json::parse(outcome.out) : Json();
}

TEST(Scheme, OfClustersSeesThatPupilsOfASchoolAreAlike) {
  const Folder folder;
  const std::string file = folder.write("schools.csv", schools(70));
  const Json rows = bootstrap(file, {});
  const Json clusters = bootstrap(file, {"--cluster", "school"});
  EXPECT_EQ(clusters["plan"]["scheme"], "cluster, 70 clusters");
  EXPECT_EQ(clusters["rows"], 140);
  EXPECT_EQ(clusters["columns"], Json::array({"score"}));
  // Exactly sqrt(2); both standard errors are within 5 of their Monte Carlo errors (0.7 percent).
  const double ratio =
      clusters["standard_error"].get<double>() / rows["standard_error"].get<double>();
  EXPECT_NEAR(ratio, std::sqrt(2), 5 * 0.01 * std::sqrt(2));
}

TEST(Scheme, OfStrataThatAreConstantHasNoError) {
  const Folder folder;
  const std::string file = folder.write("schools.csv", schools(14));
  const Json result = bootstrap(file, {"--strata", "score", "--column", "weight"});
  EXPECT_EQ(result["plan"]["scheme"], "stratified, 7 strata");
  const Json constant = bootstrap(file, {"--strata", "school"});
  EXPECT_EQ(constant["standard_error"], 0);
}

// 12 schools in the north and 30 in the south, of three pupils each, whose scores are those of
// their school: clusters are drawn within their stratum.
TEST(Scheme, OfClustersWithinStrataHasTheirVariance) {
  const Folder folder;
  std::string text = "region,school,score\n";
  double variance = 0;
  for (const auto& [region, schools] : {std::pair("north", 12), std::pair("south", 30)}) {
    double sum = 0;
    double squares = 0;
    for (int school = 0; school < schools; ++school) {
      const int score = (schools == 12 ? 100 : 0) + school * school % 11;
      for (int pupil = 0; pupil < 3; ++pupil)
        text += std::string(region) + "," + region + std::to_string(school) + "," +
                std::to_string(score) + "\n";
      sum += score;
      squares += score * score;
    }
    variance += (squares - sum * sum / schools) / (42.0 * 42.0);
  }
  const std::string file = folder.write("schools.csv", text);
  const Json found = bootstrap(file, {"--strata", "region", "--cluster", "school"});
  // The Monte Carlo error of a standard error of 10,000 replicates is 0.7 percent.
  EXPECT_NEAR(found["standard_error"].get<double>() / std::sqrt(variance), 1, 5 * 0.0071);
  const Json clusters = bootstrap(file, {"--cluster", "school"});  // also between the regions
  EXPECT_GT(clusters["standard_error"].get<double>(), 5 * std::sqrt(variance));
  const Json rows = bootstrap(file, {"--strata", "region"});
  EXPECT_NEAR(rows["standard_error"].get<double>() / std::sqrt(variance / 3), 1, 5 * 0.0071);
}

TEST(Scheme, OfUnequalProbabilitiesEstimatesWithThem) {
  const Folder folder;
  const std::string file = folder.write("schools.csv", schools(21));
  double sum = 0;
  double total = 0;
  for (int i = 0; i < 21; ++i) {
    sum += (i % 3) * (i % 7);
    total += i % 3;
  }
  for (const char* option : {"--probabilities", "--weights", "--frequencies"}) {
    const Json result = bootstrap(file, {option, "weight"});
    EXPECT_NEAR(result["estimate"], sum / total, 1e-12) << option;
    EXPECT_EQ(result["columns"], Json::array({"score"}));
  }
  EXPECT_EQ(bootstrap(file, {"--weights", "weight"})["plan"]["scheme"], "iid");
  EXPECT_EQ(bootstrap(file, {"--frequencies", "weight"})["rows"], 42);
}

TEST(Scheme, IsTakenFromTheOptionsThatNeedIt) {
  const Folder folder;
  const std::string file = folder.write("schools.csv", schools(50));
  EXPECT_EQ(bootstrap(file, {"--block-length", "4"})["plan"]["scheme"],
            "stationary, blocks of 4 rows on average");
  EXPECT_EQ(bootstrap(file, {"--scheme", "moving", "--block-length", "4"})["plan"]["scheme"],
            "moving, blocks of 4 rows");
  EXPECT_EQ(bootstrap(file, {"--size", "20"})["plan"]["scheme"], "iid, 20 rows a replicate");
  for (const char* name : {"poisson", "bayesian", "balanced", "circular", "stationary"})
    EXPECT_THAT(bootstrap(file, {"--scheme", name})["plan"]["scheme"].get<std::string>(),
                HasSubstr(name));
  EXPECT_EQ(bootstrap(file, {"--cluster", "school", "--two-stage"})["plan"]["scheme"],
            "cluster, 50 clusters, rows within them too");
}

// A balanced run draws every row equally often, so the mean of its means is the estimate.
TEST(Scheme, BalancedBiasOfAMeanIsRounding) {
  const Folder folder;
  const Json result = bootstrap(folder.write("schools.csv", schools(50)), {"--scheme", "balanced"});
  const double error = result["standard_error"];
  EXPECT_LT(result["bias_error"].get<double>(), 1e-12 * error);
  EXPECT_LT(std::abs(result["bias"].get<double>()), 1e-12 * error);
}

// Rows near the ends are in fewer blocks; the bias of a mean about the centre is 0 all the same.
TEST(Scheme, OfMovingBlocksHasACentre) {
  const Folder folder;
  const std::string file = folder.write("schools.csv", schools(50));
  const Json moving = bootstrap(file, {"--scheme", "moving", "--block-length", "4"});
  EXPECT_NE(moving["centre"], moving["estimate"]);
  EXPECT_LT(std::abs(moving["bias"].get<double>()), 6 * moving["bias_error"].get<double>());
  EXPECT_FALSE(bootstrap(file, {"--scheme", "circular"}).contains("centre"));
  const Outcome outcome =
      run({"bootstrap", file, "--column", "score", "--scheme", "moving", "--block-length", "4"});
  EXPECT_THAT(outcome.out, HasSubstr("rows near the ends are in fewer blocks"));
}

TEST(Scheme, SaysThatTwoStagesAddTheVarianceWithinClustersTwice) {
  EXPECT_THAT(run({"bootstrap", "--help"}).out, HasSubstr("second time"));
}

TEST(Scheme, IsExplained) {
  const Folder folder;
  const std::string file = folder.write("schools.csv", schools(50));
  const Outcome outcome = run({"explain", file, "--column", "score", "--cluster", "school"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("sums of 50 clusters"));
}

TEST(Scheme, JackknifeLeavesOutRowsOrClustersAndHasNoMonteCarloError) {
  const Folder folder;
  const std::string file = folder.write("schools.csv", schools(70));
  const Json rows = bootstrap(file, {"--scheme", "jackknife"});
  EXPECT_EQ(rows["replicates"], 140);
  EXPECT_EQ(rows["standard_error_error"], 0);
  EXPECT_EQ(rows["interval"]["method"], "normal");
  EXPECT_EQ(rows["interval"]["low_error"], 0);
  EXPECT_EQ(rows["plan"]["scheme"], "jackknife, without one of 140 rows at a time");
  // Scores 0 to 6 are equally frequent: variance 4, with divisor 139 in place of 140.
  EXPECT_NEAR(rows["standard_error"].get<double>(), std::sqrt(4.0 / 139), 1e-12);
  const Json clusters = bootstrap(file, {"--scheme", "jackknife", "--cluster", "school"});
  EXPECT_EQ(clusters["replicates"], 70);
  EXPECT_NEAR(clusters["standard_error"].get<double>(), std::sqrt(4.0 / 69), 1e-12);
  const Outcome text = run({"bootstrap", file, "--column", "score", "--scheme", "jackknife"});
  EXPECT_THAT(text.out, HasSubstr("normal; no Monte Carlo error"));
  EXPECT_THAT(text.out, HasSubstr("140 replicates of 140 rows, no draws"));
}

}  // namespace scheme_test
}  // namespace bootfold::cli
