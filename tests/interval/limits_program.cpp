// How often intervals hold the truth, method by method and scheme by scheme: the tables of
// docs/limits.md.
//
//   limits_program [--repetitions N] [--replicates R] [--check docs/limits.md]
//
// A repetition draws new data, bootstraps them and makes every interval; its seed is its number.
// With --check the coverages are also compared with those of the page: exit 1 if a row of a table
// is missing there, or if a coverage is farther from the printed one than chance explains. All
// comparisons together raise a false alarm once in a million seeds; the seed is fixed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/bootfold.h"

namespace {

using namespace bootfold;
using interval::Method;
using random::Stream;

constexpr std::array kMethods = {Method::normal, Method::basic,       Method::percentile,
                                 Method::bca,    Method::studentized, Method::abc};
constexpr std::array kConfidences = {0.90, 0.95};
/// What the page was printed with.
constexpr std::uint64_t kRepetitions = 2000;
constexpr std::uint64_t kReplicates = 1000;

struct Sample {
  std::vector<std::vector<double>> columns;
  std::vector<std::uint32_t> labels = {};  // strata or clusters
  std::vector<double> probabilities = {};

  [[nodiscard]] DataView view() const {
    return DataView(std::vector<ColumnView>(columns.begin(), columns.end()));
  }
};

/// One row of a table.
struct Case {
  std::string label;
  std::size_t rows;
  std::function<Sample(Stream&, std::size_t)> draw;
  Statistic statistic;
  double truth;
  std::function<Scheme(const Sample&)> scheme = [](const Sample&) { return scheme::Iid{}; };
  bool studentized = false;
  double rescale = Options{}.rescale;
};

struct Table {
  const char* title;
  std::vector<Case> cases;
};

/// Independent rows of one column.
template <class Draw>
std::function<Sample(Stream&, std::size_t)> independent(Draw draw) {
  return [draw](Stream& stream, std::size_t rows) {
    std::vector<double> x(rows);
    for (double& value : x) value = draw(stream);
    return Sample{{std::move(x)}};
  };
}

const auto kNormal = independent([](Stream& stream) { return random::normal(stream); });
const auto kExponential = independent([](Stream& stream) { return random::exponential(stream); });
const auto kLognormal = independent([](Stream& s) { return std::exp(random::normal(s)); });
const auto kUniform = independent([](Stream& stream) { return random::uniform(stream); });
/// P(x > t) = t^-1.5: the mean is 3, the variance infinite.
const auto kPareto = independent([](Stream& s) { return std::pow(random::uniform(s), -1 / 1.5); });

/// Two normal columns with correlation 0.5.
Sample correlated(Stream& stream, std::size_t rows) {
  Sample sample{{std::vector<double>(rows), std::vector<double>(rows)}};
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = random::normal(stream);
    sample.columns[0][i] = x;
    sample.columns[1][i] = 0.5 * x + std::sqrt(0.75) * random::normal(stream);
  }
  return sample;
}

/// Exponential x, and y with mean 2 given x = 1; the ratio of the means of y and x is 2.
Sample proportional(Stream& stream, std::size_t rows) {
  Sample sample{{std::vector<double>(rows), std::vector<double>(rows)}};
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = random::exponential(stream);
    sample.columns[1][i] = x;
    sample.columns[0][i] = x + random::exponential(stream);
  }
  return sample;
}

/// Exponential rows with weights from 0.5 on that have nothing to do with them, as a column.
Sample with_weights(Stream& stream, std::size_t rows) {
  Sample sample{{std::vector<double>(rows), std::vector<double>(rows)}};
  for (std::size_t i = 0; i < rows; ++i) {
    sample.columns[0][i] = random::exponential(stream);
    sample.columns[1][i] = 0.5 + random::exponential(stream);
  }
  return sample;
}

/// The same weights as probabilities of draws.
Sample with_probabilities(Stream& stream, std::size_t rows) {
  Sample sample = with_weights(stream, rows);
  sample.probabilities = std::move(sample.columns[1]);
  sample.columns.pop_back();
  return sample;
}

/// Four strata of equal size with means 0, 2, 4 and 6 and exponential rows.
Sample in_strata(Stream& stream, std::size_t rows) {
  Sample sample{{std::vector<double>(rows)}, std::vector<std::uint32_t>(rows)};
  for (std::size_t i = 0; i < rows; ++i) {
    sample.labels[i] = static_cast<std::uint32_t>(i % 4);
    sample.columns[0][i] =
        2 * static_cast<double>(sample.labels[i]) + random::exponential(stream) - 1;
  }
  return sample;
}

/// Clusters of `size` normal rows, which share a normal effect that has `share` of the variance.
std::function<Sample(Stream&, std::size_t)> clusters(std::size_t size, double share) {
  return [=](Stream& stream, std::size_t rows) {
    Sample sample{{std::vector<double>(rows)}, std::vector<std::uint32_t>(rows)};
    double effect = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (i % size == 0) effect = std::sqrt(share) * random::normal(stream);
      sample.labels[i] = static_cast<std::uint32_t>(i / size);
      sample.columns[0][i] = effect + std::sqrt(1 - share) * random::normal(stream);
    }
    return sample;
  };
}

/// A stationary autoregression of first order, and a trend that rises by `rise` in all, as the
/// square of the time; its mean is subtracted.
std::function<Sample(Stream&, std::size_t)> series(double phi, double rise = 0) {
  return [=](Stream& stream, std::size_t rows) {
    std::vector<double> x(rows);
    double last = random::normal(stream) / std::sqrt(1 - phi * phi);
    const auto n = static_cast<double>(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const double time = (static_cast<double>(i) + 0.5) / n;
      x[i] = last + rise * (time * time - (1 - 1 / (4 * n * n)) / 3);
      last = phi * last + random::normal(stream);
    }
    return Sample{{std::move(x)}};
  };
}

template <class S>
Scheme plainly(const Sample&) {
  return S{};
}
Scheme whole_clusters(const Sample& sample) { return scheme::Cluster{sample.labels}; }
Scheme two_stages(const Sample& sample) { return scheme::Cluster{sample.labels, true}; }
Scheme unequal(const Sample& sample) { return scheme::Unequal{sample.probabilities}; }
Scheme strata(const Sample& sample) { return scheme::Stratified{sample.labels}; }
/// A share of the rows.
std::function<Scheme(const Sample&)> some(double power) {
  return [=](const Sample& sample) {
    const auto rows = static_cast<double>(sample.columns[0].size());
    return scheme::Iid{static_cast<std::uint64_t>(std::round(std::pow(rows, power)))};
  };
}

std::vector<Case> means() {
  std::vector<Case> cases;
  const auto add = [&](const char* label, const auto& draw, double truth,
                       std::initializer_list<std::size_t> sizes) {
    for (const std::size_t rows : sizes)
      cases.push_back({.label = label,
                       .rows = rows,
                       .draw = draw,
                       .statistic = statistic::mean(),
                       .truth = truth,
                       .studentized = true});
  };
  add("normal", kNormal, 0, {10, 20, 50, 200});
  add("exponential", kExponential, 1, {10, 20, 50, 200});
  add("lognormal", kLognormal, std::exp(0.5), {10, 20, 50, 200});
  add("infinite variance", kPareto, 3, {20, 200});
  return cases;
}

std::vector<Case> statistics() {
  std::vector<Case> cases;
  const auto add = [&](const char* label, const auto& draw, const Statistic& statistic,
                       double truth, bool studentized) {
    for (const std::size_t rows : {20U, 50U, 200U})
      cases.push_back({.label = label,
                       .rows = rows,
                       .draw = draw,
                       .statistic = statistic,
                       .truth = truth,
                       .studentized = studentized});
  };
  add("median, normal", kNormal, statistic::median(), 0, false);
  add("median, exponential", kExponential, statistic::median(), std::log(2.0), false);
  add("90 % quantile, normal", kNormal, statistic::quantile(0.9), 1.2815515655446004, false);
  add("variance, normal", kNormal, statistic::variance(), 1, true);
  add("variance, exponential", kExponential, statistic::variance(), 1, true);
  add("correlation 0.5, normal", correlated, statistic::correlation(), 0.5, false);
  add("ratio of means", proportional, statistic::ratio(), 2, true);
  add("maximum, uniform", kUniform, statistic::max(), 1, false);
  return cases;
}

std::vector<Case> schemes() {
  std::vector<Case> cases;
  const auto add = [&](const char* label, const auto& scheme, bool studentized) {
    for (const std::size_t rows : {20U, 200U})
      cases.push_back({.label = label,
                       .rows = rows,
                       .draw = kExponential,
                       .statistic = statistic::mean(),
                       .truth = 1,
                       .scheme = scheme,
                       .studentized = studentized});
  };
  add("poisson", plainly<scheme::Poisson>, true);
  add("balanced", plainly<scheme::Balanced>, true);
  add("bayesian", plainly<scheme::Bayesian>, true);
  add("n^0.75 out of n", some(0.75), true);
  add("jackknife", plainly<scheme::Jackknife>, false);
  for (const std::size_t rows : {20U, 200U})
    cases.push_back({"four strata", rows, in_strata, statistic::mean(), 3, strata});
  for (const std::size_t rows : {20U, 200U})
    cases.push_back({.label = "iid, with weights",
                     .rows = rows,
                     .draw = with_weights,
                     .statistic = statistic::weighted(statistic::mean()),
                     .truth = 1,
                     .studentized = true});
  for (const std::size_t rows : {20U, 200U})
    cases.push_back({.label = "unequal, by these weights",
                     .rows = rows,
                     .draw = with_probabilities,
                     .statistic = statistic::mean(),
                     .truth = 1,
                     .scheme = unequal});
  for (const std::size_t rows : {20U, 200U})
    cases.push_back({.label = "maximum, n^0.75 out of n, rate 1",
                     .rows = rows,
                     .draw = kUniform,
                     .statistic = statistic::max(),
                     .truth = 1,
                     .scheme = some(0.75),
                     .rescale = 1});
  return cases;
}

std::vector<Case> clustered() {
  std::vector<Case> cases;
  for (const double share : {0.3, 0.0})
    for (const std::size_t count : {5U, 10U, 20U, 50U}) {
      const std::string of =
          std::to_string(count) + (share > 0 ? " clusters that differ" : " clusters alike");
      const auto draw = clusters(10, share);
      const auto add = [&](const char* scheme, const auto& make) {
        cases.push_back({of + ", " + scheme, 10 * count, draw, statistic::mean(), 0, make});
      };
      add("iid", plainly<scheme::Iid>);
      add("cluster", whole_clusters);
      add("two stages", two_stages);
    }
  return cases;
}

std::vector<Case> serial() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& label, const auto& draw, std::size_t rows) {
    const auto one = [&](const char* scheme, const auto& make) {
      cases.push_back({label + ", " + scheme, rows, draw, statistic::mean(), 0, make});
    };
    one("iid", plainly<scheme::Iid>);
    one("moving", plainly<scheme::MovingBlocks>);
    one("circular", plainly<scheme::CircularBlocks>);
    one("stationary", plainly<scheme::StationaryBlocks>);
  };
  add("AR(-0.5)", series(-0.5), 100);
  for (const double phi : {0.5, 0.9})
    for (const std::size_t rows : {100U, 200U, 1000U})
      add(phi == 0.5 ? "AR(0.5)" : "AR(0.9)", series(phi), rows);
  add("AR(0.5) and a trend", series(0.5, 3), 200);
  return cases;
}

std::vector<Table> tables() {
  return {{"Means of independent rows, scheme iid", means()},
          {"Other statistics, scheme iid", statistics()},
          {"Other schemes: the mean of exponential rows, unless it says otherwise", schemes()},
          {"Clusters: the mean of rows in clusters of 10", clustered()},
          {"Time series: the mean, blocks of automatic length", serial()}};
}

/// Shares of the intervals that hold the truth [method][confidence]; negative: no such interval.
using Coverage = std::array<std::array<double, kConfidences.size()>, kMethods.size()>;

Coverage coverage(const Case& one, std::uint64_t repetitions, std::uint64_t replicates) {
  Coverage held = {};
  std::array<std::uint64_t, kMethods.size()> made = {};
  for (std::uint64_t repetition = 0; repetition < repetitions; ++repetition) {
    Stream stream({.seed = repetition, .replicate = one.rows});
    const Sample sample = one.draw(stream, one.rows);
    const Result result = bootstrap(sample.view(), one.statistic,
                                    {.replicates = replicates,
                                     .seed = repetition,
                                     .scheme = one.scheme(sample),
                                     .influence = true,
                                     .standard_errors = one.studentized,
                                     .rescale = one.rescale,
                                     .execution = {.threads = 1}});
    for (const Method method : interval::available(result)) {
      const auto m = static_cast<std::size_t>(std::find(kMethods.begin(), kMethods.end(), method) -
                                              kMethods.begin());
      for (std::size_t c = 0; c < kConfidences.size(); ++c) {
        const Interval found = interval::make(method, result, {.confidence = kConfidences[c]});
        if (c == 0) made[m] += found.fallback.empty() ? 1 : 0;
        if (found.low <= one.truth && one.truth <= found.high) ++held[m][c];
      }
    }
  }
  // Where a method falls back on the percentile interval as a rule, there is no such interval.
  for (std::size_t m = 0; m < kMethods.size(); ++m)
    for (double& share : held[m])
      share = 2 * made[m] > repetitions ? share / static_cast<double>(repetitions) : -1;
  return held;
}

/// "| normal | 10 |".
std::string start_of(const Case& one) {
  return "| " + one.label + " | " + std::to_string(one.rows) + " |";
}

/// The cells of a row of the page behind its start, "89 / 94" as two shares; "" as none.
std::map<std::string, std::vector<std::string>> rows_of(const std::string& path) {
  std::map<std::string, std::vector<std::string>> rows;
  std::ifstream page(path);
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ")) continue;
    std::size_t second = line.find(" |", 2);
    if (second != std::string::npos) second = line.find(" |", second + 2);
    if (second == std::string::npos) continue;
    std::istringstream cells(line.substr(second + 2));
    std::vector<std::string>& row = rows[line.substr(0, second + 2)];
    for (std::string cell; std::getline(cells, cell, '|');) row.push_back(cell);
  }
  return rows;
}

/// Whether a row of the page says the same but for chance and rounding.
bool agrees(const Case& one, const Coverage& found, std::uint64_t repetitions,
            const std::map<std::string, std::vector<std::string>>& page) {
  const auto row = page.find(start_of(one));
  if (row == page.end()) {
    std::printf("%s is not in the page\n", start_of(one).c_str());
    return false;
  }
  bool good = true;
  for (std::size_t m = 0; m < kMethods.size(); ++m) {
    const std::string cell = m < row->second.size() ? row->second[m] : "";
    std::array<double, kConfidences.size()> printed = {-1, -1};
    if (std::sscanf(cell.c_str(), " %lf / %lf", &printed[0], &printed[1]) != 2) printed = {-1, -1};
    for (std::size_t c = 0; c < kConfidences.size(); ++c) {
      const double share = found[m][c];
      if ((share < 0) != (printed[c] < 0)) {
        good = false;
      } else if (share >= 0) {
        // About 600 comparisons: 6.3 deviations. Shares near 0 and 1 vary at least as five cases.
        const double least = 5 / static_cast<double>(repetitions);
        const double p = std::clamp(printed[c] / 100, least, 1 - least);
        const double spread = std::sqrt(
            p * (1 - p) *
            (1 / static_cast<double>(repetitions) + 1 / static_cast<double>(kRepetitions)));
        good = good && std::abs(share - printed[c] / 100) < 6.3 * spread + 0.005;
      }
    }
  }
  if (!good) std::printf("%s is not what the page says\n", start_of(one).c_str());
  return good;
}

void print(const Case& one, const Coverage& found) {
  std::printf("%s", start_of(one).c_str());
  for (const auto& shares : found) {
    if (shares[0] < 0)
      std::printf("  |");
    else
      std::printf(" %.0f / %.0f |", 100 * shares[0], 100 * shares[1]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  std::map<std::string_view, std::string> options = {
      {"--repetitions", std::to_string(kRepetitions)},
      {"--replicates", std::to_string(kReplicates)},
      {"--check", ""}};
  for (int i = 1; i < count; i += 2) {
    if (!options.contains(words[i]) || i + 1 == count) {
      std::fprintf(stderr,
                   "usage: limits_program [--repetitions N] [--replicates R] "
                   "[--check docs/limits.md]\n");
      return 2;
    }
    options[words[i]] = words[i + 1];
  }
  const std::uint64_t repetitions = std::strtoull(options["--repetitions"].c_str(), nullptr, 10);
  const std::uint64_t replicates = std::strtoull(options["--replicates"].c_str(), nullptr, 10);
  const bool check = !options["--check"].empty();
  const auto page = rows_of(options["--check"]);
  bool good = true;
  for (const Table& table : tables()) {
    std::printf("\n%s\n\n| data | n |", table.title);
    for (const Method method : kMethods) std::printf(" %s |", std::string(name(method)).c_str());
    std::printf("\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const Case& one : table.cases) {
      const Coverage found = coverage(one, repetitions, replicates);
      print(one, found);
      if (check) good = agrees(one, found, repetitions, page) && good;
    }
  }
  std::printf("\n%llu samples each, %llu replicates\n",
              static_cast<unsigned long long>(repetitions),
              static_cast<unsigned long long>(replicates));
  return good ? 0 : 1;
}
