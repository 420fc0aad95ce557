// Every group as a bootstrap of its own: large ones on all threads, small ones side by side.
#include <algorithm>
#include <numeric>
#include <utility>

#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "bootfold/groups.h"
#include "bootfold/precision.h"
#include "comparison/grouped_scheme.h"
#include "comparison/rows.h"
#include "study/problem.h"
#include "text/concat.h"
#include "text/quantity.h"
#include "text/quoted.h"

namespace bootfold {

namespace {

using interval::Method;

/// "mean" of "mean({1})", where the columns are known otherwise; other names as they are.
std::string without_columns(const std::string& text, std::size_t columns) {
  std::string all = "(";
  for (std::size_t c = 1; c <= columns; ++c) all += text::concat(c == 1 ? "{" : ", {", c, "}");
  all += ")";
  return text.ends_with(all) ? text.substr(0, text.size() - all.size()) : std::string();
}

void check(const DataView& values, std::span<const data::Labels> by, const Options& options) {
  if (by.empty()) throw InvalidArgument("there are no labels of groups; give one for each row");
  for (const data::Labels& labels : by) comparison::check_labels(labels, values.rows());
  if (!options.checkpoint.empty())
    throw InvalidArgument(
        "checkpoint is given but a bootstrap of groups stores no replicates; omit checkpoint, or "
        "bootstrap a large group separately");
}

/// The groups that have at least two rows, in order, and the work on them.
class GroupRuns {
 public:
  GroupRuns(const DataView& values, const data::Labels& labels, std::vector<std::uint32_t> codes,
            std::span<const Statistic> statistics, const Options& options,
            const GroupOptions& groups)
      : labels_(labels),
        codes_(std::move(codes)),
        statistics_(statistics),
        options_(options),
        groups_(groups),
        rows_(values, labels, places(), sizes(), false, options.execution.stop),
        scheme_(options.scheme, rows_, labels.rows()) {
    options_.influence =
        options.influence || groups.interval == Method::bca || groups.interval == Method::abc;
    options_.standard_errors = options.standard_errors || groups.interval == Method::studentized;
  }

  /// Calls tell(number of a group, its result), from several threads.
  template <class Tell>
  void run(const Tell& tell) {
    const std::vector<std::size_t> order = by_size();
    const unsigned threads = execution::thread_count(options_.execution);
    double total = 0;
    for (const std::uint64_t size : sizes()) total += work(size);
    // A group that is a large share of all rows would keep one thread busy to the end.
    std::size_t large = 0;
    while (large < order.size() && 2.0 * threads * work(rows_of(order[large])) >= total) ++large;
    double done = 0;
    for (std::size_t i = 0; i < large; ++i) {
      Options options = options_;
      options.execution.progress = after(done, total);
      tell(order[i], result_of(order[i], options));
      done += work(rows_of(order[i]));
    }
    Options options = options_;
    options.memory = execution::memory_limit(options.memory) / threads;
    options.execution.threads = 1;
    options.execution.progress = nullptr;
    Execution together = options_.execution;
    together.progress = after(done, total);
    execution::detail::run_chunks(order.size() - large, total - done, together,
                                  [&](const execution::Worker& worker, std::size_t i) {
                                    const std::size_t group = order[large + i];
                                    tell(group, result_of(group, options));
                                    worker.advance(work(rows_of(group)));
                                  });
  }

 private:
  [[nodiscard]] Result result_of(std::size_t group, Options options) const {
    const DataView& rows = rows_.view(group);
    options.seed = comparison::group_seed(options.seed, labels_.names[codes_[group]]);
    options.scheme = scheme_.of_group(group);
    try {
      if (!groups_.precision) return bootstrap(rows, statistics_, options);
      return bootstrap_to_precision(rows, statistics_,
                                    {.precision = *groups_.precision,
                                     .method = groups_.interval,
                                     .interval = groups_.limits},
                                    options)
          .result;
    } catch (const DataError& error) {
      throw DataError(text::concat("group ", text::quoted(labels_.names[codes_[group]]),
                                   ", counting its own rows: ", error.what()));
    }
  }

  [[nodiscard]] std::function<void(execution::Progress)> after(double done, double total) const {
    if (!options_.execution.progress) return nullptr;
    return [tell = options_.execution.progress, done, total](execution::Progress progress) {
      tell({std::min(total, done + progress.done), total});
    };
  }

  [[nodiscard]] std::vector<std::size_t> by_size() const {
    std::vector<std::size_t> order(codes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rows_of(a) > rows_of(b); });
    return order;
  }

  [[nodiscard]] std::uint64_t rows_of(std::size_t group) const { return rows_.view(group).rows(); }
  [[nodiscard]] double work(std::uint64_t rows) const {
    return static_cast<double>(rows) * static_cast<double>(options_.replicates);
  }
  [[nodiscard]] std::vector<std::uint32_t> places() const {
    std::vector<std::uint32_t> places(labels_.size(), comparison::GroupedRows::kLeftOut);
    for (std::uint32_t group = 0; group < codes_.size(); ++group) places[codes_[group]] = group;
    return places;
  }
  [[nodiscard]] std::vector<std::uint64_t> sizes() const {
    const std::vector<std::uint64_t> counts = labels_.counts();
    std::vector<std::uint64_t> sizes;
    sizes.reserve(codes_.size());
    for (const std::uint32_t code : codes_) sizes.push_back(counts[code]);
    return sizes;
  }

  const data::Labels& labels_;
  std::vector<std::uint32_t> codes_;  // labels of the groups
  std::span<const Statistic> statistics_;
  Options options_;
  const GroupOptions& groups_;
  comparison::GroupedRows rows_;
  comparison::GroupedScheme scheme_;
};

GroupValue value_of(const Result& result, std::size_t output, const GroupOptions& options) {
  interval::Options limits = options.limits;
  limits.output = output;
  return {result.estimate(output),
          result.standard_error(output),
          result.standard_error_error(output),
          result.bias(output),
          result.undefined(output),
          interval::make(options.interval, result, limits)};
}

/// Each label of a combination, from any row that has it.
std::vector<GroupResult> named(std::span<const data::Labels> by, const data::Labels& labels) {
  std::vector<GroupResult> groups(labels.size());
  for (std::size_t row = 0; row < labels.rows(); ++row) {
    GroupResult& group = groups[labels.codes[row]];
    if (group.rows++ > 0) continue;
    group.name = labels.names[labels.codes[row]];
    for (const data::Labels& each : by) group.labels.push_back(each.names[each.codes[row]]);
  }
  return groups;
}

}  // namespace

std::vector<OutputName> output_names(const DataView& values,
                                     std::span<const Statistic> statistics) {
  const study::Problem problem(values, statistics);
  std::vector<OutputName> outputs;
  for (const study::Part& part : problem.parts) {
    std::vector<std::string> columns;
    for (const std::uint32_t column : part.columns) columns.push_back(values.name(column));
    if (part.weighted) columns.pop_back();
    if (part.has_own_name()) columns.clear();
    for (std::size_t k = 0; k < part.outputs(); ++k) {
      const std::string plain = without_columns(part.bound.outputs[k], columns.size());
      outputs.push_back({plain.empty() ? problem.outputs[part.first_output + k] : plain, columns});
    }
  }
  return outputs;
}

GroupedResult bootstrap_groups(const DataView& values, std::span<const data::Labels> by,
                               std::span<const Statistic> statistics, const Options& options,
                               const GroupOptions& groups) {
  check(values, by, options);
  interval::check_confidence(groups.limits.confidence);
  interval::check_method(groups.interval, options.scheme);
  const data::Labels labels = data::combined(by);
  GroupedResult found;
  found.outputs = output_names(values, statistics);
  found.seed = options.seed;
  for (const data::Labels& each : by) found.by.push_back(each.column);
  std::vector<std::uint32_t> codes;
  std::vector<GroupResult> all = named(by, labels);
  for (std::uint32_t code = 0; code < all.size(); ++code) {
    if (all[code].rows == 0) continue;
    if (all[code].rows > 1) codes.push_back(code);
    (all[code].rows > 1 ? found.groups : found.skipped).push_back(std::move(all[code]));
  }
  if (found.groups.empty())
    throw InvalidArgument(text::concat(
        "each of the ", text::grouped(found.skipped.size()), " groups",
        labels.column.empty() ? "" : text::concat(" of column ", text::quoted(labels.column)),
        " has one row but needs at least 2 to have a standard error; check the column of the "
        "groups"));
  GroupRuns(values, labels, std::move(codes), statistics, options, groups)
      .run([&](std::size_t number, const Result& result) {
        GroupResult& group = found.groups[number];
        group.replicates = result.count();
        group.seed = result.seed();
        group.path = result.plan().path;
        for (std::size_t output = 0; output < result.outputs(); ++output)
          group.values.push_back(value_of(result, output, groups));
      });
  return found;
}

}  // namespace bootfold
