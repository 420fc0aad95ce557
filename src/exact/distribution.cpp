// The public face: which method serves, and what it found.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/exact.h"
#include "exact/discrete.h"
#include "exact/law.h"
#include "exact/means.h"
#include "exact/meet_in_the_middle.h"
#include "exact/methods.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::exact {

namespace {

/// The columns that a statistic names, or all.
DataView columns_of(const DataView& data, const Statistic& statistic) {
  std::vector<ColumnView> columns;
  std::vector<std::string> names;
  for (const std::string& name : statistic.columns()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const auto found = data.find(name);
    if (!found) return data;  // which tells what it has
    columns.push_back(data.column(*found));
    names.push_back(name);
  }
  if (names.empty()) return data;
  return {std::move(columns), std::move(names)};
}

/// A statistic on its data, looked at, and the method that will find its law.
class Task {
 public:
  Task(const DataView& data, const Statistic& statistic, const Options& options)
      : options_(options),
        study_(columns_of(data, statistic), {&statistic, 1}),
        problem_(study_.problem()) {
    if (problem_.outputs.size() != 1)
      throw InvalidArgument(text::concat(
          "statistic '", statistic.name(), "' has ", problem_.outputs.size(), " values on ",
          data.columns(), " columns but an exact law needs one value; choose one column"));
    if (!(options.tolerance > 0))
      throw InvalidArgument(text::concat("tolerance is ", options.tolerance,
                                         " but must be above 0; 1e-6 is the default"));
    study_.look({.most_distinct = Means::kFewValues}, options.execution);
    choose(statistic.exact_law());
  }

  [[nodiscard]] Outline outline() const { return {problem_.outputs[0], method_, reason_}; }

  [[nodiscard]] Distribution run() const {
    Distribution::About about;
    about.output = problem_.outputs[0];
    about.method = method_;
    about.reason = reason_;
    about.rows = problem_.data.rows();
    const Found found = find(about.estimate);
    about.error_bound = found.error_bound;
    about.undefined = found.undefined;
    expect_bound(found.error_bound);
    return Distribution(std::move(about), found.law);
  }

 private:
  void choose(std::optional<statistic::ExactLaw> law) {
    const study::Part& part = problem_.parts[0];
    const auto* sums = std::get_if<statistic::Sums>(&part.bound.body);
    const auto* order = std::get_if<statistic::Order>(&part.bound.body);
    bool constant = true;
    for (const study::ColumnSummary& column : problem_.columns)
      constant = constant && column.min == column.max;
    const bool single = sums != nullptr && problem_.data.columns() == 1 && sums->filled == 0 &&
                        sums->products == std::vector<statistic::Product>{{0}};
    const bool total = law == statistic::ExactLaw::sum;
    const bool mean = single && (law == statistic::ExactLaw::mean || total);
    const bool share = sums != nullptr && problem_.data.columns() == 1 && sums->filled == 1 &&
                       sums->products.empty() && law == statistic::ExactLaw::proportion;
    const bool quantile = order != nullptr && order->probabilities.size() == 1;
    const bool several = order != nullptr && order->probabilities.size() > 1;

    if (constant && serves(Method::constant)) {
      method_ = Method::constant;
      reason_ = "all rows are equal: every resample gives the same value";
    } else if (quantile && serves(Method::order)) {
      method_ = Method::order;
      reason_ = "the law of a quantile over the order statistics: incomplete beta functions";
    } else if (share && serves(Method::binomial)) {
      method_ = Method::binomial;
      reason_ = "how many drawn rows are above the threshold is binomial";
    } else if (mean && (serves(Method::binomial) || serves(Method::lattice) ||
                        serves(Method::characteristic))) {
      choose_mean(total);
    } else if (serves(Method::enumeration) || several) {
      if (serves(Method::enumeration)) enumeration_.emplace(problem_, options_.resamples);
      if (enumeration_ && enumeration_->possible()) {
        enumerate();
      } else if (several && serves(Method::order) && ranks_possible(problem_, options_.resamples)) {
        method_ = Method::order;
        reason_ = "the joint law of the order statistics of several quantiles: binomial steps";
      } else {
        refuse();
      }
    }
    if (method_ == Method::constant && !constant) refuse();
    if (options_.method && *options_.method != method_) refuse();
  }

  void choose_mean(bool total) {
    means_.emplace(study_, total, options_);
    method_ = means_->method();
    reason_ = means_->reason();
    if (means_->easy()) return;
    if (options_.method) {
      if (options_.method == method_) expect_bound(means_->forecast(options_.execution));
      return;
    }
    // Few rows or few distinct values are enumerated rather.
    enumeration_.emplace(problem_, options_.resamples);
    if (enumeration_->possible()) return enumerate();
    halved_ = halve(problem_.data.column(0), 2 * options_.resamples);
    if (!halved_.possible()) return expect_bound(means_->forecast(options_.execution));
    total_ = total;
    method_ = Method::enumeration;
    reason_ = text::concat("all sums of two halves of the rows, ", text::grouped(halved_.entries),
                           " in all, with their probabilities");
  }

  void enumerate() {
    method_ = Method::enumeration;
    reason_ = text::concat(text::grouped(enumeration_->resamples()), " distinct resamples of ",
                           text::grouped(enumeration_->distinct_rows()),
                           " distinct rows: all of them, with their probabilities");
  }

  /// Throws if an error bound of at least so much is not good enough.
  void expect_bound(double bound) const {
    if (bound <= options_.tolerance) return;
    throw InvalidArgument(text::concat(
        "the exact law of ", problem_.outputs[0], " is not available: the error bound for these ",
        text::grouped(problem_.data.rows()), " rows is about ", bound, " but must be at most ",
        options_.tolerance,
        "; values rounded to a common step have an exact law, and replicates "
        "(replicates=1000000) are always available"));
  }

  [[nodiscard]] bool serves(Method method) const {
    return !options_.method || *options_.method == method;
  }

  [[noreturn]] void refuse() const {
    const std::string which =
        options_.method ? text::concat("method ", name(*options_.method), " is not available for '")
                        : std::string("the exact law is not available for '");
    throw InvalidArgument(text::concat(
        which, problem_.parts[0].name, "' of ", text::grouped(problem_.data.rows()),
        problem_.data.rows() == 1 ? " row" : " rows",
        ": it is available for mean, sum, proportion and quantiles (functions of several "
        "quantiles: up to about 100 rows), and for any statistic with at most ",
        text::grouped(options_.resamples),
        " distinct resamples (13 rows); draw replicates instead: replicates=1000000"));
  }

  [[nodiscard]] Found find(double& estimate) const {
    if (method_ == Method::enumeration && halved_.possible()) {
      estimate = means_->estimate();
      return halves_law(halved_, total_, options_.execution);
    }
    if (method_ == Method::enumeration) return enumeration_->law(options_.execution, estimate);
    if (method_ == Method::order) {
      const auto& order = std::get<statistic::Order>(problem_.parts[0].bound.body);
      return order.probabilities.size() > 1 ? ranks_law(problem_, options_.execution, estimate)
                                            : order_law(problem_, options_.execution, estimate);
    }
    if (means_) {
      estimate = means_->estimate();
      return means_->law(options_.execution);
    }
    if (method_ == Method::binomial) return share(estimate);
    return Enumeration(problem_, 1).law(options_.execution, estimate);  // of constant rows
  }

  [[nodiscard]] Found share(double& estimate) const {
    const std::uint64_t n = problem_.data.rows();
    const auto& sums = std::get<statistic::Sums>(problem_.parts[0].bound.body);
    const auto ones = reduce_column(
        problem_.data.column(0), std::uint64_t{0},
        [&](std::uint64_t& count, std::span<const double> values) {
          std::vector<double> made(values.size());
          const double* column = values.data();
          double* feature = made.data();
          sums.fill({{&column, 1}, values.size()}, {&feature, 1});
          for (const double one : made) count += one != 0 ? 1 : 0;
        },
        [](std::uint64_t& total, std::uint64_t part) { total += part; }, options_.execution);
    const auto value = [n](std::uint64_t count) {
      return static_cast<double>(count) / static_cast<double>(n);
    };
    estimate = value(ones);
    return binomial_law(n, ones, value);
  }

  Options options_;
  study::Study study_;
  const study::Problem& problem_;
  Method method_ = Method::constant;
  std::string reason_;
  std::optional<Means> means_;
  std::optional<Enumeration> enumeration_;
  HalvedRows halved_;
  bool total_ = false;  // of halved rows: the sum, not the mean
};

}  // namespace

void check(const Execution& execution) {
  if (execution.stop.stop_requested()) throw Cancelled();
}

std::string_view name(Method method) noexcept {
  switch (method) {
    case Method::constant:
      return "constant";
    case Method::binomial:
      return "binomial";
    case Method::order:
      return "order";
    case Method::lattice:
      return "lattice";
    case Method::characteristic:
      return "characteristic";
    case Method::enumeration:
      return "enumeration";
  }
  return "unknown";
}

Distribution distribution(const DataView& data, const Statistic& statistic,
                          const Options& options) {
  return Task(data, statistic, options).run();
}

Outline outline(const DataView& data, const Statistic& statistic, const Options& options) {
  return Task(data, statistic, options).outline();
}

}  // namespace bootfold::exact
