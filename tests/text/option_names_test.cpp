// Options of the library in the words of a front end.
#include "text/option_names.h"

#include <gtest/gtest.h>

#include <array>

namespace bootfold::text {
namespace option_names_test {

std::string on_the_command_line(std::string_view message) {
  static constexpr auto kNames = std::to_array<OptionName>(
      {{"nan", "--nan"}, {"columns", "--column"}, {"block_length", "--block-length"}});
  return with_option_names(message, kNames, [](std::string_view name, std::string_view value) {
    return std::string(name) + " " + std::string(value);
  });
}

TEST(OptionNames, AreReplacedWhereTheyAreSet) {
  EXPECT_EQ(on_the_command_line("row 3 is NaN; nan=omit leaves such rows out"),
            "row 3 is NaN; --nan omit leaves such rows out");
  EXPECT_EQ(on_the_command_line("take nan=omit, or columns=price."),
            "take --nan omit, or --column price.");
  EXPECT_EQ(on_the_command_line("columns=a-b.c"), "--column a-b.c");
}

TEST(OptionNames, AreReplacedAtTheBeginning) {
  EXPECT_EQ(on_the_command_line("block_length is 0 but must be at least 1"),
            "--block-length is 0 but must be at least 1");
}

TEST(OptionNames, OfOtherThingsStay) {
  for (const char* message : {"", "nan", "nan=", "nan= omit", "all_columns=x", "other=1",
                              "the nan is here", "nanis 3", "columns are 3"})
    EXPECT_EQ(on_the_command_line(message), message);
}

}  // namespace option_names_test
}  // namespace bootfold::text
