// Named arrays in a file: there and back, and one clear message for every broken one.
#include "data/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "bootfold/error.h"
#include "data/temp_file.h"

namespace bootfold::data {
namespace safetensors_test {

using testing_data::contents_of;
using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

std::string with_length(const std::string& header, const std::string& arrays = "") {
  const std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + arrays;
}

std::string message(const std::string& contents) {
  const TempFile file("x.safetensors", contents);
  return message_of<DataError>([&] { SafetensorsFile read(file.path()); });
}

TEST(Safetensors, RoundTrip) {
  const TempFile file("x.safetensors");
  const std::vector<double> a = {1, 2, 3, 4, 5, 6};
  const std::vector<double> b = {-0.5};
  write_safetensors(file.path(), {{"word", "meaning \" \\ \n"}},
                    std::vector<Tensor>{{"a", {2, 3}, a}, {"b", {}, b}, {"none", {0, 7}, {}}});
  SafetensorsFile read(file.path());
  EXPECT_EQ(read.words().at("word"), "meaning \" \\ \n");
  EXPECT_EQ(read.doubles("a"), a);
  EXPECT_EQ(read.doubles("b"), b);
  EXPECT_EQ(read.doubles("a"), a);
  EXPECT_TRUE(read.doubles("none").empty());
  EXPECT_EQ(read.entry("a").shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_TRUE(read.has("b"));
  EXPECT_FALSE(read.has("c"));
  EXPECT_TRUE(says(message_of<DataError>([&] { static_cast<void>(read.doubles("c")); }),
                   file.path(), "no array 'c'"));
}

TEST(Safetensors, FloatsRoundTrip) {
  const TempFile file("x.safetensors");
  const std::vector<float> a = {1.5F, -0.0F, 1e-40F, 3.0F};
  const std::vector<double> b = {7};
  write_safetensors(file.path(), {},
                    std::vector<Tensor>{Tensor::of_floats("a", {2, 2}, a), {"b", {1}, b}});
  SafetensorsFile read(file.path());
  EXPECT_EQ(read.entry("a").type, "F32");
  const std::vector<float> found = read.floats("a");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(std::memcmp(found.data(), a.data(), sizeof(float) * 4), 0);
  EXPECT_TRUE(says(message_of<DataError>([&] { static_cast<void>(read.doubles("a")); }), "'a'",
                   "not of type F64"));
  EXPECT_TRUE(says(message_of<DataError>([&] { static_cast<void>(read.floats("b")); }), "'b'",
                   "not of type F32"));
}

// Or a small file could ask for a lot of memory.
TEST(Safetensors, ArraysAreContiguousAndFillTheFile) {
  const std::string a = R"("a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]})";
  const std::string same = R"("b":{"dtype":"F64","shape":[1],"data_offsets":[0,8]})";
  const std::string half = R"("b":{"dtype":"F64","shape":[1],"data_offsets":[4,12]})";
  const std::string next = R"("b":{"dtype":"F64","shape":[1],"data_offsets":[8,16]})";
  const std::string bytes(16, 'x');
  const auto both = [&](const std::string& b) {
    return with_length("{" + a + "," + b + "}", bytes);
  };
  EXPECT_TRUE(says(message(both(same)), "not contiguous"));
  EXPECT_TRUE(says(message(both(half)), "not contiguous"));
  EXPECT_TRUE(says(message(with_length("{" + a + "}", bytes)), "do not fill the file"));
  EXPECT_TRUE(says(message(with_length("{" + next + "}", bytes)), "not contiguous"));
  const TempFile good("x.safetensors", both(next));
  EXPECT_EQ(SafetensorsFile(good.path()).doubles("b").size(), 1U);
}

// What others rely on: eight bytes of length, JSON, arrays at a multiple of eight.
TEST(Safetensors, TheLayoutIsTheStandardOne) {
  const TempFile file("x.safetensors");
  const std::vector<double> values = {1.5};
  write_safetensors(file.path(), {{"k", "v"}}, std::vector<Tensor>{{"x", {1}, values}});
  const std::string bytes = contents_of(file.path());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  ASSERT_EQ(bytes.size(), 8 + length + 8);
  EXPECT_EQ(
      bytes.substr(8, length).find(
          R"({"__metadata__":{"k":"v"},"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})"),
      0U);
  double value = 0;
  std::memcpy(&value, bytes.data() + 8 + length, 8);
  EXPECT_EQ(value, 1.5);
}

TEST(Safetensors, BrokenFiles) {
  EXPECT_TRUE(says(message(""), "x.safetensors", "too short"));
  EXPECT_TRUE(says(message("1234567"), "too short"));
  EXPECT_TRUE(says(message(std::string(8, '\xff')), "header is longer than the file"));
  EXPECT_TRUE(says(message("x,y\n1,2\n3,4\n"), "header is longer than the file"));
  EXPECT_TRUE(says(message(with_length("{\"a\":")), "not a JSON object"));
  EXPECT_TRUE(says(message(with_length("[1,2]")), "not a JSON object"));
  EXPECT_TRUE(says(message(with_length(std::string(100'000, '['))), "not a JSON object"));
  EXPECT_TRUE(says(message(with_length(R"({"a":1})")), "'a' is not a JSON object"));
  EXPECT_TRUE(says(message(with_length(R"({"__metadata__":{"a":1}})")), "'a' is not text"));
  EXPECT_TRUE(says(message(with_length(R"({"a":{"dtype":"F64"}})")), "'a' has no dtype"));
  EXPECT_TRUE(says(message(with_length(R"({"a":{"dtype":"F64","shape":[-1],"data_offsets":[0,8]}})",
                                       "12345678")),
                   "'a' has no dtype, shape"));
  EXPECT_TRUE(says(
      message(with_length(R"({"a":{"dtype":"F63","shape":[1],"data_offsets":[0,8]}})", "12345678")),
      "does not fit"));
  EXPECT_TRUE(says(
      message(with_length(R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,8]}})", "12345678")),
      "does not fit"));
  EXPECT_TRUE(
      says(message(with_length(
               R"({"a":{"dtype":"F64","shape":[9223372036854775807,4],"data_offsets":[0,8]}})")),
           "does not fit"));
  EXPECT_TRUE(says(message(with_length(R"({"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}})",
                                       "12345678")),
                   "was it cut?"));
}

TEST(Safetensors, OtherFilesAreRejected) {
  EXPECT_TRUE(says(message_of<DataError>([] { SafetensorsFile read("/none/x.safetensors"); }),
                   "/none/x.safetensors", "No such file"));
  EXPECT_TRUE(says(message_of<DataError>([] { SafetensorsFile read("/tmp"); }), "not a file"));
}

TEST(Safetensors, ShapesMustFit) {
  const TempFile file("x.safetensors");
  const std::vector<double> values = {1, 2};
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                     write_safetensors(file.path(), {}, std::vector<Tensor>{{"x", {3}, values}});
                   }),
                   "'x'"));
}

}  // namespace safetensors_test
}  // namespace bootfold::data
