// Choices by name.
#include "text/choice.h"

#include <gtest/gtest.h>

#include <array>

#include "text/nearest.h"

namespace bootfold::text {
namespace choice_test {

enum class Fruit { apple, cherry };
std::string_view name(Fruit fruit) { return fruit == Fruit::apple ? "apple" : "cherry"; }

TEST(Choice, IsFoundByItsName) {
  EXPECT_EQ(choose("fruit", "cherry", std::array{Fruit::apple, Fruit::cherry}), Fruit::cherry);
}

TEST(Choice, ThatIsUnknownIsRefusedWithAllNames) {
  try {
    static_cast<void>(choose("fruit", "chery", std::array{Fruit::apple, Fruit::cherry}));
    FAIL() << "accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "fruit is 'chery' but must be one of apple, cherry; did you mean 'cherry'?");
  }
}

TEST(Nearest, TakesTheBeginningOfAWord) {
  const std::vector<std::string> names = {"--resampling", "--replicates", "--seed"};
  EXPECT_EQ(nearest("--repl", names), "--replicates");
  EXPECT_EQ(nearest("--sead", names), "--seed");
  EXPECT_EQ(nearest("--xyzzy", names), "");
}

}  // namespace choice_test
}  // namespace bootfold::text
