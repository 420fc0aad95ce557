// A build without zlib reads plain text files and refuses compressed ones.
#include <gtest/gtest.h>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "data/temp_file.h"

namespace bootfold {
namespace without_zlib {

using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

TEST(WithoutZlib, PlainTextIsRead) {
  std::string text = "x\n";
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i) + "\n";  // several blocks
  const TempFile file("x.csv", text);
  const data::Table table = data::read(file.path());
  ASSERT_EQ(table.view().rows(), 200'000U);
}

TEST(WithoutZlib, CompressedTextIsRefusedWithTheReason) {
  const TempFile file("x.csv.gz", "\x1f\x8b\x08 and so on");
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)data::read(file.path()); }), "x.csv.gz",
                   "compressed with gzip", "BOOTFOLD_ZLIB=OFF", "unpack it first"));
}

}  // namespace without_zlib
}  // namespace bootfold
