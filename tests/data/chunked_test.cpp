// A column in several chunks is read as the same numbers in one piece, and copies nothing.
#include "bootfold/chunked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>

#include "bootfold/error.h"

namespace bootfold::data {
namespace chunked_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

template <class T>
std::vector<T> numbers(std::size_t rows) {
  std::vector<T> all(rows);
  for (std::size_t i = 0; i < rows; ++i) all[i] = static_cast<T>(i * 7 % 251);
  return all;
}

/// The values cut at random places, which may coincide: some chunks are empty.
template <class T>
std::vector<ColumnView> cut(const std::vector<T>& values, Type type, std::size_t chunks) {
  std::mt19937 random(static_cast<unsigned>(chunks));
  std::vector<std::size_t> ends(chunks - 1);
  for (std::size_t& end : ends) end = random() % (values.size() + 1);
  std::ranges::sort(ends);
  ends.push_back(values.size());
  std::vector<ColumnView> found;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    found.emplace_back(values.data() + begin, type, end - begin, sizeof(T));
    begin = end;
  }
  return found;
}

template <class T>
void expect_same_as_in_one_piece(Type type) {
  const std::vector<T> values = numbers<T>(1500);
  const ColumnView whole(values.data(), type, values.size(), sizeof(T));
  for (const std::size_t chunks : {1, 2, 7, 1000, 4000}) {
    SCOPED_TRACE(testing::Message() << name(type) << " in " << chunks << " chunks");
    const Chunked chunked(cut(values, type, chunks));
    const ColumnView column(chunked);
    ASSERT_EQ(column.rows(), values.size());
    EXPECT_EQ(column.type(), type);
    std::vector<std::uint64_t> wide(values.size());
    std::iota(wide.rbegin(), wide.rend(), std::uint64_t{0});
    const std::vector<std::uint32_t> narrow(wide.begin(), wide.end());
    std::vector<double> expected(values.size()), found(values.size());
    whole.gather(wide, expected);
    column.gather(wide, found);
    EXPECT_EQ(found, expected);
    column.gather(narrow, found);
    EXPECT_EQ(found, expected);
    for (const std::size_t first : {0, 1, 500, 1499})
      for (const std::size_t rows : {0, 1, 2, 300, 1500}) {
        if (first + rows > values.size()) continue;
        const ColumnView slice = column.slice(first, rows);
        std::vector<double> read(rows), same(rows);
        whole.read(first, same);
        column.read(first, read);
        EXPECT_EQ(read, same);
        slice.read(0, read);
        EXPECT_EQ(read, same);
        std::vector<std::uint32_t> order(rows);
        std::iota(order.begin(), order.end(), 0U);
        slice.gather(order, read);
        EXPECT_EQ(read, same);
      }
  }
}

TEST(Chunked, HasTheValuesOfOnePieceInEveryType) {
  expect_same_as_in_one_piece<double>(Type::float64);
  expect_same_as_in_one_piece<float>(Type::float32);
  expect_same_as_in_one_piece<std::int64_t>(Type::int64);
  expect_same_as_in_one_piece<std::int32_t>(Type::int32);
  expect_same_as_in_one_piece<std::int16_t>(Type::int16);
  expect_same_as_in_one_piece<std::int8_t>(Type::int8);
  expect_same_as_in_one_piece<std::uint64_t>(Type::uint64);
  expect_same_as_in_one_piece<std::uint32_t>(Type::uint32);
  expect_same_as_in_one_piece<std::uint16_t>(Type::uint16);
  expect_same_as_in_one_piece<std::uint8_t>(Type::uint8);
  expect_same_as_in_one_piece<std::uint8_t>(Type::boolean);
}

TEST(Chunked, FindsEveryRowAmongChunksOfAllLengths) {
  const std::vector<double> values = numbers<double>(100'000);
  std::vector<ColumnView> chunks;
  const ColumnView whole(values);
  std::size_t begin = 0;
  for (const std::size_t rows : {1, 0, 1, 1, 90'000, 0, 1, 2, 3, 1})
    chunks.push_back(whole.slice(begin, rows)), begin += rows;
  chunks.push_back(whole.slice(begin, values.size() - begin));
  const Chunked chunked(chunks);
  EXPECT_EQ(chunked.chunks(), 9U);
  const ColumnView column(chunked);
  for (std::size_t row = 0; row < values.size(); ++row) ASSERT_EQ(column[row], values[row]) << row;
}

TEST(Chunked, ChunksMayHaveStridesOfTheirOwn) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const Chunked chunked({ColumnView(values.data() + 5, Type::float64, 3, -16),
                         ColumnView(values.data(), Type::float64, 3, 16)});
  std::vector<double> found(6);
  chunked.read(0, found);
  EXPECT_THAT(found, ElementsAre(6, 4, 2, 1, 3, 5));
  found.resize(3);
  chunked.gather(1, std::vector<std::uint32_t>{4, 0, 1}, found);
  EXPECT_THAT(found, ElementsAre(5, 4, 2));
}

// One virtual call deep: a chunk may be a source, and so may be a column in chunks itself.
TEST(Chunked, ChunksMayBeSources) {
  const std::vector<double> a = {1, 2}, b = {3}, c = {4, 5};
  const Chunked inner({a, b});
  const Chunked outer({ColumnView(inner), c, ColumnView(inner).slice(1, 2)});
  std::vector<double> found(7);
  outer.read(0, found);
  EXPECT_THAT(found, ElementsAre(1, 2, 3, 4, 5, 2, 3));
  found.resize(3);
  ColumnView(outer).gather(std::vector<std::uint64_t>{6, 0, 3}, found);
  EXPECT_THAT(found, ElementsAre(3, 1, 4));
}

TEST(Chunked, DoublesWithinAChunkAreUsedWhereTheyLie) {
  const std::vector<double> a = {1, 2, 3}, b = {4, 5};
  const Chunked chunked({a, b});
  const ColumnView column(chunked);
  EXPECT_TRUE(column.doubles().empty());
  EXPECT_EQ(column.doubles(1, 2).data(), a.data() + 1);
  EXPECT_EQ(column.doubles(1, 2).size(), 2U);
  EXPECT_TRUE(column.doubles(2, 2).empty());
  EXPECT_EQ(column.slice(3, 2).doubles().data(), b.data());
  const std::vector<float> floats = {1, 2};
  EXPECT_TRUE(Chunked({floats}).doubles(0, 1).empty());
}

TEST(Chunked, IntegersAreReadWithoutRounding) {
  const std::vector<std::int64_t> big = {9007199254740993, -1, 9007199254740995};
  const Chunked chunked(
      {ColumnView(big.data(), Type::int64, 1, 8), ColumnView(big.data() + 1, Type::int64, 2, 8)});
  std::vector<std::int64_t> found(3);
  ColumnView(chunked).read_integers(0, found);
  EXPECT_EQ(found, big);
}

TEST(Chunked, MayHaveNoRows) {
  const Chunked none({}), empty({ColumnView(), ColumnView()});
  EXPECT_EQ(none.rows(), 0U);
  EXPECT_EQ(empty.rows(), 0U);
  EXPECT_TRUE(ColumnView(empty).doubles().empty());
  ColumnView(empty).read(0, {});
}

TEST(Chunked, TypesThatDifferAreRefused) {
  const std::vector<double> doubles = {1};
  const std::vector<float> floats = {1};
  EXPECT_THAT(
      [&] {
        (void)Chunked({doubles, doubles, floats});
      },
      ThrowsMessage<InvalidArgument>(
          HasSubstr("chunk 3 is of type float32 but chunk 1 is of type float64")));
}

}  // namespace chunked_test
}  // namespace bootfold::data
