// A view reads any number type at any stride as double, and copies nothing.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "temp_file.h"

namespace bootfold {
namespace view_test {

using testing_data::message_of;
using testing_data::says;

template <class T>
std::vector<double> read_all(const std::vector<T>& values, data::Type type) {
  const ColumnView column(values.data(), type, values.size(), sizeof(T));
  std::vector<double> out(values.size());
  column.read(0, out);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(column[i], out[i]);
  return out;
}

template <class T>
std::vector<double> extremes() {
  return {static_cast<double>(std::numeric_limits<T>::lowest()), 0.0, 1.0,
          static_cast<double>(std::numeric_limits<T>::max())};
}

template <class T>
std::vector<double> read_extremes(data::Type type) {
  EXPECT_EQ(data::size_of(type), sizeof(T));
  return read_all<T>({std::numeric_limits<T>::lowest(), 0, 1, std::numeric_limits<T>::max()}, type);
}

TEST(ColumnView, EveryTypeIsReadAsDouble) {
  EXPECT_EQ(read_extremes<double>(data::Type::float64), extremes<double>());
  EXPECT_EQ(read_extremes<float>(data::Type::float32), extremes<float>());
  EXPECT_EQ(read_extremes<std::int64_t>(data::Type::int64), extremes<std::int64_t>());
  EXPECT_EQ(read_extremes<std::int32_t>(data::Type::int32), extremes<std::int32_t>());
  EXPECT_EQ(read_extremes<std::int16_t>(data::Type::int16), extremes<std::int16_t>());
  EXPECT_EQ(read_extremes<std::int8_t>(data::Type::int8), extremes<std::int8_t>());
  EXPECT_EQ(read_extremes<std::uint64_t>(data::Type::uint64), extremes<std::uint64_t>());
  EXPECT_EQ(read_extremes<std::uint32_t>(data::Type::uint32), extremes<std::uint32_t>());
  EXPECT_EQ(read_extremes<std::uint16_t>(data::Type::uint16), extremes<std::uint16_t>());
  EXPECT_EQ(read_extremes<std::uint8_t>(data::Type::uint8), extremes<std::uint8_t>());
}

TEST(ColumnView, AnyByteButZeroIsTrue) {
  EXPECT_EQ(read_all<std::uint8_t>({0, 1, 2, 255}, data::Type::boolean),
            (std::vector<double>{0, 1, 1, 1}));
}

TEST(ColumnView, TypesHaveTheNamesOfNumPy) {
  EXPECT_EQ(data::name(data::Type::float64), "float64");
  EXPECT_EQ(data::name(data::Type::uint8), "uint8");
  EXPECT_EQ(data::name(data::Type::boolean), "boolean");
}

TEST(ColumnView, StridesReachColumnsOfAMatrixForwardsAndBackwards) {
  std::vector<float> matrix(12);  // 4 rows, 3 columns
  std::iota(matrix.begin(), matrix.end(), 0.0F);
  const ColumnView forwards(&matrix[1], data::Type::float32, 4, 12);
  const ColumnView backwards(&matrix[10], data::Type::float32, 4, -12);
  std::array<double, 2> tile{};
  forwards.read(1, tile);
  EXPECT_EQ(tile, (std::array<double, 2>{4, 7}));
  backwards.read(1, tile);
  EXPECT_EQ(tile, (std::array<double, 2>{7, 4}));
  EXPECT_TRUE(forwards.doubles().empty());
}

TEST(ColumnView, GathersRowsInAnyOrderAndAgain) {
  const std::vector<float> matrix = {0, 1, 2, 3, 4, 5};  // 3 rows, 2 columns
  const std::vector<std::uint32_t> narrow = {2, 0, 2};
  const std::vector<std::uint64_t> wide = {2, 0, 2};
  std::array<double, 3> out{};
  const ColumnView second(&matrix[1], data::Type::float32, 3, 8);
  second.gather(narrow, out);
  EXPECT_EQ(out, (std::array<double, 3>{5, 1, 5}));
  second.gather(wide, out);
  EXPECT_EQ(out, (std::array<double, 3>{5, 1, 5}));
  ColumnView(matrix).gather(wide, out);
  EXPECT_EQ(out, (std::array<double, 3>{2, 0, 2}));
}

TEST(ColumnView, ContiguousDoublesAreUsedWhereTheyLie) {
  const std::vector<double> values = {3, 1, 4, 1, 5};
  EXPECT_EQ(ColumnView(values).doubles().data(), values.data());
  EXPECT_EQ(ColumnView(values).doubles().size(), 5U);
  EXPECT_TRUE(ColumnView(std::vector<float>{1, 2}).doubles().empty());
}

// Compilers may load several doubles at once only from aligned addresses.
TEST(ColumnView, MisalignedDoublesAreReadButNotHandedOut) {
  std::array<char, 17> bytes{};
  const std::array<double, 2> values = {1.5, -2.5};
  std::memcpy(&bytes[1], values.data(), 16);
  std::array<double, 2> out{};
  const ColumnView column(&bytes[1], data::Type::float64, 2, 8);
  column.read(0, out);
  EXPECT_EQ(out, values);
  EXPECT_NE(column.doubles().empty(), reinterpret_cast<std::uintptr_t>(&bytes[1]) % 8 == 0);
}

TEST(ColumnView, ASliceIsAColumnOfItsOwn) {
  const std::vector<double> numbers = {1, 2, 3, 4, 5, 6};
  const ColumnView strided(numbers.data() + 5, data::Type::float64, 3, -16);  // 6 4 2
  const ColumnView slice = strided.slice(1, 2);
  EXPECT_EQ(slice.rows(), 2U);
  EXPECT_EQ(slice[0], 4);
  EXPECT_EQ(slice[1], 2);
  EXPECT_EQ(ColumnView(numbers).slice(2, 3).doubles().data(), numbers.data() + 2);
}

TEST(ColumnView, IntegersAreReadWithoutRounding) {
  const std::vector<std::int64_t> numbers = {9007199254740993, -1};
  std::vector<std::int64_t> out(2);
  ColumnView(numbers.data(), data::Type::int64, 2, 8).read_integers(0, out);
  EXPECT_EQ(out, numbers);
}

TEST(ColumnView, AnEmptyViewHasNoRows) {
  const ColumnView column;
  EXPECT_EQ(column.rows(), 0U);
  EXPECT_TRUE(column.doubles().empty());
  column.read(0, {});
}

TEST(ColumnView, RowsWithoutValuesAreRefused) {
  EXPECT_TRUE(says(
      message_of<InvalidArgument>([] { (void)ColumnView(nullptr, data::Type::float64, 3, 8); }),
      "3 rows", "pointer is null"));
}

TEST(DataView, ColumnsMustBeEquallyLong) {
  const std::vector<double> seven(7), five(5);
  const DataView fine({ColumnView(seven), ColumnView(seven)});
  EXPECT_EQ(fine.rows(), 7U);
  EXPECT_EQ(fine.columns(), 2U);
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     (void)DataView({ColumnView(seven), ColumnView(five)});
                   }),
                   "column 2 has 5 rows but column 1 has 7", "equally long"));
}

TEST(DataView, ColumnsAreCalledByNameOrByNumberFrom1) {
  const std::vector<double> x(3);
  EXPECT_EQ(DataView({ColumnView(x), ColumnView(x)}, {"price", "volume"}).name(1), "volume");
  EXPECT_EQ(DataView(x).name(0), "1");
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     (void)DataView({ColumnView(x)}, {"price", "volume"});
                   }),
                   "2 names for 1 columns"));
}

TEST(DataView, AColumnIsFoundByANameThatNoOtherHas) {
  const std::vector<double> values = {1, 2};
  const DataView data({ColumnView(values), ColumnView(values), ColumnView(values)},
                      {"a", "b", "a"});
  EXPECT_EQ(data.find("b"), 1U);
  EXPECT_EQ(data.find("c"), std::nullopt);
  EXPECT_EQ(data.find("a", 2), 0U);
  try {
    (void)data.find("a");
    ADD_FAILURE() << "two columns have the name";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "the data have several columns 'a', the first are number 1 and 3; give them "
                 "different names");
  }
}

TEST(DataView, AColumnOrAVectorIsADataViewOfOneColumn) {
  const std::vector<double> doubles = {1, 2};
  const std::vector<float> floats = {1, 2, 3};
  const DataView from_doubles = doubles, from_floats = floats, none;
  EXPECT_EQ(from_doubles.rows(), 2U);
  EXPECT_EQ(from_floats.column(0)[2], 3.0);
  EXPECT_EQ(none.rows(), 0U);
  EXPECT_EQ(none.columns(), 0U);
  EXPECT_THROW((void)none.column(0), std::out_of_range);
}

}  // namespace view_test
}  // namespace bootfold
