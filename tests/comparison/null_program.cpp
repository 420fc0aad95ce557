// How often p-values are small although nothing differs: the table of docs/compare.md.
//
//   null_program [repetitions [replicates]]
//
// A repetition draws two groups of one exponential law, or of the normal law, and compares their
// means by every method; its seed is its number. The share of p-values of at most 5 % should be
// 5 %, and of at most 1 % it should be 1 %. Exit 1 unless permutation tests, which are right by
// theory for any law, keep to that (4.9 binomial errors: two false alarms in a million each).
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bootfold/bootfold.h"

namespace {

using namespace bootfold;
using interval::Method;

constexpr std::array kMethods = {Method::normal, Method::basic, Method::percentile, Method::bca,
                                 Method::studentized};
constexpr std::array kLevels = {0.05, 0.01};

struct Law {
  const char* name;
  std::function<double(random::Stream&)> draw;
};

/// Shares of p-values at or below each level, [method][level]; the last are of permutation tests.
using Shares = std::array<std::array<double, kLevels.size()>, kMethods.size() + 1>;

Shares shares(const Law& law, std::size_t first, std::size_t second, std::uint64_t repetitions,
              std::uint64_t replicates) {
  Shares found = {};
  data::Labels groups;
  groups.names = {"a", "b"};
  groups.codes.assign(first, 0);
  groups.codes.insert(groups.codes.end(), second, 1);
  std::vector<double> values(first + second);
  for (std::uint64_t repetition = 0; repetition < repetitions; ++repetition) {
    random::Stream stream({.seed = repetition, .replicate = values.size()});
    for (double& value : values) value = law.draw(stream);
    for (std::size_t m = 0; m <= kMethods.size(); ++m) {
      comparison::Options options{
          .replicates = replicates, .seed = repetition, .execution = {.threads = 1}};
      if (m < kMethods.size())
        options.interval = kMethods[m];
      else
        options.test = comparison::Test::permutation;
      const double p = compare(values, groups, statistic::mean(), options).contrasts[0].p_value;
      for (std::size_t l = 0; l < kLevels.size(); ++l)
        if (p <= kLevels[l]) found[m][l] += 1 / static_cast<double>(repetitions);
    }
  }
  return found;
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t repetitions = count > 1 ? std::strtoull(words[1], nullptr, 10) : 4000;
  const std::uint64_t replicates = count > 2 ? std::strtoull(words[2], nullptr, 10) : 999;
  const std::vector<Law> laws = {
      {"normal", [](random::Stream& stream) { return random::normal(stream); }},
      {"exponential", [](random::Stream& stream) { return random::exponential(stream); }}};
  std::printf("| data | rows |");
  for (const Method method : kMethods) std::printf(" %s |", std::string(name(method)).c_str());
  std::printf(" permutation |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  bool good = true;
  for (const Law& law : laws)
    for (const auto& [first, second] :
         {std::pair{10U, 10U}, std::pair{20U, 20U}, std::pair{80U, 80U}, std::pair{20U, 80U}}) {
      const Shares found = shares(law, first, second, repetitions, replicates);
      std::printf("| %s | %u, %u |", law.name, first, second);
      for (const auto& each : found) std::printf(" %.1f, %.1f |", 100 * each[0], 100 * each[1]);
      std::printf("\n");
      std::fflush(stdout);
      for (std::size_t l = 0; l < kLevels.size(); ++l) {
        const double error =
            std::sqrt(kLevels[l] * (1 - kLevels[l]) / static_cast<double>(repetitions));
        good = good && std::abs(found.back()[l] - kLevels[l]) < 4.9 * error + 0.002;
      }
    }
  std::printf("\n%llu repetitions of %llu replicates; binomial errors %.2f and %.2f\n",
              static_cast<unsigned long long>(repetitions),
              static_cast<unsigned long long>(replicates),
              100 * std::sqrt(0.05 * 0.95 / static_cast<double>(repetitions)),
              100 * std::sqrt(0.01 * 0.99 / static_cast<double>(repetitions)));
  return good ? 0 : 1;
}
