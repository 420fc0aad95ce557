// Quantities with units, written and read.
#include "text/quantity.h"

#include <gtest/gtest.h>

#include <limits>

namespace bootfold::text {
namespace quantity_test {

TEST(Quantity, BytesAreReadWithAnyUnit) {
  EXPECT_EQ(parse_bytes("1000"), 1000U);
  EXPECT_EQ(parse_bytes("64M"), 64U << 20);
  EXPECT_EQ(parse_bytes("64m"), 64U << 20);
  EXPECT_EQ(parse_bytes("1GiB"), 1U << 30);
  EXPECT_EQ(parse_bytes("500MB"), 500'000'000U);
  EXPECT_EQ(parse_bytes("256 MiB"), 256U << 20);
  EXPECT_EQ(parse_bytes(" 1.5 GB "), 1'500'000'000U);
  EXPECT_EQ(parse_bytes("1_000kb"), 1'000'000U);
  EXPECT_EQ(parse_bytes("1e6"), 1'000'000U);
  EXPECT_EQ(parse_bytes("12b"), 12U);
  EXPECT_EQ(parse_bytes("2T"), std::uint64_t{1} << 41);
}

TEST(Quantity, OtherTextIsNotASize) {
  for (const char* text : {"", " ", "M", "-1M", "0", "0.1", "12Q", "1MM", "1e30", "nan", "inf",
                           "1,5G", "1__0", "_1", "1_", "0x10", "5EB", "4 194 304"})
    EXPECT_FALSE(parse_bytes(text)) << text;
  EXPECT_EQ(bad_bytes("memory", "lots"),
            "memory is 'lots' but must be a number of bytes from 1 to 2^62, such as 256M, 64KiB, "
            "1.5GB or 1G");
}

TEST(Quantity, BytesAndSecondsAreWrittenForPeople) {
  EXPECT_EQ(bytes(12), "12 bytes");
  EXPECT_EQ(bytes(0x1p26), "64.0 MiB");
  EXPECT_EQ(bytes(43'200'000), "41.2 MiB");
  EXPECT_EQ(bytes(640 * 1024), "640 KiB");
  EXPECT_EQ(bytes(999.6), "1.0 KiB");
  EXPECT_EQ(bytes(0x1p62), "4.0 EiB");
  EXPECT_EQ(seconds(0.0000123), "0.012 ms");
  EXPECT_EQ(seconds(0.00512), "5.1 ms");
  EXPECT_EQ(seconds(0.012), "12 ms");
  EXPECT_EQ(seconds(8.314), "8.31 s");
  EXPECT_EQ(seconds(200), "3 min 20 s");
  EXPECT_EQ(seconds(20400), "5 h 40 min");
  EXPECT_EQ(seconds(86400 * 12 + 3 * 3600), "12 days 3 h");
  EXPECT_EQ(seconds(1e10), "3.2e+02 years");
  EXPECT_EQ(seconds(std::numeric_limits<double>::infinity()), "unknown");
}

TEST(Quantity, WholeNumbersAreExact) {
  EXPECT_EQ(parse_whole("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(parse_whole("+1_000_000"), 1'000'000U);
  EXPECT_EQ(parse_whole("2.5E3"), 2500U);
  for (const char* text : {"", "1.5", "-1", "1e400", "18446744073709551616", "1 0", "x"})
    EXPECT_FALSE(parse_whole(text)) << text;
}

}  // namespace quantity_test
}  // namespace bootfold::text
