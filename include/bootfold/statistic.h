// bootfold/statistic.h: what is computed on every resample.
//
// A statistic belongs to one of four families, and the family decides how cheaply it can be
// bootstrapped (docs/resampling.md):
//   Sums   a function of sums of features: streams over the rows, whatever their number
//   Order  a function of quantiles: one or two random draws a replicate, no pass over the rows
//   Fold   rows are accumulated one by one with a weight, parts are merged, a number comes out
//   Call   any function of the resample itself
//
//     bootstrap(prices, statistic::quantile(0.9));
//     bootstrap(table, {statistic::mean(), statistic::standard_deviation()});
//     bootstrap(xy, statistic::sums(2, my_features, my_finish));
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bootfold/api.h"

namespace bootfold {

namespace statistic {

/// Neighbouring rows of the columns a statistic asked for, as doubles: columns[c][row].
struct Tile {
  std::span<const double* const> columns;
  std::size_t rows = 0;

  [[nodiscard]] std::span<const double> column(std::size_t index) const {
    return {columns[index], rows};
  }
};

/// A whole resample: as many rows as were drawn, in the order of drawing.
using Resample = Tile;

/// Where a column was moved to before products of it were summed: u = (x - centre) * 2^-exponent,
/// so that |u| <= 1 and nothing overflows or cancels.
struct Scale {
  double centre = 0;
  int exponent = 0;
};

/// The folded sums of one replicate, as a finishing function sees them.
struct Folded {
  std::span<const double> means;  ///< sum of each feature / rows
  double rows = 0;                ///< rows drawn
  std::span<const Scale> scales;  ///< of each column, for features that are products
  double resolution = 0;          ///< bound on the error of the means of products

  /// Mean of column `column`, whose product {column} is feature number `feature`.
  [[nodiscard]] double column_mean(std::size_t column, std::size_t feature) const;

  [[nodiscard]] double mean(std::size_t feature) const { return means[feature]; }
  [[nodiscard]] double sum(std::size_t feature) const { return means[feature] * rows; }
};

/// A product of scaled columns: {0, 0} is the square of column 0, {0, 1} a cross product.
using Product = std::vector<std::uint32_t>;

/// A function of sums. `fill` works row by row and is called from several threads. Features are
/// either products of scaled columns or made by `fill` from the columns as they are; `finish` maps
/// their means to the statistic's values.
struct Sums {
  std::vector<Product> products;
  std::size_t filled = 0;  ///< number of features that fill makes; they follow the products
  std::function<void(const Tile& columns, std::span<double* const> features)> fill;
  std::function<void(const Folded& folded, std::span<double> values)> finish;
};

/// A function of quantiles (NumPy's convention, type 7) of one column.
struct Order {
  std::vector<double> probabilities;
  std::function<void(std::span<const double> quantiles, std::span<double> values)> finish;
};

/// Rows are accumulated with a weight (how often each was drawn), parts merged in row order.
struct Fold {
  struct State {
    virtual ~State() = default;
    virtual void accumulate(const Tile& rows, std::span<const std::uint32_t> weights) = 0;
    virtual void merge(const State& later) = 0;
    virtual void finish(std::span<double> values) const = 0;
  };
  std::function<std::unique_ptr<State>()> fresh;
};

/// Any function of the resample. Called from several threads at once.
struct Call {
  std::function<void(const Resample& resample, std::span<double> values)> call;
};

/// Statistics whose exact bootstrap law is known in closed form (bootfold/exact.h).
enum class ExactLaw {
  mean,        ///< the mean of a column
  sum,         ///< the sum of a column
  proportion,  ///< the share of rows whose one feature is not 0
};

/// A statistic that knows how many columns it gets.
struct Bound {
  std::vector<std::string> outputs;  ///< a name for each value; {1} stands for the first column's
  std::variant<Sums, Order, Fold, Call> body;
};

}  // namespace statistic

/// A statistic: a name, the columns it needs, and how it is computed. Cheap to copy.
class BOOTFOLD_API Statistic {
 public:
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  Statistic(std::string name, std::size_t fewest_columns, std::size_t most_columns,
            std::function<statistic::Bound(std::size_t columns)> bind)
      : name_(std::move(name)),
        fewest_(fewest_columns),
        most_(most_columns),
        bind_(std::move(bind)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t fewest_columns() const noexcept { return fewest_; }
  [[nodiscard]] std::size_t most_columns() const noexcept { return most_; }

  /// The statistic for data of `columns` columns, which must be within the limits above.
  [[nodiscard]] statistic::Bound bind(std::size_t columns) const { return bind_(columns); }

  /// The same statistic with a formula for its standard error: another statistic of the same
  /// columns that gives, for each value, the standard error as estimated from the rows it sees.
  /// Studentized intervals then cost one pass, not a bootstrap of every resample.
  ///
  ///     auto mine = my_mean.with_standard_error(my_standard_error_of_the_mean);
  [[nodiscard]] Statistic with_standard_error(Statistic formula) const {
    Statistic copy = *this;
    copy.standard_error_ = std::make_shared<const Statistic>(std::move(formula));
    return copy;
  }

  /// That formula, or null. Built in: mean, sum, proportion, variance, standard_deviation,
  /// difference, ratio, regression.
  [[nodiscard]] const Statistic* standard_error() const noexcept { return standard_error_.get(); }

  /// The same statistic with a statement of which law it has: mean, sum and proportion have it, and
  /// a statistic of your own may have it if its value is the same as theirs.
  [[nodiscard]] Statistic with_exact_law(statistic::ExactLaw law) const {
    Statistic copy = *this;
    copy.exact_law_ = law;
    return copy;
  }

  [[nodiscard]] std::optional<statistic::ExactLaw> exact_law() const noexcept { return exact_law_; }

 private:
  std::string name_;
  std::size_t fewest_;
  std::size_t most_;
  std::function<statistic::Bound(std::size_t)> bind_;
  std::shared_ptr<const Statistic> standard_error_;
  std::optional<statistic::ExactLaw> exact_law_;
};

namespace statistic {

// One column. Given several, each is applied to every column.
[[nodiscard]] BOOTFOLD_API Statistic mean();
[[nodiscard]] BOOTFOLD_API Statistic sum();
/// Sum of squared deviations / (n - ddof); ddof 0 or 1.
[[nodiscard]] BOOTFOLD_API Statistic variance(int ddof = 1);
[[nodiscard]] BOOTFOLD_API Statistic standard_deviation(int ddof = 1);
/// m3 / m2^1.5 with m_k the central moments (divisor n), as SciPy.
[[nodiscard]] BOOTFOLD_API Statistic skewness();
/// m4 / m2^2 - 3: 0 for a normal distribution, as SciPy.
[[nodiscard]] BOOTFOLD_API Statistic kurtosis();
/// Share of the rows whose value is above the threshold: for 0/1 data the share of ones.
[[nodiscard]] BOOTFOLD_API Statistic proportion(double above = 0);
/// Mean / standard deviation (ddof 1), times the square root of the periods in a year if given.
[[nodiscard]] BOOTFOLD_API Statistic sharpe_ratio(double periods = 1);
/// Type 7, the convention of NumPy and R. Throws InvalidArgument unless 0 <= q <= 1.
[[nodiscard]] BOOTFOLD_API Statistic quantile(double q);
[[nodiscard]] BOOTFOLD_API Statistic median();
[[nodiscard]] BOOTFOLD_API Statistic interquartile_range();
[[nodiscard]] BOOTFOLD_API Statistic min();
[[nodiscard]] BOOTFOLD_API Statistic max();
/// Mean without the floor(cut * n) smallest and as many largest rows, as SciPy; 0 <= cut < 0.5.
[[nodiscard]] BOOTFOLD_API Statistic trimmed_mean(double cut);

// Two columns.
/// mean(column 1) - mean(column 2), for paired columns.
[[nodiscard]] BOOTFOLD_API Statistic difference();
/// mean(column 1) / mean(column 2).
[[nodiscard]] BOOTFOLD_API Statistic ratio();
/// Divisor n - ddof.
[[nodiscard]] BOOTFOLD_API Statistic covariance(int ddof = 1);
[[nodiscard]] BOOTFOLD_API Statistic correlation();

// Two or more columns.
/// Least squares of the first column on the others: intercept, then one slope for each.
[[nodiscard]] BOOTFOLD_API Statistic regression();

/// The statistic that `text` names: "mean", "quantile:0.9", "trimmed_mean:0.1", "sharpe_ratio:252",
/// "variance:0". Throws InvalidArgument that lists the names and suggests the nearest.
[[nodiscard]] BOOTFOLD_API Statistic parse(std::string_view text);

/// The built-in statistics: what to write, how many columns, what it is.
struct Listing {
  std::string usage;
  std::string columns;
  std::string meaning;
};
[[nodiscard]] BOOTFOLD_API const std::vector<Listing>& listings();

/// Your own function of sums: `features` turns one row into `count` numbers, `finish` turns their
/// means over the resample into the value. Runs at streaming speed: features are made once per
/// tile of rows, not once per replicate.
///
///     // coefficient of variation
///     auto variation = statistic::sums(2,
///         [](std::span<const double> row, std::span<double> features) {
///           features[0] = row[0];
///           features[1] = row[0] * row[0];
///         },
///         [](const statistic::Folded& f) {
///           return std::sqrt(f.mean(1) - f.mean(0) * f.mean(0)) / f.mean(0);
///         });
[[nodiscard]] BOOTFOLD_API Statistic
sums(std::size_t count, std::function<void(std::span<const double>, std::span<double>)> features,
     std::function<double(const Folded&)> finish, std::string name = "sums");

/// Your own function of the resample, called from several threads at once.
///
///     auto range = statistic::callable([](const statistic::Resample& r) {
///       auto [low, high] = std::ranges::minmax(r.column(0));
///       return high - low;
///     });
[[nodiscard]] BOOTFOLD_API Statistic callable(std::function<double(const Resample&)> function,
                                              std::string name = "callable");

/// A statistic that can be computed in pieces: on threads, tiles and ranks.
template <class S>
concept Accumulator = std::copyable<S> &&
    requires(S s, const S& part, double value, double weight) {
  s.accumulate(value, weight);  // weight: how often this row was drawn
  s.merge(part);                // the plan fixes the order, so sums are reproducible
  { part.finish() } -> std::convertible_to<double>;
};

/// Your own accumulator over one column.
///
///     struct LogMean {
///       double sum = 0, rows = 0;
///       void accumulate(double value, double weight) {
///         sum += weight * std::log(value);
///         rows += weight;
///       }
///       void merge(const LogMean& part) { sum += part.sum; rows += part.rows; }
///       double finish() const { return std::exp(sum / rows); }
///     };
///     bootstrap(prices, statistic::accumulator(LogMean{}));
template <Accumulator S>
[[nodiscard]] Statistic accumulator(S empty, std::string name = "accumulator") {
  struct State final : Fold::State {
    explicit State(S start) : inner(std::move(start)) {}
    void accumulate(const Tile& rows, std::span<const std::uint32_t> weights) override {
      const std::span<const double> values = rows.column(0);
      for (std::size_t row = 0; row < values.size(); ++row)
        if (weights[row] != 0) inner.accumulate(values[row], static_cast<double>(weights[row]));
    }
    void merge(const Fold::State& later) override {
      inner.merge(static_cast<const State&>(later).inner);
    }
    void finish(std::span<double> values) const override { values[0] = inner.finish(); }
    S inner;
  };
  return Statistic(name, 1, 1, [empty, name](std::size_t) {
    return Bound{{name + "({1})"}, Fold{[empty] { return std::make_unique<State>(empty); }}};
  });
}

}  // namespace statistic
}  // namespace bootfold
