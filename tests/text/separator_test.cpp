// Separators are known by character and by name.
#include "text/separator.h"

#include <gtest/gtest.h>

#include <string>

namespace bootfold::text {
namespace separator_test {

TEST(Separator, EveryNameIsThatOfItsCharacter) {
  for (const char separator : std::string(",;\t| .'_")) {
    const std::string name = separator_name(separator);
    EXPECT_GT(name.size(), 1U);
    EXPECT_EQ(parse_separator(name), separator) << name;
    EXPECT_EQ(parse_separator({&separator, 1}), separator) << name;
  }
}

TEST(Separator, OtherCharactersHaveNoName) {
  EXPECT_EQ(separator_name('#'), "#");
  EXPECT_EQ(parse_separator("#"), '#');
  EXPECT_EQ(parse_separator("\\t"), '\t');
  for (const char* word : {"", "Tab", "commas", ";;", "\\n"})
    EXPECT_EQ(parse_separator(word), std::nullopt) << word;
}

}  // namespace separator_test
}  // namespace bootfold::text
