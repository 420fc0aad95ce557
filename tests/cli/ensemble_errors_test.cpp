// Errors of `bootfold ensemble`: one line, exit code 2, nothing written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flowers.h"
#include "program.h"

namespace bootfold::cli {
namespace ensemble_errors_test {

using Json = nlohmann::json;
using testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(EnsembleErrors, InvalidTrainingOptions) {
  const Folder folder;
  const std::string file = folder.write("flowers.csv", flowers(30));
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"ensemble", "train",    file, "--target",
                                    "flower",   "--ignore", "id"};
    all.insert(all.end(), more.begin(), more.end());
    return refused(all);
  };
  EXPECT_THAT(refused({"ensemble", "train", file}), HasSubstr("--target"));
  EXPECT_THAT(refused({"ensemble", "train"}), HasSubstr("FILE"));
  EXPECT_THAT(refused({"ensemble"}), HasSubstr("train, predict, evaluate"));
  EXPECT_THAT(refused({"ensemble", "train", file, "--target", "flwer"}), HasSubstr("'flower'"));
  EXPECT_THAT(refused({"ensemble", "train", file, "--target", "length", "--ignore", "id,flower"}),
              HasSubstr("--task regression"));
  EXPECT_THAT(refused({"ensemble", "train", file, "--target", "flower", "--ignore", "id", "--task",
                       "regression"}),
              HasSubstr("not a number"));
  EXPECT_THAT(with({"--task", "classify"}), HasSubstr("classification or regression"));
  EXPECT_THAT(with({"--task", "regression", "--loss", "cross_entropy"}), HasSubstr("--loss"));
  EXPECT_THAT(with({"--hidden", "0"}), HasSubstr("at least 1"));
  EXPECT_THAT(with({"--hidden", "32,x"}), HasSubstr("'x'"));
  EXPECT_THAT(with({"--learning-rate", "0"}), HasSubstr("--learning-rate is '0'"));
  EXPECT_THAT(with({"--learning-rate", "1e-3,-1"}), HasSubstr("'-1'"));
  EXPECT_THAT(with({"--learning-rate", "1e-3,0.001"}), HasSubstr("twice"));
  EXPECT_THAT(with({"--weight-decay", "-1"}), HasSubstr("--weight-decay"));
  EXPECT_THAT(with({"--dropout", "1"}), HasSubstr("--dropout"));
  EXPECT_THAT(with({"--warmup", "1.5"}), HasSubstr("--warmup"));
  EXPECT_THAT(with({"--average", "1"}), HasSubstr("--average"));
  EXPECT_THAT(with({"--batch-size", "31"}), HasSubstr("30 rows"));
  EXPECT_THAT(with({"--batch-size", "0"}), HasSubstr("full"));
  EXPECT_THAT(with({"--batch-size", "most"}), HasSubstr("(or auto, or full)"));
  EXPECT_THAT(with({"--patience", "long"}), HasSubstr("1_000_000 (or auto)"));
  EXPECT_THAT(with({"--loss", "pinball"}),
              testing::AllOf(HasSubstr("is not a number (column 'flower'"),
                             testing::Not(HasSubstr("--ignore"))));
  EXPECT_THAT(with({"--members", "0"}), HasSubstr("--members"));
  EXPECT_THAT(
      with({"--share", "8"}),
      HasSubstr("--members is 100 but must be a multiple of share, the 8 members of a group "
                "that shares weights: 96 or 104"));
  EXPECT_THAT(with({"--share", "1"}), HasSubstr("--share is 1 but must be 2 members or more"));
  EXPECT_THAT(with({"--share", "all"}), HasSubstr("--share is 'all'"));
  EXPECT_THAT(with({"--share", "10", "--hidden", "none"}), HasSubstr("without hidden layers"));
  EXPECT_THAT(with({"--members", "1e9"}), HasSubstr("--memory"));
  EXPECT_THAT(with({"--activation", "sigmoid"}), HasSubstr("relu, tanh, gelu"));
  EXPECT_THAT(with({"--optimizer", "rmsprop"}), HasSubstr("adam, adamw, sgd"));
  EXPECT_THAT(with({"--resampling", "jackknife"}), HasSubstr("bootstrap, none"));
  EXPECT_THAT(with({"--resampling", "none", "--patience", "3"}), HasSubstr("patience"));
  EXPECT_THAT(with({"--resampling", "none", "--keep-best", "3"}), HasSubstr("--keep-best"));
  EXPECT_THAT(with({"--resampling", "bayesian", "--calibrate"}),
              HasSubstr("--calibrate needs rows"));
  EXPECT_THAT(with({"--subsample", "1", "--calibrate"}), HasSubstr("with --subsample 1 they use"));
  EXPECT_THAT(with({"--steps", "5", "--epochs", "5"}), HasSubstr("--epochs"));
  EXPECT_THAT(with({"--clip", "0"}), HasSubstr("none"));
  EXPECT_THAT(with({"--weights", "noise"}), HasSubstr("weight of row"));
  EXPECT_THAT(with({"--output", "m.bin"}), HasSubstr(".safetensors"));
  EXPECT_THAT(with({"--output", "/none/m.safetensors"}), HasSubstr("No such file"));
  EXPECT_THAT(with({"--class-weights", "fair"}), HasSubstr("balanced"));
  EXPECT_THAT(with({"--input", "length"}), HasSubstr("--ignore"));
  EXPECT_THAT(with({"--kep-best", "3"}), HasSubstr("--keep-best"));
  EXPECT_EQ(folder.files(), std::vector<std::string>{"flowers.csv"});
}

TEST(EnsembleErrors, InvalidData) {
  const auto with = [](const std::string& text, std::vector<std::string> more = {}) {
    std::vector<std::string> all = {"ensemble", "train", "-", "--target", "t"};
    all.insert(all.end(), more.begin(), more.end());
    return refused(all, {.input = text});
  };
  EXPECT_THAT(with("x,t\n1,a\n2,a\n3,a\n"), HasSubstr("only one class, 'a'"));
  EXPECT_THAT(with("x,t\n1,5\n2,5\n3,5\n", {"--task", "regression"}), HasSubstr("5 in all rows"));
  EXPECT_THAT(with("x,t\n1,a\nNA,b\n3,a\n", {"--nan", "error"}), HasSubstr("standard input:3:1"));
  EXPECT_THAT(with("x,x,t\n1,2,a\n2,1,b\n"), HasSubstr("'x'"));
  EXPECT_THAT(with("t\na\nb\n"), HasSubstr("no column"));
  EXPECT_THAT(with("caf\xE9,t\n1,a\n2,b\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(refused({"ensemble", "train", "-", "--target", "y", "--task", "classification"},
                      {.input = line(300)}),
              HasSubstr("--task regression"));
  const Json found = json_of({"ensemble", "train", "-", "--target", "t", "--nan", "omit",
                              "--members", "2", "--epochs", "2"},
                             {.input = "x,t\n1,a\nNA,b\n3,a\n4,b\n5,b\n"});
  EXPECT_EQ(found["omitted_rows"], 1);
  EXPECT_EQ(found["rows"], 4);
  EXPECT_EQ(found["settings"][0]["batch_size"], 0);  // fewer rows than 32: all of them
}

TEST(EnsembleErrors, NumbersThatAreTooLarge) {
  const Folder folder;
  const auto with = [&](const std::string& cell) {
    return refused({"ensemble", "train", "-", "--target", "y", "--task", "regression", "--members",
                    "2", "--ignore", "weight", "--quiet"},
                   {.input = line(300) + cell});
  };
  EXPECT_THAT(with("3e290,100,1\n"), HasSubstr("column x, row 301: 3e+290 is too large"));
  EXPECT_THAT(with("10,1e155,1\n"), HasSubstr("target y, row 301: 1e+155 is too large"));
  const std::string model = folder.path("m.safetensors");
  ASSERT_EQ(run({"ensemble", "train", folder.write("line.csv", line(100)), "--target", "y",
                 "--task", "regression", "--members", "2", "--epochs", "2", "--ignore", "weight",
                 "--output", model})
                .code,
            0);
  EXPECT_THAT(
      refused({"ensemble", "predict", model, "-", "--nan", "omit"}, {.input = "x\n1\n\n1e39\n"}),
      HasSubstr("row 3, column x: 1e+39 is"));
}

TEST(EnsembleErrors, MissingErrorIsThatOfNan) {
  const Words words = {"ensemble", "train", "-", "--target", "t", "--missing", "error"};
  EXPECT_THAT(refused(words, {.input = "x,t\n1,a\n,b\n3,a\n"}), HasSubstr("standard input:3:1"));
}

TEST(EnsembleErrors, LossThatDoesNotExist) {
  const Folder folder;
  EXPECT_THAT(
      refused({"ensemble", "train", folder.write("line.csv", line(30)), "--target", "y:l1"}),
      HasSubstr("--target is 'y:l1' but there is no loss 'l1'; losses are squared_error"));
  EXPECT_THAT(refused({"ensemble", "train", "-", "--target", "t"}, {.input = "x,t\n1,a\n"}),
              HasSubstr("there is 1 row but"));
}

TEST(EnsembleErrors, NamesAllColumnsThatAreMissing) {
  const Folder folder;
  ASSERT_EQ(run(train_flowers(folder)).code, 0);
  const std::string model = folder.path("m.safetensors");
  EXPECT_THAT(
      refused({"ensemble", "predict", model, folder.write("few.csv", "length,other\n1,2\n")}),
      HasSubstr("few.csv has no columns 'noise', 'width', which the model needs; it has 'length', "
                "'other'"));
  const Outcome more =
      run({"ensemble", "predict", model,
           folder.write("more.csv", "length,noise,width,flower,age\n1,2,3,x,4\n")});
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_THAT(more.err,
              HasSubstr("'age' is not used, because the model does not know this column"));
}

TEST(EnsembleErrors, InvalidModelsAndColumns) {
  const Folder folder;
  ASSERT_EQ(run(train_flowers(folder)).code, 0);
  const std::string model = folder.path("m.safetensors");
  const auto with = [&](const std::string& text) {
    return refused({"ensemble", "predict", model, "-"}, {.input = text});
  };
  EXPECT_THAT(with("length,noise\n1,2\n"), HasSubstr("no column 'width'"));
  EXPECT_THAT(with("length,noise,width\n1,2,x\n"), HasSubstr("'x' is not a number"));
  EXPECT_THAT(refused({"ensemble", "predict", model, "-", "--nan", "error"},
                      {.input = "length,noise,width\n1,,3\n"}),
              HasSubstr("missing value"));
  EXPECT_THAT(with("1,2,3\n"), HasSubstr("no column 'length'"));
  EXPECT_THAT(refused({"ensemble", "predict"}), HasSubstr("MODEL"));
  EXPECT_THAT(refused({"ensemble", "predict", model}), HasSubstr("FILE"));
  EXPECT_THAT(refused({"ensemble", "predict", folder.path("flowers.csv"), "-"}),
              HasSubstr("safetensors"));
  EXPECT_THAT(
      refused({"ensemble", "predict", model, folder.path("flowers.csv"), "--output", "x.txt"}),
      HasSubstr(".csv or .npy"));
  EXPECT_THAT(refused({"ensemble", "predict", model, folder.path("flowers.csv"), "--output",
                       folder.path("flowers.csv")}),
              HasSubstr("choose another"));
  // Columns whose names are numbers are not found by position under other names.
  const std::string plain = folder.path("plain.safetensors");
  ASSERT_EQ(run({"ensemble", "train", "-", "--target", "3", "--task", "classification", "--members",
                 "2", "--steps", "2", "--output", plain},
                {.input = "1,2,0\n3,1,1\n2,2,0\n4,4,1\n"})
                .code,
            0);
  EXPECT_EQ(run({"ensemble", "predict", plain, "-"}, {.input = "1,2\n3,1\n"}).code, 0);
  EXPECT_THAT(refused({"ensemble", "predict", plain, "-"}, {.input = "a,b\n1,2\n"}),
              HasSubstr("no column '1'"));
}

}  // namespace ensemble_errors_test
}  // namespace bootfold::cli
