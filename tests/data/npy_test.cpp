// .npy files are used where they lie, and never trusted.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "temp_file.h"

namespace bootfold::data {
namespace npy_test {

using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

using Values = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Values values(const Table& table, std::size_t column = 0) {
  Values out(table.view().rows());
  table.view().column(column).read(0, out);
  return out;
}

// A .npy file written by hand: any header, any version.
std::string npy(const std::string& dict, const std::string& payload, int version = 1) {
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(version), '\0'};
  const auto length = static_cast<std::uint32_t>(dict.size());
  file.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return file + dict + payload;
}

std::string dict(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

template <class T>
std::string bytes(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

std::string data_error(const std::string& contents, const ReadOptions& options = {}) {
  const TempFile file("x.npy", contents);
  return message_of<DataError>([&] { (void)read(file.path(), options); });
}

template <class T>
void expect_read(const std::string& descr, Type type) {
  SCOPED_TRACE(descr);
  const TempFile file("x.npy", npy(dict(descr, "(3,)"), bytes(std::vector<T>{1, 0, 100})));
  const Table table = read(file.path());
  EXPECT_EQ(table.view().column(0).type(), type);
  EXPECT_EQ(values(table), (Values{1, 0, type == Type::boolean ? 1.0 : 100.0}));
  EXPECT_EQ(table.bytes(), 3 * sizeof(T));
}

TEST(Npy, EveryNumberTypeIsReadWithoutConversion) {
  expect_read<double>("<f8", Type::float64);
  expect_read<float>("<f4", Type::float32);
  expect_read<std::int64_t>("<i8", Type::int64);
  expect_read<std::int32_t>("<i4", Type::int32);
  expect_read<std::int16_t>("<i2", Type::int16);
  expect_read<std::int8_t>("|i1", Type::int8);
  expect_read<std::uint64_t>("<u8", Type::uint64);
  expect_read<std::uint32_t>("<u4", Type::uint32);
  expect_read<std::uint16_t>("<u2", Type::uint16);
  expect_read<std::uint8_t>("|u1", Type::uint8);
  expect_read<std::uint8_t>("|b1", Type::boolean);
}

TEST(Npy, FormatVersions1To3AreRead) {
  for (const int version : {1, 2, 3}) {
    const TempFile file("x.npy", npy(dict("<f8", "(2,)"), bytes(Values{4, 5}), version));
    EXPECT_EQ(values(read(file.path())), (Values{4, 5}));
  }
  EXPECT_TRUE(
      says(data_error(npy(dict("<f8", "(1,)"), bytes(Values{4}), 4)), "version 4", "1 to 3"));
}

TEST(Npy, HeadersMayDifferInOrderSpaceAndAge) {
  for (const char* text : {"{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<f8\"}",
                           " { 'descr' : '<f8' , 'shape' : ( 2L , ) , 'fortran_order' : False } \n",
                           "{'descr': '=f8', 'fortran_order': True, 'shape': (2), }"}) {
    const TempFile file("x.npy", npy(text, bytes(Values{4, 5})));
    EXPECT_EQ(values(read(file.path())), (Values{4, 5})) << text;
  }
}

TEST(Npy, ColumnsOfAMatrixAreNumberedFrom1InBothOrders) {
  const Values rows = {11, 12, 13, 21, 22, 23};     // 2 x 3, row after row
  const Values columns = {11, 21, 12, 22, 13, 23};  // column after column
  const TempFile c("c.npy", npy(dict("<f8", "(2, 3)"), bytes(rows)));
  const TempFile f("f.npy", npy(dict("<f8", "(2, 3)", true), bytes(columns)));
  for (const TempFile* file : {&c, &f}) {
    const Table table = read(file->path(), {.columns = {"3", "1"}});
    EXPECT_EQ(table.names(), (std::vector<std::string>{"3", "1"}));
    EXPECT_EQ(values(table, 0), (Values{13, 23}));
    EXPECT_EQ(values(table, 1), (Values{11, 21}));
  }
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)read(c.path()); }), "3 columns",
                   "columns=NAME", "'1', '2', '3'"));
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)read(c.path(), {.columns = {"4"}}); }),
                   "no column '4'", "'1', '2', '3'"));
}

TEST(Npy, ViewsStayValidWhenTheTableMovesAndTheFileGoes) {
  auto open = [] {
    const TempFile file("x.npy", npy(dict("<f8", "(2,)"), bytes(Values{4, 5})));
    return read(file.path());
  };
  Table first = open();
  const DataView view = first.view();
  const Table second = std::move(first);
  EXPECT_EQ(view.column(0)[1], 5.0);
}

TEST(Npy, NanIsAnErrorThatNamesTheFirstRowAndColumn) {
  Values numbers(6000, 1.0);
  numbers[2 * 2500 + 1] = kNan;  // row 2501, column 2
  numbers[2 * 2700] = kNan;
  const std::string contents = npy(dict("<f8", "(3000, 2)"), bytes(numbers));
  EXPECT_TRUE(says(data_error(contents, {.columns = {"1", "2"}}), "x.npy: row 2501, column 2",
                   "NaN", "nan=omit"));
  EXPECT_TRUE(says(data_error(contents, {.columns = {"1"}}), "x.npy: row 2701, column 1"));
}

TEST(Npy, OmittedRowsGoInAllChosenColumnsAndAreCounted) {
  std::vector<float> numbers(6000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  numbers[2 * 1 + 1] = static_cast<float>(kNan);
  numbers[2 * 2999] = static_cast<float>(kNan);
  const TempFile file("x.npy", npy(dict("<f4", "(3000, 2)"), bytes(numbers)));
  const Table table = read(file.path(), {.columns = {"2", "1"}, .nan = NanPolicy::omit});
  EXPECT_EQ(table.omitted(), 2U);
  EXPECT_EQ(table.view().rows(), 2998U);
  EXPECT_EQ(table.view().column(0).type(), Type::float32);
  EXPECT_EQ(table.view().column(0)[1], 5.0);
  EXPECT_EQ(table.view().column(1)[2997], 5996.0);
}

TEST(Npy, AllRowsOmittedIsAnError) {
  EXPECT_TRUE(says(
      data_error(npy(dict("<f8", "(2,)"), bytes(Values{kNan, kNan})), {.nan = NanPolicy::omit}),
      "2 rows", "none is left"));
}

TEST(Npy, InfiniteValuesAreErrorsUnderBothPolicies) {
  for (const NanPolicy policy : {NanPolicy::error, NanPolicy::omit})
    EXPECT_TRUE(
        says(data_error(npy(dict("<f8", "(2,)"), bytes(Values{1, -kInfinity})), {.nan = policy}),
             "row 2, column 1", "infinite"));
}

TEST(Npy, OtherTypesAreRefusedWithARemedy) {
  for (const char* descr : {"|O", "<U3", "|S5", "<c16", "<M8[ns]", "<f2", "<f16", "|V8", "", "f",
                            "<f", "<f88", "f8", "|f8", "x"}) {
    SCOPED_TRACE(descr);
    EXPECT_TRUE(says(data_error(npy(dict(descr, "(1,)"), bytes(Values{1}))), "x.npy holds values",
                     "astype('float64')"));
  }
  EXPECT_TRUE(
      says(data_error(npy(dict(">f8", "(1,)"), bytes(Values{1}))), "big-endian", "astype('<f8')"));
  EXPECT_TRUE(
      says(data_error(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
                          bytes(Values{1}))),
           "several fields"));
}

TEST(Npy, ShapesMustHaveOneOrTwoDimensionsThatTheFileCanHold) {
  const std::string payload = bytes(Values{1, 2, 3, 4, 5, 6, 7, 8});
  auto error = [&](const char* shape) { return data_error(npy(dict("<f8", shape), payload)); };
  EXPECT_TRUE(says(error("()"), "0 dimensions", "1 or 2"));
  EXPECT_TRUE(says(error("(2, 2, 2)"), "3 dimensions", "1 or 2", "reshape"));
  EXPECT_TRUE(says(error("(0,)"), "no rows"));
  EXPECT_TRUE(says(error("(4611686018427387904, 0)"), "no columns"));
  EXPECT_TRUE(says(error("(9,)"), "promises 9 x 1 float64", "ends after 8", "complete?"));
  EXPECT_TRUE(says(error("(3, 3)"), "promises 3 x 3"));
  EXPECT_TRUE(says(error("(2305843009213693952,)"), "promises"));    // 2^61: bytes wrap
  EXPECT_TRUE(says(error("(4294967296, 4294967296)"), "promises"));  // 2^64 values
  EXPECT_TRUE(says(error("(99999999999999999999999,)"), "beyond any memory"));
}

TEST(Npy, DamagedFilesAreRefused) {
  const std::string valid = npy(dict("<f8", "(2,)"), bytes(Values{4, 5}));
  EXPECT_TRUE(says(data_error(""), "x.npy is empty"));
  EXPECT_TRUE(says(data_error("PK\x03\x04 an npz file"), "not a .npy file", "NUMPY"));
  EXPECT_TRUE(says(data_error(valid.substr(0, 7)), "cut off"));
  EXPECT_TRUE(says(data_error(valid.substr(0, 9)), "cut off"));
  EXPECT_TRUE(says(data_error(valid.substr(0, 40)), "cut off"));
  EXPECT_TRUE(says(data_error(valid.substr(0, valid.size() - 1)), "complete?"));
  for (const char* text :
       {"", "{", "{}", "[]", "{'descr': '<f8'}", "{'descr': '<f8", "{'descr' '<f8'}", "{'x': 1}",
        "{'descr': '<f8', 'fortran_order': 1, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 1}"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(says(data_error(npy(text, bytes(Values{1}))), "x.npy: the .npy header"));
  }
}

// A million columns in a file of one megabyte must not cost a million names.
TEST(Npy, VeryWideFilesAreCheap) {
  const std::string contents = npy(dict("|u1", "(1, 1000000)"), std::string(1'000'000, '\7'));
  const TempFile file("x.npy", contents);
  EXPECT_EQ(values(read(file.path(), {.columns = {"1000000"}})), Values{7});
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)read(file.path()); }), "1000000 columns",
                   "'20' and 999980 more"));
}

TEST(Npy, MutatedFilesGiveATableOrABootfoldError) {
  const std::string valid = npy(dict("<f8", "(4, 2)"), bytes(Values{1, 2, 3, 4, 5, 6, 7, 8}));
  const std::size_t header = valid.size() - 64;
  std::mt19937 random(13);
  int tables = 0;
  const TempFile file("fuzz.npy");
  for (int round = 0; round < 5000; ++round) {
    std::string contents = valid;
    for (std::size_t change = 1 + random() % 3; change > 0; --change) {
      const std::size_t at = random() % (round % 2 == 0 ? header : contents.size());
      switch (random() % 4) {
        case 0:
          contents[at] = static_cast<char>(random());
          break;
        case 1:
          contents[at] = "0123456789(),'<>|fiub"[random() % 21];
          break;
        case 2:
          contents.erase(at, 1);
          break;
        default:
          contents.insert(at, 1, static_cast<char>('0' + random() % 10));
      }
      if (contents.size() < header) contents.resize(header);
    }
    file.write(contents);
    try {
      const Table table = read(file.path(), {.columns = {"1"}, .nan = NanPolicy::omit});
      for (const double value : values(table)) EXPECT_TRUE(std::isfinite(value));
      ++tables;
    } catch (const DataError&) {
    } catch (const InvalidArgument&) {
    }
  }
  EXPECT_GT(tables, 500);
}

}  // namespace npy_test
}  // namespace bootfold::data
