// --output and --plot: the replicates as files and pictures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "chart.h"
#include "program.h"

namespace bootfold::cli {
namespace output_test {

using testing::HasSubstr;

constexpr const char* kVisits =
    "variant,revenue\na,1\na,2\na,4\na,7\nb,3\nb,5\nb,6\nb,9\nc,1\nc,2\nc,2\nc,3\n";

std::vector<double> column(const std::string& path, const std::string& name) {
  const data::Table table = data::read(path, {.columns = {name}});
  std::vector<double> values(table.view().rows());
  table.view().column(0).read(0, values);
  return values;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Output, CsvAndParquetFilesHoldTheReplicatesOfTheNpyFile) {
  const Folder folder;
  const std::string file = folder.write("visits.csv", kVisits);
  for (const std::string ending : {"npy", "csv", "parquet"}) {
    const Outcome outcome =
        run({"bootstrap", file, "--column", "revenue", "--statistic", "mean,quantile:0.25",
             "--replicates", "50", "--quiet", "--output", folder.path("r." + ending)});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  for (const std::string ending : {".csv", ".parquet"}) {
    EXPECT_EQ(column(folder.path("r" + ending), "mean"), column(folder.path("r.npy"), "1"));
    EXPECT_EQ(column(folder.path("r" + ending), "quantile:0.25"),
              column(folder.path("r.npy"), "2"));
  }
}

TEST(Output, OtherEndingsAreRefusedBeforeTheWork) {
  EXPECT_THAT(run({"bootstrap", "-", "--output", "r.txt"}).err,
              HasSubstr("--output is 'r.txt' but must end in .npy, .csv or .parquet"));
  EXPECT_THAT(run({"bootstrap", "-", "--plot", "r.pdf"}).err,
              HasSubstr("--plot is 'r.pdf' but must end in .svg or .png"));
  EXPECT_THAT(run({"bootstrap", "-", "--replicates", "exact", "--plot", "r.svg"}).err,
              HasSubstr("omit --plot"));
}

TEST(Plot, PicturesOfBothCommandsAreWritten) {
  const Folder folder;
  const std::string file = folder.write("visits.csv", kVisits);
  for (const std::string ending : {"svg", "png"}) {
    ASSERT_EQ(run({"bootstrap", file, "--column", "revenue", "--statistic", "mean,proportion:2",
                   "--quiet", "--plot", folder.path("r." + ending)})
                  .code,
              0);
    ASSERT_EQ(
        run({"compare", file, "--by", "variant", "--quiet", "--plot", folder.path("c." + ending)})
            .code,
        0);
  }
  const std::string histograms = contents(folder.path("r.svg"));
  EXPECT_THAT(histograms, testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(histograms, HasSubstr("mean of revenue"));
  EXPECT_THAT(histograms, HasSubstr("proportion:2 of revenue"));
  EXPECT_THAT(contents(folder.path("c.svg")), HasSubstr("mean of revenue by variant"));
  for (const char* picture : {"r.png", "c.png"})
    EXPECT_THAT(contents(folder.path(picture)), testing::StartsWith("\x89PNG"));
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Plot, BarsInsideTheIntervalAreDark) {
  HistogramPanel panel{.title = "a < b & c",
                       .note = "",
                       .bins = {.start = 0, .width = 1, .counts = {1, 2, 4, 0, 1}},
                       .marks = {.low = 1, .estimate = 2.2, .high = 3}};
  const std::string svg = draw_histograms(std::vector{panel}).svg();
  EXPECT_EQ(occurrences(svg, "<rect"), 5U);  // the paper and four bars
  EXPECT_EQ(occurrences(svg, "height=\"150.00\""), 1U);
  EXPECT_EQ(occurrences(svg, "height=\"75.00\""), 1U);
  EXPECT_EQ(occurrences(svg, "fill=\"#295c94\"/>"), 2U);
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
}

TEST(Plot, AForestHasItsNamesAndOneNotation) {
  const std::vector<IntervalLine> lines = {
      {"b", -0.5, 0.25, 1.0}, {"c", 0.5, 0.75, std::numeric_limits<double>::infinity()}};
  const ForestPanel panel{.title = "title", .note = "note", .intervals = lines, .unit = "%"};
  const std::string svg = draw_forests(std::vector{panel}).svg();
  EXPECT_EQ(occurrences(svg, "<circle"), 2U);
  for (const char* text : {">b<", ">c<", ">-0.5%<", ">0.0%<", ">1.0%<"})
    EXPECT_THAT(svg, HasSubstr(text));
}

TEST(Plot, SeveralComparisonsAreOneBelowTheOther) {
  const Folder folder;
  const Outcome outcome =
      run({"compare", folder.write("visits.csv", kVisits), "--by", "variant", "--statistic",
           "mean,median", "--quiet", "--plot", folder.path("c.svg")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string svg = contents(folder.path("c.svg"));
  EXPECT_LT(svg.find("mean of revenue by variant"), svg.find("median of revenue by variant"));
  EXPECT_NE(svg.find("median of revenue by variant"), svg.npos);
}

}  // namespace output_test
}  // namespace bootfold::cli
