// Monte Carlo errors that are stated, divided by those that other seeds show: the tables of
// docs/intervals.md and docs/compare.md.
//
//   monte_carlo_program [seeds [only]]
//
// The data stay the same; only the seed changes. A ratio is the mean of the stated errors divided
// by the standard deviation of the number over the seeds. Its own noise is that of this deviation,
// sqrt((kurtosis - 1) / (4 seeds)), and that of the mean of the errors. Exit 1 if a ratio lies
// farther from 1 than 10 % and 4.9 times its noise, which one within 10 % does once in a million.
// `only`: a word that the name of a line must contain.
#include <algorithm>
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

struct Stated {
  double value;
  double error;
};

/// One number over all seeds.
class Spread {
 public:
  void add(Stated stated) {
    values_.push_back(stated.value);
    errors_.push_back(stated.error);
  }

  [[nodiscard]] double ratio() const { return mean(errors_) / std::sqrt(moment(values_, 2)); }

  [[nodiscard]] double noise() const {
    const double second = moment(values_, 2);
    const double kurtosis = moment(values_, 4) / (second * second);
    const double rough = moment(errors_, 2) / (mean(errors_) * mean(errors_));
    return std::sqrt(((kurtosis - 1) / 4 + rough) / static_cast<double>(values_.size())) * ratio();
  }

  /// Both are what rounding leaves of 0, which has no ratio.
  [[nodiscard]] bool nothing(double unit) const {
    return mean(errors_) < 1e-12 * unit && std::sqrt(moment(values_, 2)) < 1e-12 * unit;
  }

 private:
  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  static double moment(const std::vector<double>& values, int power) {
    const double centre = mean(values);
    double sum = 0;
    for (const double value : values) sum += std::pow(value - centre, power);
    return sum / static_cast<double>(values.size());
  }

  std::vector<double> values_;
  std::vector<double> errors_;
};

std::uint64_t seeds = 1000;
std::string only;
bool good = true;

/// A line of a table: the ratio of each number that `run` states for a seed.
void line(const std::string& name, std::size_t cells,
          const std::function<std::vector<Stated>(std::uint64_t seed)>& run) {
  if (name.find(only) == std::string::npos) return;
  std::vector<Spread> spreads(cells);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const std::vector<Stated> found = run(seed);
    for (std::size_t i = 0; i < cells; ++i) spreads[i].add(found[i]);
  }
  std::printf("| %s |", name.c_str());
  double worst = 0;
  for (const Spread& spread : spreads) {
    if (spread.nothing(1)) {
      std::printf(" 0/0 |");
      continue;
    }
    const double ratio = spread.ratio();
    const double noise = spread.noise();
    const bool right = ratio > 0.9 - 4.9 * noise && ratio < 1.1 + 4.9 * noise;
    worst = std::max(worst, noise);
    good = good && right;
    std::printf(" %.2f%s |", ratio, right ? "" : "!");
  }
  std::printf(" %.2f |\n", worst);
  std::fflush(stdout);
}

constexpr std::array kMethods = {interval::Method::normal, interval::Method::basic,
                                 interval::Method::percentile, interval::Method::bca,
                                 interval::Method::studentized};

/// Standard error, bias and all limits of one run.
std::vector<Stated> numbers(const DataView& data, const Statistic& statistic, const Scheme& scheme,
                            std::uint64_t replicates, std::uint64_t seed, bool studentized) {
  const Result result = bootstrap(data, statistic,
                                  {.replicates = replicates,
                                   .seed = seed,
                                   .scheme = scheme,
                                   .influence = true,
                                   .standard_errors = studentized,
                                   .execution = {.threads = 1}});
  std::vector<Stated> found = {{result.standard_error(), result.standard_error_error()},
                               {result.bias(), result.bias_error()}};
  for (const interval::Method method : kMethods) {
    if (method == interval::Method::studentized && !studentized) continue;
    const Interval made = interval::make(method, result);
    found.push_back({made.low, made.low_error});
    found.push_back({made.high, made.high_error});
  }
  return found;
}

void header(const char* first, const std::vector<std::string>& cells) {
  std::printf("\n| %s |", first);
  for (const std::string& cell : cells) std::printf(" %s |", cell.c_str());
  std::printf(" noise |\n|");
  for (std::size_t i = 0; i < cells.size() + 2; ++i) std::printf(" --- |");
  std::printf("\n");
}

void intervals() {
  random::Stream stream({.seed = 1});
  std::vector<double> x(50);
  std::vector<double> y(50);
  for (double& value : x) value = random::exponential(stream);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + random::exponential(stream);
  const std::vector<ColumnView> both = {ColumnView(std::span<const double>(x)),
                                        ColumnView(std::span<const double>(y))};
  struct Case {
    const char* name;
    DataView data;
    Statistic statistic;
    bool formula;
  };
  const std::vector<Case> cases = {
      {"mean", x, statistic::mean(), true},
      {"variance", x, statistic::variance(), true},
      {"ratio", DataView(both), statistic::ratio(), true},
      {"correlation", DataView(both), statistic::correlation(), false},
      {"median", x, statistic::median(), false},
  };
  header("statistic, scheme, replicates",
         {"se", "bias", "normal", "", "basic", "", "percentile", "", "bca", "", "studentized", ""});
  for (const Case& each : cases)
    for (const Scheme& scheme : {Scheme(scheme::Iid{}), Scheme(scheme::Balanced{})})
      for (const std::uint64_t replicates : {999U, 4999U}) {
        if (replicates > 999 && each.name != std::string("mean")) continue;  // they take longer
        line(std::string(each.name) + ", " + name(scheme) + ", " + std::to_string(replicates),
             each.formula ? 12 : 10, [&](std::uint64_t seed) {
               return numbers(each.data, each.statistic, scheme, replicates, seed, each.formula);
             });
      }
}

void comparisons() {
  random::Stream stream({.seed = 2});
  constexpr std::size_t kGroups = 4;
  std::vector<double> values;
  data::Labels labels;
  for (std::size_t g = 0; g < kGroups; ++g) labels.names.push_back("g" + std::to_string(g));
  for (std::size_t i = 0; i < kGroups * 30; ++i) {
    const std::size_t group = i % kGroups;
    labels.codes.push_back(static_cast<std::uint32_t>(group));
    values.push_back(random::exponential(stream) + 0.1 * static_cast<double>(group));
  }
  const auto shown = [](const comparison::Contrast& each) -> std::vector<Stated> {
    return {{each.adjusted_p_value, each.adjusted_p_value_error},
            {each.adjusted_interval.low, each.adjusted_interval.low_error},
            {each.adjusted_interval.high, each.adjusted_interval.high_error}};
  };
  header("difference, scheme, replicates", {"p", "low", "high"});
  for (const interval::Method method : kMethods)
    for (const Scheme& scheme : {Scheme(scheme::Iid{}), Scheme(scheme::Balanced{})})
      line("difference, " + std::string(name(method)) + ", " + name(scheme) + ", 999", 3,
           [&](std::uint64_t seed) {
             return shown(compare(values, labels, statistic::mean(),
                                  {.groups = {"g1"},
                                   .interval = method,
                                   .replicates = 999,
                                   .seed = seed,
                                   .scheme = scheme,
                                   .execution = {.threads = 1}})
                              .contrasts[0]);
           });
  std::vector<std::string> cells;
  for (std::size_t g = 1; g < kGroups; ++g)
    for (const char* what : {"p", "low", "high"}) cells.push_back(labels.names[g] + " " + what);
  header("simultaneous, scheme, replicates", cells);
  for (const Scheme& scheme : {Scheme(scheme::Iid{}), Scheme(scheme::Balanced{})})
    line("simultaneous, " + name(scheme) + ", 999", cells.size(), [&](std::uint64_t seed) {
      const Comparison found = compare(values, labels, statistic::mean(),
                                       {.correction = comparison::Correction::simultaneous,
                                        .replicates = 999,
                                        .seed = seed,
                                        .scheme = scheme,
                                        .execution = {.threads = 1}});
      std::vector<Stated> numbers;
      for (const comparison::Contrast& each : found.contrasts)
        for (const Stated& stated : shown(each)) numbers.push_back(stated);
      return numbers;
    });
}

}  // namespace

int main(int count, char** words) {
  if (count > 1) seeds = std::strtoull(words[1], nullptr, 10);
  if (count > 2) only = words[2];
  intervals();
  comparisons();
  std::printf("\n%llu seeds; noise: the largest standard deviation of a ratio of the line\n",
              static_cast<unsigned long long>(seeds));
  return good ? 0 : 1;
}
