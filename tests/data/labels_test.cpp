// Labels: codes and names from text and numbers, in memory and from files.
#include "bootfold/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "data/label_builder.h"
#include "gzip.h"
#include "temp_file.h"

namespace bootfold::data {
namespace labels_test {

using testing::ElementsAre;
using testing_data::gzipped;
using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

using Names = std::vector<std::string>;
using Codes = std::vector<std::uint32_t>;
using Values = std::vector<double>;

Labels of_texts(const Names& texts) { return labels(std::span<const std::string>(texts)); }

// The text that stands for each row.
Names spelled(const Labels& labels) {
  Names texts;
  for (const std::uint32_t code : labels.codes) texts.push_back(labels.names.at(code));
  return texts;
}

Values values(const Table& table) {
  Values out(table.view().rows());
  table.view().column(0).read(0, out);
  return out;
}

TEST(Labels, CodesPointToSortedNames) {
  const Labels labels = of_texts({"pear", "apple", "pear", "fig", "apple", "pear"});
  EXPECT_EQ(labels.codes, (Codes{2, 0, 2, 1, 0, 2}));
  EXPECT_EQ(labels.names, (Names{"apple", "fig", "pear"}));
  EXPECT_EQ(labels.rows(), 6U);
  EXPECT_EQ(labels.size(), 3U);
  EXPECT_EQ(labels.counts(), (std::vector<std::uint64_t>{2, 1, 3}));
  EXPECT_EQ(labels.find("fig"), 1U);
  EXPECT_EQ(labels.find("figs"), std::nullopt);
}

TEST(Labels, TextsInMemoryAreTakenAsTheyAre) {
  EXPECT_EQ(of_texts({"", " a", "a", "NA"}).names, (Names{"", " a", "NA", "a"}));
  EXPECT_EQ(of_texts({}).size(), 0U);
  const std::vector<std::string_view> views = {"b", "a"};
  EXPECT_EQ(labels(std::span<const std::string_view>(views)).codes, (Codes{1, 0}));
}

TEST(Labels, NumbersSortByValueAndTextsByBytes) {
  EXPECT_EQ(of_texts({"10", "9", "-2.5", "1e3"}).names, (Names{"-2.5", "9", "10", "1e3"}));
  EXPECT_EQ(of_texts({"10", "9", "x"}).names, (Names{"10", "9", "x"}));
  EXPECT_EQ(of_texts({"1.0", "1"}).names, (Names{"1", "1.0"}));  // two texts, two labels
}

TEST(Labels, IntegersKeepAllTheirDigits) {
  const std::vector<std::int64_t> numbers = {9007199254740993, 9007199254740992, -9007199254740993,
                                             -9007199254740992, 7};
  const Labels found = labels(std::span<const std::int64_t>(numbers));
  EXPECT_EQ(found.names, (Names{"-9007199254740993", "-9007199254740992", "7", "9007199254740992",
                                "9007199254740993"}));
  EXPECT_EQ(found.codes, (Codes{4, 3, 0, 1, 2}));
  const std::vector<std::uint64_t> large = {~std::uint64_t{0}, 1, ~std::uint64_t{0} - 1};
  EXPECT_EQ(labels(ColumnView(large.data(), Type::uint64, 3, 8)).names,
            (Names{"1", "18446744073709551614", "18446744073709551615"}));
  const std::vector<std::int32_t> small = {3, -1, 3};
  EXPECT_EQ(labels(std::span<const std::int32_t>(small)).codes, (Codes{1, 0, 1}));
}

TEST(Labels, FloatingPointPrintsShort) {
  const Values doubles = {0.1, 10'000'000, -0.0, 0.0, 1e300, 2.5};
  EXPECT_EQ(labels(ColumnView(doubles)).names, (Names{"0", "0.1", "2.5", "10000000", "1e+300"}));
  const std::vector<float> floats = {0.1F, 3.0F, 0.1F};
  EXPECT_EQ(spelled(labels(ColumnView(floats))), (Names{"0.1", "3", "0.1"}));
  const std::vector<std::uint8_t> flags = {0, 7, 1};
  EXPECT_EQ(spelled(labels(ColumnView(flags.data(), Type::boolean, 3, 1))), (Names{"0", "1", "1"}));
}

TEST(Labels, NanAndInfinityAreErrors) {
  const Values numbers = {1, 2, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)labels(ColumnView(numbers)); }), "row 3",
                   "NaN", "omit such rows"));
  const Values infinite = {std::numeric_limits<double>::infinity()};
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)labels(ColumnView(infinite)); }), "row 1",
                   "infinite"));
}

TEST(Labels, ManyLabelsAreKept) {
  Names texts;
  for (int i = 0; i < 50'000; ++i) texts.push_back("user" + std::to_string(i * 7919 % 20'011));
  const Labels labels = of_texts(texts);
  EXPECT_EQ(labels.size(), 20'011U);
  EXPECT_EQ(spelled(labels), texts);
}

TEST(Labels, OneTooManyIsRefused) {
  LabelBuilder builder("user", 3);
  for (const char* text : {"a", "b", "c", "a"}) builder.add(text);
  EXPECT_TRUE(says(message_of<DataError>([&] { builder.add("d"); }), "column 'user'",
                   "more than 3 different labels"));
}

TEST(LabelColumns, AreAlignedWithTheValues) {
  const TempFile file("v.csv", "variant,day,revenue\nB,1,10\n A ,2,20\n\"B\",3,30\n");
  const Table table =
      read(file.path(), {.columns = {"revenue"}, .labels = {"variant", "day", "variant"}});
  EXPECT_EQ(values(table), (Values{10, 20, 30}));
  EXPECT_EQ(spelled(table.labels()), (Names{"B", "A", "B"}));
  EXPECT_EQ(table.labels().column, "variant");
  EXPECT_EQ(spelled(table.labels(1)), (Names{"1", "2", "3"}));
  EXPECT_EQ(table.labels(1).column, "day");
  EXPECT_EQ(table.labels(2).codes, table.labels(0).codes);
  EXPECT_EQ(table.names(), (Names{"revenue"}));
  EXPECT_EQ(table.bytes(), 3 * (8U + 3 * 4U));
  EXPECT_THROW((void)table.labels(3), std::out_of_range);
}

TEST(LabelColumns, AreReadFromTsvAndGzipAndWithQuotes) {
  const std::string text = "g\tx\n\"a \"\"b\"\"\"\t1\n\"c,\nd\"\t2\na \"b\"\t3\n";
  for (const bool packed : {false, true}) {
    const TempFile file(packed ? "v.tsv.gz" : "v.tsv", packed ? gzipped(text) : text);
    EXPECT_THAT(spelled(read(file.path(), {.columns = {"x"}, .labels = {"g"}}).labels()),
                ElementsAre("a \"b\"", "c,\nd", "a \"b\""));
  }
}

TEST(LabelColumns, AColumnMayBeValueAndLabel) {
  const TempFile file("v.csv", "x\n2\n1\n2\n");
  const Table table = read(file.path(), {.columns = {"x"}, .labels = {"x"}});
  EXPECT_EQ(values(table), (Values{2, 1, 2}));
  EXPECT_EQ(table.labels().codes, (Codes{1, 0, 1}));
}

TEST(LabelColumns, TheOnlyOtherColumnHoldsTheValues) {
  const TempFile file("v.csv", "g,x\na,2\nb,1\n");
  EXPECT_EQ(values(read(file.path(), {.labels = {"g"}})), (Values{2, 1}));
  const TempFile three("v.csv", "g,x,y\na,2,3\n");
  EXPECT_TRUE(
      says(message_of<InvalidArgument>([&] { (void)read(three.path(), {.labels = {"g"}}); }),
           "none is chosen", "'g', 'x', 'y'"));
}

TEST(LabelColumns, UnknownColumnsListTheAvailableOnes) {
  const TempFile file("v.csv", "variant,revenue\na,2\n");
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     (void)read(file.path(), {.columns = {"revenue"}, .labels = {"varaint"}});
                   }),
                   "no column 'varaint'", "did you mean 'variant'?", "'variant', 'revenue'"));
}

TEST(LabelColumns, OmittedRowsDoNotAffectLabels) {
  const TempFile file("v.csv", "g,x\na,1\nonly,NA\n,3\nNA,4\n\"NA\",5\nb,6\n");
  const Table table =
      read(file.path(), {.columns = {"x"}, .labels = {"g"}, .nan = NanPolicy::omit});
  EXPECT_EQ(values(table), (Values{1, 5, 6}));
  EXPECT_EQ(spelled(table.labels()), (Names{"a", "NA", "b"}));
  EXPECT_EQ(table.labels().size(), 3U);
  EXPECT_EQ(table.omitted(), 3U);
}

TEST(LabelColumns, AMissingLabelIsNamed) {
  const auto error = [](const char* text) {
    const TempFile file("v.csv", text);
    return message_of<DataError>(
        [&] { (void)read(file.path(), {.columns = {"x"}, .labels = {"g"}}); });
  };
  EXPECT_TRUE(says(error("g,x\na,1\n,2\n"), "v.csv:3:1", "missing label (column 'g')", "nan=omit"));
  EXPECT_TRUE(says(error("g,x\na,1\nnull,2\n"), "v.csv:3:1", "missing label", "quotes"));
  EXPECT_TRUE(says(error("g,x\na,1\n\"\",2\n"), "v.csv:3:1", "missing label"));
}

TEST(LabelColumns, AnAmbiguousHeaderIsAnError) {
  const TempFile bare("v.csv", "A,1\nB,2\n");
  EXPECT_TRUE(says(message_of<InvalidArgument>(
                       [&] { (void)read(bare.path(), {.columns = {"2"}, .labels = {"1"}}); }),
                   "v.csv:1", "header or a row", "header=yes or header=no"));
  EXPECT_EQ(read(bare.path(), {.columns = {"2"}, .labels = {"1"}, .header = false}).view().rows(),
            2U);
  EXPECT_EQ(read(bare.path(), {.columns = {"2"}, .labels = {"1"}, .header = true}).view().rows(),
            1U);
  const TempFile named("v.csv", "g,x\nA,1\nB,2\n");  // 'x' is no number: a header
  EXPECT_EQ(read(named.path(), {.columns = {"2"}, .labels = {"1"}}).view().rows(), 2U);
  const TempFile years("v.csv", "country,2019\nA,1\n");  // asked for by name: a header
  EXPECT_EQ(read(years.path(), {.columns = {"2019"}, .labels = {"country"}}).view().rows(), 1U);
  const TempFile numbers("v.csv", "1,10\n2,20\n");
  EXPECT_EQ(read(numbers.path(), {.columns = {"2"}, .labels = {"1"}}).view().rows(), 2U);
}

template <class T>
std::string npy(const std::string& type, std::size_t rows, const std::vector<T>& numbers) {
  std::string dict = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(rows) + ", " + std::to_string(numbers.size() / rows) + "), }";
  dict.resize(117, ' ');
  dict += '\n';
  std::string file = std::string("\x93NUMPY\x01", 7) + std::string("\0\x76\0", 3) + dict;
  file.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
  return file;
}

TEST(LabelColumns, OfNpyFilesAreNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TempFile file("v.npy", npy<double>("<f8", 5, {2.5, 10, 1, nan, 2.5, 30, nan, 40, 9, 50}));
  const ReadOptions options{.columns = {"2"}, .labels = {"1"}, .nan = NanPolicy::omit};
  const Table table = read(file.path(), options);
  EXPECT_EQ(values(table), (Values{10, 30, 50}));
  EXPECT_EQ(spelled(table.labels()), (Names{"2.5", "2.5", "9"}));
  EXPECT_EQ(table.labels().column, "1");
  EXPECT_EQ(table.omitted(), 2U);
  EXPECT_EQ(table.view().columns(), 1U);
  EXPECT_TRUE(says(
      message_of<DataError>([&] { (void)read(file.path(), {.columns = {"2"}, .labels = {"1"}}); }),
      "row 2, column 2", "NaN"));
}

TEST(LabelColumns, OfNpyFilesKeepLargeIntegersApart) {
  const TempFile file("v.npy",
                      npy<std::int64_t>("<i8", 2, {9007199254740993, 1, 9007199254740992, 2}));
  const Table table = read(file.path(), {.labels = {"1"}});
  EXPECT_EQ(table.labels().codes, (Codes{1, 0}));
  EXPECT_EQ(values(table), (Values{1, 2}));
}

TEST(LabelColumns, ManyRowsOfAFileComeInOrder) {
  std::string text = "g,x\n";
  Names expected;
  for (int i = 0; i < 30'000; ++i) {
    expected.push_back("label" + std::to_string(i / 3 % 1000));
    text += expected.back() + "," + std::to_string(i) + "\n";
  }
  const TempFile file("v.csv", text);
  const Table table = read(file.path(), {.labels = {"g"}});
  EXPECT_EQ(spelled(table.labels()), expected);
  EXPECT_EQ(table.view().column(0)[29'999], 29'999);
}

TEST(CombinedLabels, AreSortedColumnByColumnAndNamedByBoth) {
  const std::vector<std::string> letters = {"b", "a", "b", "a", "b"};
  const std::vector<std::int64_t> numbers = {10, 2, 9, 2, 10};
  const std::array both{labels(std::span<const std::string>(letters)),
                        labels(std::span<const std::int64_t>(numbers))};
  const Labels all = combined(both);
  EXPECT_EQ(all.names, (Names{"a, 2", "b, 9", "b, 10"}));
  EXPECT_EQ(all.codes, (Codes{2, 0, 1, 0, 2}));
  EXPECT_EQ(combined({both.data(), 1}).names, (Names{"a", "b"}));
}

TEST(CombinedLabels, WithCommasKeepTheirPartsApart) {
  const std::vector<std::string> first = {"a, b", "a"};
  const std::vector<std::string> second = {"c", "b, c"};
  const std::array both{labels(std::span<const std::string>(first)),
                        labels(std::span<const std::string>(second))};
  EXPECT_EQ(combined(both).names, (Names{"a, \"b, c\"", "\"a, b\", c"}));
}

// So many possible combinations that they are found by sorting.
TEST(CombinedLabels, OfManyLabelsAreThoseThatOccur) {
  std::vector<std::int64_t> numbers(3000);
  std::vector<std::int64_t> others(3000);
  for (std::size_t row = 0; row < 3000; ++row) {
    numbers[row] = static_cast<std::int64_t>(row);
    others[row] = static_cast<std::int64_t>(2999 - row);
  }
  const Labels all = combined(std::array{labels(std::span<const std::int64_t>(numbers)),
                                         labels(std::span<const std::int64_t>(others))});
  ASSERT_EQ(all.size(), 3000U);
  EXPECT_EQ(all.names[17], "17, 2982");
  EXPECT_EQ(all.codes[17], 17U);
}

TEST(CombinedLabels, NeedTheSameRows) {
  const std::vector<std::string> two = {"a", "b"};
  const std::vector<std::string> three = {"a", "b", "c"};
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     (void)combined(std::array{labels(std::span<const std::string>(two)),
                                               labels(std::span<const std::string>(three))});
                   }),
                   "2", "3"));
}

}  // namespace labels_test
}  // namespace bootfold::data
