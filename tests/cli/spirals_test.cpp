// `bootfold demo spirals`: numbers, a picture, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "program.h"

namespace bootfold::cli {
namespace spirals_test {

using testing::HasSubstr;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The numbers of a line that begins with `name`.
std::vector<double> numbers(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("  " + name + " ") != 0) continue;
    std::istringstream words(line.substr(name.size() + 2));
    std::vector<double> found;
    for (double number = 0; words >> number;) found.push_back(number);
    return found;
  }
  return {};
}

TEST(DemoSpirals, EvaluatesAndDrawsBothModels) {
  const Folder folder;
  const std::string path = folder.path("picture.png");
  const Outcome outcome = run({"demo", "spirals", "--members", "20", "--output", path});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(path));
  const std::vector<double> accuracy = numbers(outcome.out, "accuracy");
  ASSERT_EQ(accuracy.size(), 3U) << outcome.out;  // one network, ensemble, out of bag
  for (const double share : accuracy) {
    EXPECT_GT(share, 0.8);
    EXPECT_LE(share, 1);
  }
  for (const char* name : {"NLL", "Brier score", "ECE"})
    EXPECT_EQ(numbers(outcome.out, name).size(), 3U) << name << "\n" << outcome.out;
  EXPECT_EQ(content(path).substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(folder.files(), std::vector<std::string>{"picture.png"});
}

TEST(DemoSpirals, GivesTheSamePictureForAnyNumberOfThreads) {
  const Folder folder;
  std::vector<std::string> files;
  for (const char* threads : {"1", "3"}) {
    const std::string path = folder.path("picture.svg");
    const Outcome outcome = run({"demo", "spirals", "--members", "20", "--steps", "50", "--output",
                                 path, "--threads", threads});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    files.push_back(content(path));
  }
  EXPECT_EQ(files[0].substr(0, 5), "<?xml");
  EXPECT_EQ(files[0], files[1]);
}

TEST(DemoSpirals, RejectsInvalidArguments) {
  const Folder folder;
  const auto complaint = [&](const std::string& option, const std::string& value) {
    const Outcome outcome = run({"demo", "spirals", option, value});
    EXPECT_EQ(outcome.code, 2) << option << " " << value;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(complaint("--output", folder.path("picture.jpg")), HasSubstr(".png or .svg"));
  EXPECT_THAT(complaint("--output", folder.path("nowhere/picture.png")), HasSubstr("nowhere"));
  EXPECT_THAT(complaint("--hidden", "32,0"), HasSubstr("--hidden"));
  EXPECT_THAT(complaint("--members", "1"), HasSubstr("--members"));
  EXPECT_THAT(complaint("--steps", "0"), HasSubstr("--steps"));
  EXPECT_THAT(complaint("--learning-rate", "0"), HasSubstr("--learning-rate"));
  EXPECT_TRUE(folder.files().empty());
}

}  // namespace spirals_test
}  // namespace bootfold::cli
