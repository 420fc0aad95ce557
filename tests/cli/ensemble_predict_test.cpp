// `bootfold ensemble predict`: a line for every row, kept columns, rows outside the training range.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"
#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace ensemble_predict_test {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string one; std::getline(stream, one);) lines.push_back(one);
  return lines;
}

/// A trained regression y of x and z, with x from 0 to 29 and z from -1 to 1.
class EnsemblePredictedRows : public testing::Test {
 protected:
  EnsemblePredictedRows() {
    std::string text = "x,z,y\n";
    for (int row = 0; row < 30; ++row)
      text += std::to_string(row) + "," + std::to_string(row % 3 - 1) + "," +
              std::to_string(2 * row + row % 3) + "\n";
    train_ = folder_.write("train.csv", text);
    const Outcome outcome =
        run({"ensemble", "train", train_, "--target", "y", "--task", "regression", "--members", "5",
             "--hidden", "4", "--epochs", "3", "--output", model_});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }

  [[nodiscard]] std::vector<std::string> command(std::vector<std::string> more) const {
    std::vector<std::string> all = {"ensemble", "predict", model_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Folder folder_;
  std::string model_ = folder_.path("m.safetensors");
  std::string train_;
};

constexpr const char* kHead = "mean,epistemic_std,aleatoric_std,total_std,low,high,outside";
// Rows 1, 3 and 6 have no prediction.
constexpr const char* kGaps = "id,x,z\na,NA,0\nb,3,1\nc,4,\nd,5,0\ne,6,-1\nf,nan,NA\n";
constexpr const char* kComplete = "id,x,z\nb,3,1\nd,5,0\ne,6,-1\n";

TEST_F(EnsemblePredictedRows, OmittedRowsAreEmptyLines) {
  const Outcome outcome = run(command({"-", "--nan", "omit"}), {.input = kGaps});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> complete = lines_of(run(command({"-"}), {.input = kComplete}).out);
  ASSERT_EQ(complete.size(), 4U);
  EXPECT_EQ(lines_of(outcome.out), (std::vector<std::string>{kHead, ",,,,,,", complete[1], ",,,,,,",
                                                             complete[2], complete[3], ",,,,,,"}));
  EXPECT_EQ(outcome.err,
            "bootfold: 3 of 6 rows are empty because an input is missing: rows 1, 3, 6 (counted "
            "from 1, without the header)\n");
  EXPECT_EQ(run(command({"-", "--nan", "omit", "--quiet"}), {.input = kGaps}).err, "");
  EXPECT_EQ(run(command({"-", "--nan", "omit"}), {.input = kComplete}).err, "");
}

TEST_F(EnsemblePredictedRows, ManyEmptyRowsAreNotAllListed) {
  std::string text = "x,z\n1,1\n";
  for (int row = 0; row < 20; ++row) text += "1,\n";
  EXPECT_THAT(run(command({"-", "--nan", "omit"}), {.input = text}).err,
              HasSubstr("20 of 21 rows are empty because an input is missing: rows 2, 3, 4, 5, 6, "
                        "... (counted"));
}

TEST_F(EnsemblePredictedRows, FilesHaveALineForEveryRow) {
  const std::string file = folder_.write("new.csv", kGaps);
  const std::string csv = folder_.path("p.csv");
  const Outcome outcome = run(command({file, "--nan", "omit", "--output", csv}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("6 rows written to"), HasSubstr("7 columns")));
  EXPECT_THAT(outcome.err, HasSubstr("rows 1, 3, 6"));
  const std::string npy = folder_.path("p.npy");
  EXPECT_EQ(run(command({file, "--nan", "omit", "--output", npy})).code, 0);
  const data::Table array = data::read(npy, {.columns = {"1", "7"}, .nan = data::NanPolicy::omit});
  EXPECT_EQ(array.omitted_rows(), (std::vector<std::size_t>{0, 2, 5}));
  const data::Table table =
      data::read(csv, {.columns = {"mean", "outside"}, .nan = data::NanPolicy::omit});
  EXPECT_EQ(table.omitted_rows(), (std::vector<std::size_t>{0, 2, 5}));
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_EQ(array.view().column(0)[row], table.view().column(0)[row]);
}

TEST_F(EnsemblePredictedRows, EmptyRowsAreNullInJson) {
  const Json found = json_of(command({"-", "--nan", "omit", "--keep", "id"}), {.input = kGaps});
  EXPECT_EQ(found["rows"], 6);
  EXPECT_EQ(found["empty_rows"], 3);
  EXPECT_EQ(found["outside_rows"], 0);
  EXPECT_FALSE(found.contains("omitted_rows"));
  for (const auto& [name, column] : found["columns"].items()) {
    SCOPED_TRACE(name);
    ASSERT_EQ(column.size(), 6U);
    EXPECT_EQ(column[0].is_null(), name != "id");
    EXPECT_FALSE(column[1].is_null());
  }
  EXPECT_EQ(found["columns"]["id"], Json::array({"a", "b", "c", "d", "e", "f"}));
}

// With little memory the rows are predicted in many batches, and written the same.
TEST_F(EnsemblePredictedRows, BatchesDoNotChangeTheRows) {
  std::string text = "id,x,z\n";
  for (int row = 0; row < 3000; ++row)
    text += "no" + std::to_string(row) + (row % 7 == 3 ? ",," : ",1.5,") +
            std::to_string(row % 5 - 2) + "\n";
  const std::string file = folder_.write("new.csv", text);
  const Outcome whole = run(command({file, "--nan", "omit", "--keep", "id"}));
  const Outcome parts =
      run(command({file, "--nan", "omit", "--keep", "id", "--memory", "8K", "--threads", "1"}));
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(parts.out, whole.out);
  EXPECT_EQ(parts.err, whole.err);
  const std::vector<std::string> lines = lines_of(whole.out);
  ASSERT_EQ(lines.size(), 3001U);
  EXPECT_EQ(lines[4], "no3,,,,,,,");
  EXPECT_THAT(lines[3000], testing::StartsWith("no2999,"));
}

TEST_F(EnsemblePredictedRows, OmittedRowsDoNotMoveJackknifeIntervals) {
  const std::vector<std::string> jackknife = {"-",          "--nan",      "omit", "--interval",
                                              "jackknife+", "--training", train_};
  const std::vector<std::string> gaps = lines_of(run(command(jackknife), {.input = kGaps}).out);
  const std::vector<std::string> complete =
      lines_of(run(command(jackknife), {.input = kComplete}).out);
  ASSERT_EQ(gaps.size(), 7U);
  ASSERT_EQ(complete.size(), 4U);
  EXPECT_EQ(gaps[2], complete[1]);
  EXPECT_EQ(gaps[5], complete[3]);
}

TEST_F(EnsemblePredictedRows, KeptColumnsComeFirstAndUnchanged) {
  const std::string text = "id,x,note,z\n007,3,\" a, \"\"b\"\"\",1\n,29,NA,0\n";
  const Outcome outcome = run(command({"-", "--keep", "note,id", "--keep", "x"}), {.input = text});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], std::string("note,id,x,") + kHead);
  EXPECT_THAT(lines[1], testing::StartsWith("\" a, \"\"b\"\"\",007,3,"));
  EXPECT_THAT(lines[2], testing::StartsWith("NA,,29,"));
}

TEST_F(EnsemblePredictedRows, MistakesInKeepAreRefused) {
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "-");
    return refused(command(more), {.input = "id,x,z,mean\na,3,1,0\n"});
  };
  EXPECT_THAT(with({"--keep", "idd"}), AllOf(HasSubstr("no column 'idd'"), HasSubstr("'id'?")));
  EXPECT_THAT(with({"--keep", "id,id"}), AllOf(HasSubstr("--keep"), HasSubstr("'id' twice")));
  EXPECT_THAT(with({"--keep", "id,1"}), HasSubstr("'id' twice"));
  EXPECT_THAT(with({"--keep", "mean"}),
              AllOf(HasSubstr("--keep"), HasSubstr("'mean'"), HasSubstr("rename")));
  EXPECT_THAT(with({"--keep", "id", "--output", folder_.path("p.npy")}),
              AllOf(HasSubstr("--keep"), HasSubstr(".csv")));
  EXPECT_THAT(with({"--kep", "id"}), HasSubstr("--keep"));
}

TEST_F(EnsemblePredictedRows, TextThatIsNotUtf8IsRefusedInJsonOnly) {
  const std::string text = "id,x,z\ncaf\xE9,3,1\n";
  EXPECT_THAT(run(command({"-", "--keep", "id"}), {.input = text}).out, HasSubstr("\ncaf\xE9,"));
  EXPECT_THAT(refused(command({"-", "--keep", "id", "--json"}), {.input = text}),
              AllOf(HasSubstr("'id'"), HasSubstr("UTF-8")));
}

TEST_F(EnsemblePredictedRows, RowsOutsideTheTrainingRangeAreFlagged) {
  const std::string text = "x,z\n0,-1\n29,1\n-0.001,0\n30,2\n15,1.5\n";
  const Json found = json_of(command({"-"}), {.input = text});
  EXPECT_EQ(found["columns"]["outside"], Json::array({0, 0, 1, 2, 1}));
  EXPECT_EQ(found["outside_rows"], 3);
  const Outcome outcome = run(command({"-"}), {.input = text});
  EXPECT_THAT(lines_of(outcome.out)[4], testing::EndsWith(",2"));
  EXPECT_EQ(outcome.err,
            "bootfold: 3 of 5 rows are outside the range of the training rows (column outside); "
            "members may agree there and be wrong\n");
  EXPECT_EQ(run(command({"-", "--quiet"}), {.input = text}).err, "");
  EXPECT_EQ(run(command({"-"}), {.input = "x,z\n0,-1\n29,1\n"}).err, "");
}

// Far away ReLU networks are linear, so that one class wins in every member: the prediction is
// certain and the members agree. Only the flag tells.
TEST(EnsemblePredictFarAway, MembersAgreeButTheRowIsFlagged) {
  const Folder folder;
  ASSERT_EQ(run(train_flowers(folder)).code, 0);
  const Json found = json_of({"ensemble", "predict", folder.path("m.safetensors"), "-"},
                             {.input = "length,noise,width\n1e6,0,0\n"});
  EXPECT_GT(found["columns"]["probability"][0], 0.999999);
  EXPECT_LT(found["columns"]["epistemic"][0], 1e-6);
  EXPECT_EQ(found["columns"]["outside"][0], 1);
}

TEST(EnsemblePredictClasses, OmittedRowsHaveNoClass) {
  const Folder folder;
  ASSERT_EQ(run(train_flowers(folder)).code, 0);
  const std::string model = folder.path("m.safetensors");
  const std::string text = "length,noise,width,id\n10,0,0,a\n,0,0,b\n";
  const std::vector<std::string> lines = lines_of(
      run({"ensemble", "predict", model, "-", "--nan", "omit", "--keep", "id"}, {.input = text})
          .out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[2], "b,,,,,,,,,");
  const Json found = json_of({"ensemble", "predict", model, "-", "--nan", "omit"}, {.input = text});
  EXPECT_TRUE(found["columns"]["class"][0].is_string());
  EXPECT_TRUE(found["columns"]["class"][1].is_null());
}

// Their spread contains no noise, so mean -+ z spread would cover a fraction of what is asked for.
TEST_F(EnsemblePredictedRows, MembersThatSawAllRowsHaveNoIntervals) {
  for (const std::string resampling : {"none", "bayesian"}) {
    const Outcome trained =
        run({"ensemble", "train", train_, "--target", "y", "--task", "regression", "--members", "5",
             "--epochs", "3", "--resampling", resampling, "--output", model_});
    ASSERT_EQ(trained.code, 0) << trained.err;
    const Outcome outcome = run({"ensemble", "predict", model_, train_, "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json columns = Json::parse(outcome.out).at("columns");
    EXPECT_TRUE(columns.at("low").at(3).is_null());
    EXPECT_TRUE(columns.at("high").at(29).is_null());
    EXPECT_TRUE(columns.at("mean").at(3).is_number());
    EXPECT_THAT(run({"ensemble", "predict", model_, train_}).err,
                AllOf(HasSubstr("--resampling " + resampling), HasSubstr("train with")));
  }
}

}  // namespace ensemble_predict_test
}  // namespace bootfold::cli
