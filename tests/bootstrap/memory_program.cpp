// Runs one job and fails if its peak memory is above data + result + budget.
//
// A program of its own, because a peak (VmHWM) belongs to a process and never falls.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "bootfold/bootfold.h"

namespace {

using namespace bootfold;  // NOLINT(google-build-using-namespace)

std::size_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

/// Cheap numbers, all different.
std::vector<double> numbers(std::size_t n) {
  std::vector<double> values(n);
  std::uint64_t state = 1;
  for (double& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
  }
  return values;
}

int report(const Result& result, std::size_t data_bytes, std::size_t budget) {
  const Interval limits = interval::percentile(result);
  const std::size_t result_bytes = result.replicates().size_bytes();
  const std::size_t allowed = data_bytes + result_bytes + budget;
  const std::size_t peak = peak_bytes();
  std::printf("%s(%g, %g)\npeak %.1f MiB, allowed %.1f = %.1f data + %.1f result + %.1f budget\n",
              result.plan().explain().c_str(), limits.low, limits.high,
              static_cast<double>(peak) / 1048576, static_cast<double>(allowed) / 1048576,
              static_cast<double>(data_bytes) / 1048576,
              static_cast<double>(result_bytes) / 1048576, static_cast<double>(budget) / 1048576);
  return peak <= allowed ? 0 : 1;
}

int run(const std::vector<double>& data, const std::vector<Statistic>& statistics,
        const Options& options) {
  return report(bootstrap(data, statistics, options), data.size() * sizeof(double), options.memory);
}

/// The smallest limit, in MiB, with which there is a plan.
template <class MakePlan>
void take_least_memory(Options& options, const MakePlan& make_plan) {
  for (std::size_t mebibytes = 8;; ++mebibytes) {
    options.memory = mebibytes << 20;
    try {
      static_cast<void>(make_plan(options));
      return;
    } catch (const InvalidArgument&) {  // it names the limit that is too small
    }
  }
}

/// Functions of counts with as little memory as there can be. `columns`: of 8 bytes a row.
int run_counts(const std::vector<double>& data, Options options, Takes takes, std::size_t columns) {
  const std::vector<std::string> outputs = {"first"};
  take_least_memory(options,
                    [&](const Options& tried) { return plan_counts(data, outputs, tried, takes); });
  const CountFunction function = [](const CountBatch& batch, std::span<double> values) {
    std::visit(
        [&](auto counts) {
          for (std::size_t r = 0; r < batch.replicates; ++r)
            values[r] = static_cast<double>(counts[r * batch.rows]);
        },
        batch.counts);
  };
  return report(bootstrap_counts(data, outputs, function, options, takes),
                columns * data.size() * sizeof(double), options.memory);
}

struct Sum {
  double sum = 0;
  void accumulate(double value, double weight) { sum += value * weight; }
  void merge(const Sum& part) { sum += part.sum; }
  [[nodiscard]] double finish() const { return sum; }
};

}  // namespace

int main(int count, char** arguments) {
  const std::string job = count > 1 ? arguments[1] : "";
  Options options{.replicates = 60, .seed = 1, .memory = std::size_t{64} << 20};
  options.execution.threads = count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 2;
  if (job == "stream") return run(numbers(5'000'000), {statistic::mean()}, options);
  if (job == "stream_small_budget") {
    options.memory = std::size_t{16} << 20;
    return run(numbers(2'000'000), {statistic::mean(), statistic::kurtosis()}, options);
  }
  if (job == "float32") {
    const std::vector<double> wide = numbers(1000);
    std::vector<float> values(5'000'000);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(wide[i % 1000] + static_cast<double>(i) * 1e-5);
    return report(bootstrap(values, statistic::variance(), options), values.size() * 4,
                  options.memory);
  }
  if (job == "order") {
    options.replicates = 1'000'000;
    return run(numbers(5'000'000), {statistic::median()}, options);
  }
  if (job == "percentiles") {
    options.replicates = 1000;
    std::vector<Statistic> all;
    for (int k = 1; k < 100; ++k) all.push_back(statistic::quantile(k / 100.0));
    return run(numbers(200'000), all, options);
  }
  if (job == "distinct") {
    options.replicates = 1'000'000;
    std::vector<double> data = numbers(5'000'000);
    for (double& value : data) value = value > 0.45 ? 1 : 0;
    return run(data, {statistic::mean()}, options);
  }
  if (job == "many_distinct") {
    options.path = Path::distinct;
    options.replicates = 10;
    std::vector<double> data = numbers(300'000);
    return run(data, {statistic::mean()}, options);
  }
  if (job == "callable")
    return run(numbers(100'000),
               {statistic::callable([](const statistic::Resample& r) { return r.column(0)[7]; })},
               options);
  if (job == "callable_any_order" || job == "callable_any_order_weighted") {
    const std::vector<double> data = numbers(2'200'000);
    const Statistic last =
        statistic::callable([](const statistic::Resample& r) { return r.column(0)[r.rows - 1]; },
                            "last", statistic::RowOrder::any);
    std::vector<double> weights;
    options.path = Path::stream;
    options.replicates = 5;
    if (job == "callable_any_order_weighted") {
      weights = data;
      for (double& weight : weights) weight += 1.5;
      options.scheme = scheme::Unequal{weights, 40'000};
    }
    take_least_memory(options, [&](const Options& tried) { return plan(data, last, tried); });
    return report(bootstrap(data, last, options), (data.size() + weights.size()) * sizeof(double),
                  options.memory);
  }
  if (job == "callable_many") {
    options.replicates = 2'000'000;
    return run(numbers(20),
               {statistic::callable([](const statistic::Resample& r) { return r.column(0)[7]; })},
               options);
  }
  if (job == "accumulator")
    return run(numbers(2'000'000), {statistic::accumulator(Sum{})}, options);
  if (job == "mixed")
    return run(numbers(1'000'000),
               {statistic::median(), statistic::trimmed_mean(0.1), statistic::mean()}, options);
  if (job == "ties") {
    std::vector<double> data = numbers(5'000'000);
    for (double& value : data) value = value > 0 ? 1 : 0;
    options.replicates = 600;
    return run(data, {statistic::median(), statistic::mean()}, options);
  }
  if (job == "clusters") {
    const std::vector<double> data = numbers(1'000'000);
    std::vector<std::uint32_t> labels(data.size());
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint32_t>(i / 5);
    options.scheme = scheme::Cluster{labels};
    options.replicates = 600;
    return report(
        bootstrap(data, {statistic::median(), statistic::mean(), statistic::trimmed_mean(0.1)},
                  options),
        data.size() * (sizeof(double) + sizeof(std::uint32_t)), options.memory);
  }
  if (job == "blocks") {
    options.scheme = scheme::StationaryBlocks{20};
    return run(numbers(1'000'000), {statistic::median()}, options);
  }
  if (job == "strata") {
    const std::vector<double> data = numbers(1'000'000);
    std::vector<std::uint32_t> labels(data.size());
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint32_t>(i / 5);
    options.scheme = scheme::Stratified{labels};
    return report(bootstrap(data, statistic::mean(), options),
                  data.size() * (sizeof(double) + sizeof(std::uint32_t)), options.memory);
  }
  if (job == "ordered") {
    constexpr std::size_t kRows = 1'300'000;  // two super-blocks
    const std::vector<double> values = numbers(2 * kRows);
    const DataView view({std::span(values).first(kRows), std::span(values).last(kRows)},
                        {"x", "y"});
    const std::vector<Statistic> all = {statistic::mad().with_columns({"x"}),
                                        statistic::gini().with_columns({"y"}),
                                        statistic::spearman().with_columns({"x", "y"})};
    take_least_memory(options, [&](const Options& tried) { return plan(view, all, tried); });
    return report(bootstrap(view, all, options), values.size() * sizeof(double), options.memory);
  }
  if (job == "counts") return run_counts(numbers(5'000'000), options, Takes::counts, 1);
  if (job == "weights") return run_counts(numbers(2'000'000), options, Takes::weights, 1);
  if (job == "count_strata") {
    std::vector<std::uint32_t> labels(3'000'000);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i % 3 == 0 ? 0 : 1;
    options.scheme = scheme::Stratified{labels};
    return run_counts(numbers(labels.size()), options, Takes::counts, 2);
  }
  if (job == "weighted_counts" || job == "weighted_places") {
    // Five places for a row on average.
    const std::vector<double> data = numbers(1'700'000);
    std::vector<double> weights = data;
    for (double& weight : weights) weight += 1.5;
    options.replicates = 3;
    options.scheme = scheme::Unequal{weights, 10 * data.size()};
    if (job == "weighted_counts") return run_counts(data, options, Takes::counts, 2);
    take_least_memory(options,
                      [&](const Options& tried) { return plan(data, statistic::mean(), tried); });
    return report(bootstrap(data, statistic::mean(), options), 2 * data.size() * sizeof(double),
                  options.memory);
  }
  if (job == "regression" || job == "regression_planning") {
    // Columns are windows on one array. 40 x make 901 features; with five chunks of rows, five
    // threads look at once while the work is planned.
    const bool planning = job == "regression_planning";
    const std::size_t rows = planning ? 1'100'000 : 70'000;
    const std::size_t columns = planning ? 31 : 41;
    if (planning) options.path = Path::stream;
    options.replicates = 2;
    const std::vector<double> values = numbers(rows + 1000 * columns);
    std::vector<ColumnView> views;
    for (std::size_t c = 0; c < columns; ++c)
      views.emplace_back(std::span(values).subspan(1000 * c, rows));
    return report(bootstrap(DataView(views), statistic::regression(), options),
                  values.size() * sizeof(double), options.memory);
  }
  std::fprintf(stderr, "unknown job '%s'\n", job.c_str());
  return 2;
}
