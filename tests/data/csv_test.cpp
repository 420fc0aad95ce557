// Delimited text as people and programs write it, and as it must not be.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "gzip.h"
#include "temp_file.h"

namespace bootfold::data {
namespace csv_test {

using testing_data::gzipped;
using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

using Values = std::vector<double>;

Values values(const Table& table, std::size_t column = 0) {
  Values out(table.view().rows());
  table.view().column(column).read(0, out);
  return out;
}

Values read_text(std::string_view text, const ReadOptions& options = {},
                 const std::string& name = "prices.csv") {
  const TempFile file(name, text);
  return values(read(file.path(), options));
}

std::string data_error(std::string_view text, const ReadOptions& options = {},
                       const std::string& name = "prices.csv") {
  return message_of<DataError>([&] { (void)read_text(text, options, name); });
}

TEST(Csv, ReadsOneColumnWithAndWithoutHeader) {
  EXPECT_EQ(read_text("price\n1.5\n2\n-3e2\n"), (Values{1.5, 2, -300}));
  EXPECT_EQ(read_text("1.5\n2\n-3e2\n"), (Values{1.5, 2, -300}));
  EXPECT_EQ(read_text("1.5\n2\n-3e2"), (Values{1.5, 2, -300}));
}

TEST(Csv, LineEndsMarksAndBlankLinesAtTheEndDoNotMatter) {
  EXPECT_EQ(read_text("\xEF\xBB\xBFprice\r\n1\r\n2\r\n\r\n\n  \n"), (Values{1, 2}));
  EXPECT_EQ(read_text("\n\nprice\n1\n2\r"), (Values{1, 2}));
}

TEST(Csv, ChoosesColumnsByNameAndByNumberInTheOrderAsked) {
  const TempFile file("prices.csv", "day,price,volume\nMon,1.5,10\nTue,2.5,20\n");
  const Table table = read(file.path(), {.columns = {"volume", "2", "volume"}});
  EXPECT_EQ(table.names(), (std::vector<std::string>{"volume", "price", "volume"}));
  EXPECT_EQ(table.view().name(1), "price");
  EXPECT_EQ(values(table, 0), (Values{10, 20}));
  EXPECT_EQ(values(table, 1), (Values{1.5, 2.5}));
  EXPECT_EQ(values(table, 2), (Values{10, 20}));
  EXPECT_EQ(table.bytes(), 2U * 2 * sizeof(double));
}

TEST(Csv, AHeaderNameThatIsANumberWinsOverTheNumber) {
  EXPECT_EQ(read_text("3,2,1\n10,20,30\n", {.columns = {"3"}, .header = true}), Values{10});
  EXPECT_EQ(read_text("3,2,1\n10,20,30\n", {.columns = {"3"}}), (Values{1, 30}));  // no header
}

TEST(Csv, ColumnsWithoutANameAreCalledByNumber) {
  const TempFile file("frame.csv", ",x\n0,5\n1,6\n");  // as pandas writes its index
  EXPECT_EQ(values(read(file.path(), {.columns = {"1"}})), (Values{0, 1}));
  EXPECT_EQ(values(read(file.path(), {.columns = {"x"}})), (Values{5, 6}));
}

// A missing value in the first line tells nothing about a header.
TEST(Csv, TheFirstLineIsAHeaderIfAFieldIsText) {
  EXPECT_EQ(read_text("NA,1\n2,3\n", {.columns = {"2"}}), (Values{1, 3}));
  EXPECT_EQ(read_text("NA,x\n2,3\n", {.columns = {"x"}}), Values{3});
}

TEST(Csv, QuotedFieldsHoldDelimitersLineEndsAndQuotes) {
  const TempFile file("quoted.csv",
                      "\"a, \"\"b\"\"\",\"line\nend\",x\n\"1\",\"t,\n\r\n\"\"\",\"2.5\"\n3,say "
                      "\"hi\",4\n");
  EXPECT_EQ(values(read(file.path(), {.columns = {"a, \"b\""}})), (Values{1, 3}));
  EXPECT_EQ(values(read(file.path(), {.columns = {"x"}})), (Values{2.5, 4}));
  EXPECT_EQ(read(file.path(), {.columns = {"1"}}).names()[0], "a, \"b\"");
}

TEST(Csv, LineNumbersCountLinesInsideQuotes) {
  EXPECT_TRUE(says(data_error("note,x\n\"a\nb\nc\",1\nd,abc\n", {.columns = {"x"}}),
                   "prices.csv:5:2: 'abc' is not a number"));
}

TEST(Csv, TabsSeparateTsv) {
  EXPECT_EQ(read_text("a,b\tc\n1,5\t2\n", {.columns = {"c"}}, "x.tsv"), Values{2});
  EXPECT_TRUE(
      says(data_error("x\n1\n5\t\n", {}, "x.tsv"), "x.tsv:3: 2 fields but the header has 1"));
}

TEST(Csv, GzipIsReadByName) {
  EXPECT_EQ(read_text(gzipped("x\n1\n2\n"), {}, "x.csv.gz"), (Values{1, 2}));
  EXPECT_EQ(read_text(gzipped("x\ty\n1\t2\n"), {.columns = {"y"}}, "x.TSV.GZ"), Values{2});
  EXPECT_EQ(read_text("x\n1\n", {}, "plain.csv.gz"), Values{1});
}

TEST(Csv, TruncatedAndDamagedGzipIsReported) {
  std::string text = "x\n";
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 10'007) + "\n";
  const std::string packed = gzipped(text);
  for (const std::size_t size : {std::size_t{5}, packed.size() / 2, packed.size() - 3})
    EXPECT_TRUE(says(data_error(packed.substr(0, size), {}, "x.csv.gz"), "x.csv.gz", "gzip",
                     "is the file complete?"));
  std::string damaged = packed;
  damaged[packed.size() / 2] = static_cast<char>(~damaged[packed.size() / 2]);
  EXPECT_THROW((void)read_text(damaged, {}, "x.csv.gz"), DataError);
}

TEST(Csv, NumbersAreSpelledInManyWays) {
  EXPECT_EQ(read_text("x\n+1.5\n -2 \n\t3e+2\n.5\n5.\n1E-3\n-0\n007\n1e-999\n"),
            (Values{1.5, -2, 300, 0.5, 5, 1e-3, 0, 7, 0}));
}

TEST(Csv, OtherTextIsNoNumber) {
  for (const char* text : {"abc", "1.2.3", "1e", "0x10", "1 2", "--1", "+-1", "+", "-", ".", "$5",
                           "1_000", "e5", "-.", "\xFF"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(says(data_error("x\n1\n\"" + std::string(text) + "\"\n"), "prices.csv:3:1: '",
                     "' is not a number (column 'x')", "NA"));
  }
}

// Short numbers take another way through the code than long ones.
TEST(Csv, EveryNumberIsTheNearestDouble) {
  std::mt19937_64 random(7);
  std::string text = "x\n";
  Values expected;
  for (int i = 0; i < 50'000; ++i) {
    std::string number = i % 2 == 0 ? "-" : "";
    const std::size_t digits = 1 + random() % 18;
    const std::size_t point = random() % (digits + 1);
    for (std::size_t d = 0; d < digits; ++d) {
      if (d == point) number += '.';
      number += static_cast<char>('0' + random() % 10);
    }
    expected.push_back(std::stod(number));
    text += number + "\n";
  }
  EXPECT_EQ(read_text(text), expected);
}

TEST(Csv, MissingValuesAreErrorsUnlessTheyAreOmitted) {
  for (const char* missing : {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "-nan", " ", "\"\""}) {
    SCOPED_TRACE(missing);
    const std::string text = "id,x\na,1\nb," + std::string(missing) + "\nc,3\n";
    EXPECT_TRUE(says(data_error(text, {.columns = {"x"}}), "prices.csv:3:2: missing value",
                     "column 'x'", "nan=omit"));
    EXPECT_EQ(read_text(text, {.columns = {"x"}, .nan = NanPolicy::omit}), (Values{1, 3}));
  }
}

TEST(Csv, OmittedRowsGoInAllChosenColumnsAndAreCounted) {
  const TempFile file("x.csv", "a,b,c\n1,10,\n,20,x\n3,NA,x\n4,40,NA\n");
  const Table table = read(file.path(), {.columns = {"b", "a"}, .nan = NanPolicy::omit});
  EXPECT_EQ(values(table, 0), (Values{10, 40}));
  EXPECT_EQ(values(table, 1), (Values{1, 4}));
  EXPECT_EQ(table.omitted(), 2U);
}

TEST(Csv, BlankLinesAreMissingValuesOfOneColumnAndNothingBetweenRowsOfSeveral) {
  EXPECT_TRUE(says(data_error("x\n1\n\n\n2\n"), "prices.csv:3:1: missing value"));
  const TempFile file("x.csv", "x\n1\n\n\n2\n\n");
  const Table table = read(file.path(), {.nan = NanPolicy::omit});
  EXPECT_EQ(values(table), (Values{1, 2}));
  EXPECT_EQ(table.omitted(), 2U);
  EXPECT_EQ(read_text("x,y\n\n1,2\n\n3,4\n", {.columns = {"x"}}), (Values{1, 3}));
}

TEST(Csv, AllRowsOmittedIsAnError) {
  EXPECT_TRUE(says(data_error("x\nNA\nNA\n", {.nan = NanPolicy::omit}), "prices.csv", "2 rows",
                   "none is left"));
}

TEST(Csv, InfiniteValuesAreErrorsUnderBothPolicies) {
  for (const NanPolicy policy : {NanPolicy::error, NanPolicy::omit})
    for (const char* text : {"inf", "-Infinity", "INF", "+inf", "1e999"})
      EXPECT_TRUE(says(data_error("x\n1\n" + std::string(text) + "\n", {.nan = policy}),
                       "prices.csv:3:1: '", "' is infinite (column 'x')"));
}

TEST(Csv, RaggedRowsAreErrors) {
  const ReadOptions x = {.columns = {"x"}};
  EXPECT_TRUE(says(data_error("x,y,z,w\n1,2,3,4\n1,2,3\n", x),
                   "prices.csv:3: 3 fields but the header has 4"));
  EXPECT_TRUE(says(data_error("x,y\n1,2,3\n", x), "prices.csv:2: 3 fields but the header has 2"));
  EXPECT_TRUE(says(data_error("1,2\n3\n", {.columns = {"1"}}),
                   "prices.csv:2: 1 field but the first line has 2"));
  EXPECT_TRUE(says(data_error("x\n1\n2,3\n"), "prices.csv:3: 2 fields but the header has 1"));
}

TEST(Csv, QuotesMustCloseAndEndTheField) {
  EXPECT_TRUE(says(data_error("a,x\n1,2\nb,\"3\n4,5\n6,7\n", {.columns = {"x"}}),
                   "prices.csv:3:2: ", "never closed"));
  EXPECT_TRUE(says(data_error("a,x\n\"b\"c,2\n", {.columns = {"x"}}),
                   "prices.csv:2:1: text after a closing quote"));
}

TEST(Csv, FilesWithoutRowsAreErrors) {
  EXPECT_TRUE(says(data_error(""), "prices.csv is empty"));
  EXPECT_TRUE(says(data_error("\xEF\xBB\xBF\r\n\n"), "prices.csv is empty"));
  EXPECT_TRUE(says(data_error("price\n"), "prices.csv has a header but no rows"));
  EXPECT_TRUE(says(data_error("price\n\n\n"), "prices.csv has a header but no rows"));
}

TEST(Csv, MessagesKnowUsualMistakes) {
  EXPECT_TRUE(says(data_error("x\n1;2\n"), "'1;2' is not a number", "delimiter=semicolon"));
  EXPECT_TRUE(says(data_error("x\n1\n", {.header = false}), "prices.csv:1:1: 'x' is not a number",
                   "header"));
  EXPECT_TRUE(says(data_error(std::string_view("\xFF\xFEx\0\n\0", 6)), "UTF-16", "UTF-8"));
}

// Rows lie across the borders of the blocks in which a file is read, in every position.
TEST(Csv, BlocksLeaveNoSeams) {
  std::string text = "note,x\n";
  Values expected;
  for (int i = 0; i < 60'000; ++i) {
    const std::string filler(static_cast<std::size_t>(i) % 23, 'q');
    text += i % 3 == 0 ? "\"" + filler + "\"\"\n,\"," : filler + ",";
    text += std::to_string(i) + (i % 2 == 0 ? "\r\n" : "\n");
    expected.push_back(i);
  }
  ASSERT_GT(text.size(), 3U << 18);
  EXPECT_EQ(read_text(text, {.columns = {"x"}}), expected);
  EXPECT_EQ(read_text(gzipped(text), {.columns = {"x"}}, "x.csv.gz"), expected);
}

TEST(Csv, ARowMayBeLongerThanABlock) {
  const std::string filler(1'500'000, 'y');
  EXPECT_EQ(read_text("note,x\n" + filler + ",1\n\"" + filler + "\n\",2\n", {.columns = {"x"}}),
            (Values{1, 2}));
}

TEST(Csv, HostileFilesAreRefusedWithoutHugeMemory) {
  EXPECT_TRUE(says(data_error(gzipped("x\n\"" + std::string(80U << 20, 'a')), {}, "x.csv.gz"),
                   "x.csv.gz:2: a row of more than 64 MiB"));
  EXPECT_TRUE(says(data_error(std::string(2U << 20, ',') + "\n1\n", {.columns = {"1"}}),
                   "more than 1048576 columns"));
  EXPECT_TRUE(says(data_error("x\n" + std::string(5000, 'a') + "\n"), "'aaaa", "...'"));
  EXPECT_TRUE(says(data_error(std::string_view("x\n\x01\0\x80\n", 6)), "'\\x01\\x00\\x80'"));
}

TEST(Csv, PipesAreReadWhateverTheirName) {
  const TempFile file("unused");
  const std::string pipe = file.folder() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << "x\n1\n2\n"; });
  EXPECT_EQ(values(read(pipe)), (Values{1, 2}));
  writer.join();
}

// Changed bytes give other values or an error of ours, never a crash.
TEST(Csv, MutatedFilesGiveATableOrABootfoldError) {
  const std::string valid = "day,\"price, $\",n\r\nMon,1.5,\"1\"\n\"T\"\"ue\",2.5e3,\nWed,NA,-7\n";
  const std::string alphabet = std::string("\",\n\r\t 019.eE+-NAinf\xEF\xBB\xFF\x1F\x8B") + '\0';
  std::mt19937 random(11);
  int tables = 0;
  const TempFile file("fuzz.csv");
  for (int round = 0; round < 5000; ++round) {
    std::string text = valid;
    for (std::size_t change = 1 + random() % 4; change > 0; --change) {
      if (text.empty()) break;
      const std::size_t at = random() % text.size();
      const char c = alphabet[random() % alphabet.size()];
      switch (random() % 4) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        case 2:
          text.erase(at, 1 + random() % 3);
          break;
        default:
          text.resize(at + 1);
      }
    }
    file.write(text);
    try {
      const Table table = read(file.path(), {.columns = {"2", "3"}, .nan = NanPolicy::omit});
      for (const double value : values(table, 1)) EXPECT_TRUE(std::isfinite(value));
      ++tables;
    } catch (const DataError&) {
    } catch (const InvalidArgument&) {
    }
  }
  EXPECT_GT(tables, 500);  // the loop reaches the rows, not only the errors
}

}  // namespace csv_test
}  // namespace bootfold::data
