// Which instruction sets there are, and how a person picks one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "bootfold/resample.h"
#include "text/concat.h"

namespace bootfold::execution {
namespace level_test {

/// Sets BOOTFOLD_SIMD (or unsets it) and puts back what was there.
class Wanted {
 public:
  explicit Wanted(const char* value) {
    if (const char* old = std::getenv("BOOTFOLD_SIMD")) old_ = old;
    set(value);
  }
  ~Wanted() { set(old_ ? old_->c_str() : nullptr); }
  Wanted(const Wanted&) = delete;
  Wanted& operator=(const Wanted&) = delete;

 private:
  static void set(const char* value) {
    if (value != nullptr) {
      setenv("BOOTFOLD_SIMD", value, 1);
    } else {
      unsetenv("BOOTFOLD_SIMD");
    }
  }

  std::optional<std::string> old_;
};

TEST(Level, HasAName) {
  EXPECT_EQ(name(Level::portable), "portable");
  EXPECT_EQ(name(Level::avx2), "avx2");
  EXPECT_EQ(name(Level::avx512), "avx512");
  EXPECT_EQ(name(Level::neon), "neon");
  EXPECT_EQ(name(Level::dotprod), "dotprod");
}

TEST(Level, PortableIsAlwaysThereAndTheSlowest) {
  const auto levels = available_levels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels.front(), Level::portable);
  EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end()));
  EXPECT_EQ(std::adjacent_find(levels.begin(), levels.end()), levels.end());
}

TEST(Level, IsTheFastestUnlessTheEnvironmentNamesOne) {
  for (const char* value : {static_cast<const char*>(nullptr), ""}) {
    const Wanted wanted(value);
    EXPECT_EQ(default_level(), available_levels().back());
  }
  for (const Level level : available_levels()) {
    const Wanted wanted(std::string(name(level)).c_str());
    EXPECT_EQ(default_level(), level);
  }
}

TEST(Level, UnknownNamesAreErrorsThatListTheAvailableLevels) {
  std::string list;
  for (const Level level : available_levels())
    list += (list.empty() ? "" : ", ") + std::string(name(level));
  for (const char* value : {"nonsense", "AVX2", "avx", " portable"}) {
    const Wanted wanted(value);
    EXPECT_THAT([] { static_cast<void>(default_level()); },
                testing::ThrowsMessage<InvalidArgument>(testing::StrEq(
                    text::concat("BOOTFOLD_SIMD is '", value, "' but this machine can run: ", list,
                                 "; unset it to use the fastest"))));
  }
}

TEST(Level, ThatCannotRunHereIsAnError) {
  const auto levels = available_levels();
  for (const Level level : {Level::portable, Level::avx2, Level::avx512, Level::neon,
                            Level::dotprod, static_cast<Level>(99)}) {
    if (std::find(levels.begin(), levels.end(), level) != levels.end()) {
      EXPECT_NO_THROW(check_available(level));
      continue;
    }
    EXPECT_THAT([&] { check_available(level); },
                testing::ThrowsMessage<InvalidArgument>(testing::StrEq(text::concat(
                    "level is ", name(level),
                    " but this machine cannot run it; available_levels() lists those it "
                    "can"))));
    EXPECT_THROW(static_cast<void>(resample::counts(10, {}, level)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(resample::indices(10, {}, level)), InvalidArgument);
  }
}

}  // namespace level_test
}  // namespace bootfold::execution
