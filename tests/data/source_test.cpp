// However a source is cut into chunks, its rows are those of the file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/file_state.h"
#include "gzip.h"
#include "source_rows.h"
#include "temp_file.h"

namespace bootfold::data {
namespace source_test {

using testing_data::gzipped;
using testing_data::message_of;
using testing_data::npy_file;
using testing_data::Rows;
using testing_data::rows_of;
using testing_data::says;
using testing_data::TempFile;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 0.5 * static_cast<double>(i) - 100;
  return values;
}

std::string csv_of(const Rows& columns) {
  std::string text = "a,b,c\n";
  for (std::size_t row = 0; row < columns[0].size(); ++row)
    text += std::to_string(columns[0][row]) + ',' + std::to_string(columns[1][row]) + ",text " +
            std::to_string(row) + '\n';
  return text;
}

Rows two_columns(std::size_t rows) {
  Rows columns(2);
  for (std::size_t row = 0; row < rows; ++row) {
    columns[0].push_back(static_cast<double>(row));
    columns[1].push_back(static_cast<double>(row * row % 97) - 0.25);
  }
  return columns;
}

std::string error_of_pass(const Source& source) {
  return message_of<DataError>([&] { (void)rows_of(source); });
}

TEST(MemorySource, EveryCutGivesTheSameRows) {
  const std::vector<double> x = numbers(1001);
  const std::vector<float> y(1001, 0.5F);
  const DataView view({ColumnView(x), ColumnView(y)}, {"x", "y"});
  for (const std::size_t chunk : {1, 2, 7, 1000, 1001, 5000}) {
    const MemorySource source(view, chunk);
    EXPECT_EQ(source.names(), (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(source.rows(), 1001U);
    std::vector<std::size_t> sizes;
    const Rows rows = rows_of(source, &sizes);
    EXPECT_EQ(rows[0], x);
    EXPECT_EQ(rows[1], std::vector<double>(1001, 0.5));
    EXPECT_EQ(sizes.front(), std::min<std::size_t>(chunk, 1001));
    EXPECT_EQ(rows_of(source), rows);  // a second pass
  }
}

TEST(MemorySource, RefusesChunksWithoutRows) {
  const std::vector<double> x = {1};
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { MemorySource(x, 0); }), "chunk_rows is 0"));
}

TEST(NpySource, EveryCutOfBothOrdersGivesTheSameRows) {
  const Rows columns = two_columns(1000);
  std::vector<float> by_rows, by_columns;
  for (std::size_t row = 0; row < 1000; ++row)
    for (const auto& column : columns) by_rows.push_back(static_cast<float>(column[row]));
  for (const auto& column : columns)
    for (const double value : column) by_columns.push_back(static_cast<float>(value));
  const TempFile c("c.npy", npy_file("<f4", "(1000, 2)", by_rows));
  const TempFile f("f.npy", npy_file("<f4", "(1000, 2)", by_columns, true));
  for (const std::string& path : {c.path(), f.path()})
    for (const std::size_t bytes : {1, 8, 16, 56, 8000, 1 << 20}) {
      SCOPED_TRACE(testing::Message() << path << ", chunks of " << bytes << " bytes");
      EXPECT_EQ(rows_of(*open(path, {.columns = {"1", "2"}}, bytes)), columns);
      EXPECT_EQ(rows_of(*open(path, {.columns = {"2"}}, bytes)), Rows{columns[1]});
      EXPECT_EQ(rows_of(*open(path, {.columns = {"2", "1", "2"}}, bytes)),
                (Rows{columns[1], columns[0], columns[1]}));
    }
}

TEST(NpySource, KeepsTypesAndTellsTheNumberOfRows) {
  const TempFile file("x.npy", npy_file<std::int64_t>("<i8", "(3,)", {1, 1LL << 60, -5}));
  const auto source = open(file.path());
  EXPECT_EQ(source->rows(), 3U);
  EXPECT_EQ(source->names(), std::vector<std::string>{"1"});
  const auto chunk = source->open()->next();
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->view.column(0).type(), Type::int64);
  std::vector<std::int64_t> values(3);
  chunk->view.column(0).read_integers(0, values);
  EXPECT_EQ(values[1], 1LL << 60);
}

TEST(NpySource, ChunksOutliveThePassAndTheSource) {
  const std::vector<double> values = numbers(100);
  const TempFile file("x.npy", npy_file("<f8", "(100,)", values));
  std::vector<Chunk> chunks;
  {
    const auto source = open(file.path(), {}, 80);
    const auto pass = source->open();
    while (auto chunk = pass->next()) chunks.push_back(*chunk);
  }
  ASSERT_EQ(chunks.size(), 10U);
  for (std::size_t row = 0; row < 100; ++row)
    EXPECT_EQ(chunks[row / 10].view.column(0)[row % 10], values[row]);
}

TEST(NpySource, SaysWhereNanIs) {
  std::vector<double> values = numbers(40);
  values[33] = kNan;
  const TempFile file("x.npy", npy_file("<f8", "(20, 2)", values));
  const ReadOptions both{.columns = {"1", "2"}};
  EXPECT_TRUE(says(error_of_pass(*open(file.path(), both, 64)), "x.npy: row 17, column 2",
                   "is NaN; nan=omit"));
  EXPECT_EQ(rows_of(*open(file.path(), {.columns = {"1"}}, 64))[0].size(), 20U);
  ReadOptions omit = both;
  omit.nan = NanPolicy::omit;
  for (const std::size_t bytes : {16, 64, 1 << 20}) {
    const auto source = open(file.path(), omit, bytes);
    EXPECT_EQ(source->rows(), std::nullopt);
    const Rows rows = rows_of(*source);
    EXPECT_EQ(rows[0].size(), 19U);
    EXPECT_EQ(rows[0][16], values[34]);
    EXPECT_EQ(notes(*source).omitted, 1U);
  }
}

TEST(NpySource, ATruncatedFileIsNamedWithItsPosition) {
  const TempFile file("x.npy", npy_file("<f8", "(1000,)", numbers(1000)));
  const auto source = open(file.path(), {}, 800);
  const auto pass = source->open();
  ASSERT_TRUE(pass->next());
  const auto size = std::filesystem::file_size(file.path());
  std::filesystem::resize_file(file.path(), size - 4000);
  EXPECT_TRUE(says(message_of<DataError>([&] {
                     while (pass->next()) {
                     }
                   }),
                   "x.npy ends at byte ", std::to_string(size - 4000)));
}

TEST(NpySource, AnUnreadableFileIsNamedWithItsPosition) {
  const int number = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (number < 0) GTEST_SKIP() << "no /proc";
  char byte = 0;
  EXPECT_TRUE(says(message_of<DataError>([&] { read_at(number, 0, &byte, 1, "x.npy"); }),
                   "cannot read x.npy at byte 0: Input/output error"));
  ::close(number);
}

TEST(RawSource, ReadsRowsBehindAnOffset) {
  const std::vector<std::int16_t> values = {1, -2, 3, -4, 5, -6};
  std::string bytes = "head:";
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * 2);
  const TempFile file("x.bin", bytes);
  const RawFormat format{.type = Type::int16, .columns = 2, .offset = 5};
  for (const std::size_t chunk : {1, 4, 100}) {
    const auto source = open_raw(file.path(), format, {.columns = {"2"}}, chunk);
    EXPECT_EQ(source->rows(), 3U);
    EXPECT_EQ(rows_of(*source), (Rows{{-2, -4, -6}}));
  }
  EXPECT_TRUE(says(message_of<DataError>([&] {
                     (void)open_raw(file.path(), RawFormat{.type = Type::int16, .columns = 4});
                   }),
                   "x.bin", "no whole number of rows", "check type, columns and offset"));
  EXPECT_TRUE(says(message_of<DataError>([&] {
                     (void)open_raw(file.path(), RawFormat{.type = Type::int16, .offset = 100});
                   }),
                   "x.bin has 17 bytes", "100"));
}

TEST(CsvSource, EveryCutGivesTheSameRows) {
  const Rows columns = two_columns(1000);
  const std::string text = csv_of(columns);
  const TempFile plain("x.csv", text);
  const TempFile packed("x.csv.gz", gzipped(text));
  for (const std::string& path : {plain.path(), packed.path()})
    for (const std::size_t rows : {1, 2, 7, 1000, 5000}) {
      SCOPED_TRACE(testing::Message() << path << ", chunks of " << rows << " rows");
      const auto source = open(path, {.columns = {"b", "a"}}, rows * 16);
      EXPECT_EQ(source->rows(), std::nullopt);
      EXPECT_EQ(source->names(), (std::vector<std::string>{"b", "a"}));
      EXPECT_EQ(rows_of(*source), (Rows{columns[1], columns[0]}));
      EXPECT_EQ(rows_of(*source), (Rows{columns[1], columns[0]}));
    }
}

TEST(CsvSource, KnowsDialectsAndOmitsRows) {
  const TempFile file("x.csv", "\xEF\xBB\xBFpreis;n\r\n1.234,5;1\r\n-;2\r\n7;3\r\n");
  ReadOptions options{.columns = {"preis"},
                      .nan = NanPolicy::omit,
                      .decimal = ',',
                      .thousands = '.',
                      .missing = std::vector<std::string>{"-"}};
  for (const std::size_t bytes : {8, 16, 1000}) {
    const auto source = open(file.path(), options, bytes);
    EXPECT_EQ(rows_of(*source), (Rows{{1234.5, 7}}));
    EXPECT_EQ(notes(*source).omitted, 1U);
  }
  options.nan = NanPolicy::error;
  EXPECT_TRUE(says(error_of_pass(*open(file.path(), options, 8)), "x.csv:3:1: missing value"));
}

TEST(CsvSource, AsksAboutAFirstLineOfYearsAtTheEndOfAPass) {
  const TempFile file("x.csv", "2019,2020\n1,2\n3,4\n5,6\n");
  for (const std::size_t bytes : {8, 16, 1000})
    EXPECT_TRUE(says(message_of<InvalidArgument>(
                         [&] { (void)rows_of(*open(file.path(), {.columns = {"2"}}, bytes)); }),
                     "x.csv:1: this line may be a header or a row", "2020 in column 2", "2 to 6"));
  const TempFile other("y.csv", "1,2\n3,4\n");
  EXPECT_TRUE(
      says(notes(*open(other.path(), {.columns = {"2"}})).note, "y.csv:1", "read as a row"));
}

TEST(CsvSource, ATruncatedGzipFileIsNamedWithTheLine) {
  std::string packed = gzipped(csv_of(two_columns(200'000)));
  packed.resize(packed.size() / 2);
  const TempFile file("x.csv.gz", packed);
  const std::string message = error_of_pass(*open(file.path(), {.columns = {"a"}}));
  EXPECT_TRUE(says(message, "x.csv.gz: the gzip data end too early", "after line "));
}

TEST(FileSource, NoticesThatAFileChanged) {
  const std::vector<double> values = numbers(10'000);
  for (const char* name : {"x.npy", "x.csv"}) {
    SCOPED_TRACE(name);
    std::string contents = "x\n";
    for (const double value : values) contents += std::to_string(value) + "\n";
    if (std::string(name) == "x.npy") contents = npy_file("<f8", "(10000,)", values);
    const TempFile file(name, contents);
    const auto source = open(file.path());
    EXPECT_EQ(rows_of(*source)[0], values);
    const auto time = std::filesystem::last_write_time(file.path());

    file.write(contents + (std::string(name) == "x.npy" ? "12345678" : "1\n"));
    EXPECT_TRUE(says(error_of_pass(*source), name, "changed since it was first read", "size"));

    std::string other = contents;
    other[other.size() - 2] = other[other.size() - 2] == '1' ? '2' : '1';
    file.write(other);
    std::filesystem::last_write_time(file.path(), time);
    EXPECT_TRUE(says(error_of_pass(*source), "changed", "contents differ"));

    file.write(contents);
    std::filesystem::last_write_time(file.path(), time + std::chrono::nanoseconds(1000));
    EXPECT_TRUE(says(error_of_pass(*source), "changed", "written to"));
    std::filesystem::last_write_time(file.path(), time);
    EXPECT_EQ(rows_of(*source)[0], values);
  }
}

TEST(FileSource, RefusesLabelsAndBadChunks) {
  const TempFile file("x.csv", "x,g\n1,a\n");
  EXPECT_TRUE(says(message_of<InvalidArgument>(
                       [&] { (void)open(file.path(), {.columns = {"x"}, .labels = {"g"}}); }),
                   "labels and texts"));
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)open(file.path(), {}, 0); }),
                   "chunk_bytes is 0"));
}

TEST(PipeSource, IsReadIntoMemoryOnceForAllPasses) {
  const TempFile file("pipe");
  std::filesystem::remove(file.path());
  ASSERT_EQ(::mkfifo(file.path().c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(file.path()) << "1,2\n3,NA\n5,6\n7,8\n"; });
  const auto source =
      open(file.path(), {.columns = {"2"}, .nan = NanPolicy::omit, .where = "`1` < 6"}, 8);
  writer.join();
  EXPECT_EQ(rows_of(*source), (Rows{{2, 6}}));
  EXPECT_EQ(rows_of(*source), (Rows{{2, 6}}));
  EXPECT_EQ(notes(*source).omitted, 1U);
  EXPECT_EQ(notes(*source).filtered, 1U);
  EXPECT_TRUE(says(notes(*source).note, "pipe:1: this line holds only numbers"));
}

TEST(Load, KeepsTypesAndMatchesRead) {
  const TempFile file("x.npy", npy_file<std::int64_t>("<i8", "(3,)", {1, (1LL << 60) + 1, -5}));
  const Table table = load(*open(file.path(), {}, 8));
  EXPECT_EQ(table.view().column(0).type(), Type::int64);
  std::vector<std::int64_t> values(3);
  table.view().column(0).read_integers(0, values);
  EXPECT_EQ(values, (std::vector<std::int64_t>{1, (1LL << 60) + 1, -5}));
  EXPECT_EQ(table.bytes(), 24U);
  EXPECT_EQ(table.names(), std::vector<std::string>{"1"});
}

TEST(Load, ChunksOfDifferentTypesBecomeDoubles) {
  struct Mixed final : Source {
    const std::vector<std::string>& names() const noexcept override { return names_; }
    std::optional<std::uint64_t> rows() const noexcept override { return 4; }
    std::unique_ptr<Pass> open() const override {
      struct Both final : Pass {
        explicit Both(const Mixed& mixed) : mixed_(mixed) {}
        std::optional<Chunk> next() override {
          ++calls_;
          if (calls_ == 2)
            return Chunk{DataView({ColumnView(mixed_.integers.data(), Type::int32, 2, 4)})};
          if (calls_ == 3) return Chunk{DataView(mixed_.doubles)};
          return std::nullopt;
        }
        const Mixed& mixed_;
        int calls_ = 1;
      };
      return std::make_unique<Both>(*this);
    }
    std::vector<std::string> names_ = {"x"};
    std::vector<std::int32_t> integers = {1, 2};
    std::vector<double> doubles = {0.5, -7};
  } mixed;
  const Table table = load(mixed);
  EXPECT_EQ(table.view().column(0).type(), Type::float64);
  std::vector<double> values(4);
  table.view().column(0).read(0, values);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 0.5, -7}));
}

}  // namespace source_test
}  // namespace bootfold::data
