// Every module has kernels of its own for every level that can run: a level that got the table of
// another would still give the same bits, only more slowly. The dot product extension of ARM is of
// use to module study alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "bootfold/execution.h"
#include "ensemble/simd/kernels.h"
#include "exact/simd/kernels.h"
#include "random/simd/kernels.h"
#include "resample/simd/kernels.h"
#include "study/simd/kernels.h"

namespace bootfold::simd {
namespace table_test {

using execution::Level;

template <class Kernels>
void expect_own_tables(const Kernels& (*kernels)(Level) noexcept, bool dotprod = false) {
  std::set<const Kernels*> tables;
  for (const Level level : execution::available_levels()) tables.insert(&kernels(level));
  const auto levels = execution::available_levels();
  const auto shared = dotprod ? 0 : std::count(levels.begin(), levels.end(), Level::dotprod);
  EXPECT_EQ(tables.size(), levels.size() - static_cast<std::size_t>(shared));
}

TEST(Table, IsAnotherForEveryLevel) {
  expect_own_tables(random::simd::kernels);
  expect_own_tables(resample::simd::kernels);
  expect_own_tables(study::simd::kernels, true);
  expect_own_tables(exact::simd::kernels);
  expect_own_tables(ensemble::simd::kernels);
}

TEST(Table, OfThePortableLevelIsThePortableOne) {
  constexpr auto kLevel = Level::portable;
  EXPECT_EQ(&random::simd::kernels(kLevel), &random::simd::kPortable);
  EXPECT_EQ(&resample::simd::kernels(kLevel), &resample::simd::kPortable);
  EXPECT_EQ(&study::simd::kernels(kLevel), &study::simd::kPortable);
  EXPECT_EQ(&exact::simd::kernels(kLevel), &exact::simd::kPortable);
  EXPECT_EQ(&ensemble::simd::kernels(kLevel), &ensemble::simd::kPortable);
}

}  // namespace table_test
}  // namespace bootfold::simd
