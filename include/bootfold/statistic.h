// bootfold/statistic.h: built-in and user-defined statistics.
//
// A statistic belongs to one of four families, which determines the cost of its bootstrap
// (docs/resampling.md):
//   Sums   a function of sums of features: streams over any number of rows
//   Order  a function of quantiles: one or two random draws per replicate, no pass over the rows
//   Fold   weighted rows are accumulated, partial states are merged, and the values are computed
//   Call   any function of the resample
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

/// Consecutive rows of the columns of a statistic, as doubles: columns[c][row].
struct Tile {
  std::span<const double* const> columns;
  std::size_t rows = 0;

  [[nodiscard]] std::span<const double> column(std::size_t index) const {
    return {columns[index], rows};
  }
};

/// A whole resample: all drawn rows, in the order of drawing unless RowOrder says otherwise.
using Resample = Tile;

/// Centring and scaling of a column before products are summed: u = (x - centre) * 2^-exponent, so
/// that |u| <= 1 and sums neither overflow nor cancel.
struct Scale {
  double centre = 0;
  int exponent = 0;
};

/// The sums of one replicate, which a finishing function turns into values.
struct Folded {
  std::span<const double> means;  ///< sum of each feature divided by rows
  double rows = 0;                ///< number of rows drawn
  std::span<const Scale> scales;  ///< scale of each column, for features that are products
  double resolution = 0;          ///< bound on the error of the means
  bool relative = false;          ///< only differences of values are wanted, to all digits
  /// Mean weight of the rows drawn, if they have weights (weighted()): then all means above are
  /// weighted means.
  std::optional<double> weight = std::nullopt;

  /// Mean of column `column`, if feature number `feature` is the product {column}.
  [[nodiscard]] double column_mean(std::size_t column, std::size_t feature) const;

  /// The same, less the centre of the column if only differences are wanted: for statistics that
  /// move with the data, such as a mean, whose differences the centre would round away.
  [[nodiscard]] double column_place(std::size_t column, std::size_t feature) const;

  [[nodiscard]] double mean(std::size_t feature) const { return means[feature]; }
  [[nodiscard]] double sum(std::size_t feature) const {
    return means[feature] * rows * weight.value_or(1);
  }
};

/// A product of scaled columns: {0, 0} is the square of column 0, {0, 1} is a cross product.
using Product = std::vector<std::uint32_t>;

/// A function of sums. Features are either products of scaled columns or computed by `fill` from
/// the original columns; `finish` maps their means to the values of the statistic. `fill` must
/// treat each row on its own and is called from several threads.
struct Sums {
  std::vector<Product> products;
  std::size_t filled = 0;  ///< number of features that `fill` computes; they follow the products
  std::function<void(const Tile& columns, std::span<double* const> features)> fill;
  std::function<void(const Folded& folded, std::span<double> values)> finish;
  /// The value is the mean of column 0, from the product {0}: `finish` need not be called for it.
  bool is_mean = false;
  /// A column that is scaled but not centred, because it holds weights.
  std::optional<std::uint32_t> weights = std::nullopt;
};

/// A function of quantiles of one column (type 7, as in NumPy).
struct Order {
  std::vector<double> probabilities;
  std::function<void(std::span<const double> quantiles, std::span<double> values)> finish;
};

/// A statistic that accumulates rows with their counts as weights. Partial states are merged in the
/// order of the rows.
struct Fold {
  struct State {
    virtual ~State() = default;
    virtual void accumulate(const Tile& rows, std::span<const std::uint32_t> weights) = 0;
    virtual void merge(const State& later) = 0;
    virtual void finish(std::span<double> values) const = 0;
  };
  std::function<std::unique_ptr<State>()> fresh;
};

/// Measures of how well scores separate the rows of two classes.
enum class Ranking {
  roc_auc,            ///< area under the ROC curve
  average_precision,  ///< area under the steps of the precision-recall curve
};

/// Statistics of rows in the order of their values that are neither quantiles nor trimmed means.
struct Ordered {
  enum class Kind {
    mad,        ///< median of the absolute deviations from the median of column 0
    gini,       ///< Gini coefficient of column 0
    top_share,  ///< share of the sum of column 0 that its largest rows have
    spearman,   ///< correlation of the ranks of columns 0 and 1
  };
  Kind kind = Kind::mad;
  double share = 0;  ///< of the rows that top_share takes
};

/// The order in which a function of the resample sees its rows.
enum class RowOrder {
  drawn,  ///< the order of drawing, which is random: right for every function
  any,  ///< whichever is fastest: for functions that do not depend on the order. Resamples that do
        ///< not fit a cache then come in the order of the data.
};

/// Any function of the resample. Called from several threads at once.
struct Call {
  std::function<void(const Resample& resample, std::span<double> values)> call;
  /// If set, the function is the mean of its one column without this share of the rows at each end;
  /// the engine then need not draw the resample out.
  std::optional<double> trimmed = std::nullopt;
  /// If set, the function is roc_auc() or average_precision() of its columns; the engine then walks
  /// over counts in the order of the scores.
  std::optional<Ranking> ranking = std::nullopt;
  RowOrder order = RowOrder::drawn;
  /// If set, the function is this function of the quantiles of column 0 with the weights of column
  /// 1; the engine then walks over counts in the order of the values.
  std::optional<Order> weighted_order = std::nullopt;
  /// If set, the function is this statistic of its columns; the engine then walks over counts in
  /// the order of the values.
  std::optional<Ordered> ordered = std::nullopt;
};

/// Statistics whose exact bootstrap law is known (bootfold/exact.h).
enum class ExactLaw {
  mean,        ///< the mean of a column
  sum,         ///< the sum of a column
  proportion,  ///< the proportion of rows whose single feature is not 0
};

/// A statistic for a given number of columns.
struct Bound {
  std::vector<std::string> outputs;  ///< names of the values; {1} is the name of the first column
  std::variant<Sums, Order, Fold, Call> body;
};

struct Formula;

}  // namespace statistic

/// A statistic: a name, the number of columns that it takes, and its definition. Cheap to copy.
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

  /// The statistic for data with `columns` columns, which must be within the limits above.
  [[nodiscard]] statistic::Bound bind(std::size_t columns) const { return bind_(columns); }

  /// Whether the last of its columns holds weights of the rows (weighted()).
  [[nodiscard]] bool weighted() const noexcept { return weighted_; }

  /// Whether it is a statistic of one column, which is applied to each column of the data.
  [[nodiscard]] bool of_each_column() const noexcept {
    return columns_.empty() && most_ == (weighted_ ? 2 : 1);
  }

  /// Returns this statistic for columns that are chosen by their names, in the order in which it
  /// takes them; if it has weights, their column comes behind these. A name may be an expression of
  /// a row, such as "log(price)", which data::read() and data::WithComputed know.
  [[nodiscard]] Statistic with_columns(std::vector<std::string> names) const {
    Statistic copy = *this;
    copy.columns_ = std::move(names);
    return copy;
  }

  /// The names of its columns; empty: all columns of the data, or each of them.
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }

  /// Returns this statistic with the declaration that its value is a formula of other statistics on
  /// the same resample, which the engine may compute faster.
  [[nodiscard]] Statistic with_formula(std::shared_ptr<const statistic::Formula> formula) const {
    Statistic copy = *this;
    copy.formula_ = std::move(formula);
    return copy;
  }

  /// The formula, or null.
  [[nodiscard]] const std::shared_ptr<const statistic::Formula>& formula() const noexcept {
    return formula_;
  }

  /// Returns this statistic with the declaration that its last column holds weights of the rows.
  [[nodiscard]] Statistic with_weights() const {
    Statistic copy = *this;
    copy.weighted_ = true;
    return copy;
  }

  /// Returns this statistic with a formula for its standard error: a statistic of the same columns
  /// that estimates the standard error of each value from the rows. Studentized intervals then need
  /// one pass instead of a bootstrap of every resample.
  ///
  ///     auto mine = my_mean.with_standard_error(my_standard_error_of_the_mean);
  [[nodiscard]] Statistic with_standard_error(Statistic formula) const {
    Statistic copy = *this;
    copy.standard_error_ = std::make_shared<const Statistic>(std::move(formula));
    return copy;
  }

  /// The formula, or null. These built-in statistics have one: mean, sum, proportion, variance,
  /// standard_deviation, difference, ratio, regression.
  [[nodiscard]] const Statistic* standard_error() const noexcept { return standard_error_.get(); }

  /// Returns this statistic with a declaration of its exact law. mean(), sum() and proportion()
  /// have one; declare it for a user-defined statistic only if its value is always equal to theirs.
  [[nodiscard]] Statistic with_exact_law(statistic::ExactLaw law) const {
    Statistic copy = *this;
    copy.exact_law_ = law;
    return copy;
  }

  [[nodiscard]] std::optional<statistic::ExactLaw> exact_law() const noexcept { return exact_law_; }

  /// Returns this statistic with the numbers that it depends on and that its name does not show,
  /// such as a ddof or a threshold. They are part of the fingerprint of a run (Plan::fingerprint),
  /// so that runs with other numbers are not joined. Give them for a statistic of your own that has
  /// some.
  [[nodiscard]] Statistic with_parameters(std::vector<double> parameters) const {
    Statistic copy = *this;
    copy.parameters_ = std::move(parameters);
    return copy;
  }

  [[nodiscard]] const std::vector<double>& parameters() const noexcept { return parameters_; }

 private:
  std::string name_;
  std::size_t fewest_;
  std::size_t most_;
  std::function<statistic::Bound(std::size_t)> bind_;
  std::shared_ptr<const Statistic> standard_error_;
  std::optional<statistic::ExactLaw> exact_law_;
  std::vector<double> parameters_;
  std::vector<std::string> columns_;
  std::shared_ptr<const statistic::Formula> formula_;
  bool weighted_ = false;
};

namespace statistic {

/// A function of the values of several statistics on the same resample, such as
/// median(a) / mean(b).
struct Formula {
  struct Term {
    Statistic statistic;
    std::vector<std::uint32_t> columns;  ///< of the columns of the whole statistic
  };
  std::vector<Term> terms;
  /// From the values of all terms, one behind the other.
  std::function<void(std::span<const double> values, std::span<double> out)> finish;
};

// Statistics of one column. If there are several columns, they are applied to each column.
[[nodiscard]] BOOTFOLD_API Statistic mean();
[[nodiscard]] BOOTFOLD_API Statistic sum();
/// Sum of squared deviations / (n - ddof); ddof is 0 or 1.
[[nodiscard]] BOOTFOLD_API Statistic variance(int ddof = 1);
[[nodiscard]] BOOTFOLD_API Statistic standard_deviation(int ddof = 1);
/// m3 / m2^1.5 with the central moments m_k (divisor n), as in SciPy.
[[nodiscard]] BOOTFOLD_API Statistic skewness();
/// Excess kurtosis m4 / m2^2 - 3, which is 0 for a normal distribution, as in SciPy.
[[nodiscard]] BOOTFOLD_API Statistic kurtosis();
/// Proportion of rows whose value is above the threshold; for 0/1 data the proportion of ones.
[[nodiscard]] BOOTFOLD_API Statistic proportion(double above = 0);
/// Mean / standard deviation (ddof 1), times the square root of the number of periods in a year.
[[nodiscard]] BOOTFOLD_API Statistic sharpe_ratio(double periods = 1);
/// Quantile of type 7, the default of NumPy and R. Throws InvalidArgument unless 0 <= q <= 1.
[[nodiscard]] BOOTFOLD_API Statistic quantile(double q);
[[nodiscard]] BOOTFOLD_API Statistic median();
[[nodiscard]] BOOTFOLD_API Statistic interquartile_range();
[[nodiscard]] BOOTFOLD_API Statistic min();
[[nodiscard]] BOOTFOLD_API Statistic max();
/// exp of the mean of log(x): NaN unless all rows are above 0.
[[nodiscard]] BOOTFOLD_API Statistic geometric_mean();
/// Median of the absolute deviations from the median, without a factor, as in SciPy.
[[nodiscard]] BOOTFOLD_API Statistic mad();
/// Gini coefficient: the mean absolute difference of two rows, over twice their mean; 0 if all are
/// equal. NaN if a row is negative or all are 0.
[[nodiscard]] BOOTFOLD_API Statistic gini();
/// Share of the sum that the largest rows have: q n of them, of which the last counts in part if
/// that is no whole number; 0 < q <= 1. NaN if a row is negative or all are 0.
[[nodiscard]] BOOTFOLD_API Statistic top_share(double q);
/// Mean without the floor(cut * n) smallest and largest rows, as in SciPy; 0 <= cut < 0.5.
[[nodiscard]] BOOTFOLD_API Statistic trimmed_mean(double cut);

// Statistics of two columns.
/// mean(column 1) - mean(column 2), for paired columns.
[[nodiscard]] BOOTFOLD_API Statistic difference();
/// mean(column 1) / mean(column 2).
[[nodiscard]] BOOTFOLD_API Statistic ratio();
/// Covariance with divisor n - ddof.
[[nodiscard]] BOOTFOLD_API Statistic covariance(int ddof = 1);
[[nodiscard]] BOOTFOLD_API Statistic correlation();

/// Spearman's rank correlation: the correlation of ranks, where equal values have their mean rank.
[[nodiscard]] BOOTFOLD_API Statistic spearman();
/// Least-squares slope of the first column on the second.
[[nodiscard]] BOOTFOLD_API Statistic slope();

// Statistics of two or more columns.
/// Least-squares regression of the first column on the others: the intercept, then the slopes.
[[nodiscard]] BOOTFOLD_API Statistic regression();

/// Area under the ROC curve: the probability that a positive row has a higher score than a negative
/// row, where equal scores count a half. The first column is the class of each row, 1 (positive) or
/// 0; every other column holds the scores of a model. The values are the area of each model, and if
/// there are several, the area of the first minus that of each other, on the same resamples. NaN
/// where a class has no rows. Sums of counts are integers, and so exact.
[[nodiscard]] BOOTFOLD_API Statistic roc_auc();
/// Average precision, as in scikit-learn: the mean, over the positive rows, of the share of
/// positive rows among those whose score is at least theirs. Columns and values as for roc_auc().
/// NaN where there are no positive rows.
[[nodiscard]] BOOTFOLD_API Statistic average_precision();

/// The statistic with weights of the rows: survey weights, volumes, exposures. The last column of
/// the data holds the weights, at least 0 and not all 0. Rows are drawn as ever, with their
/// weights.
///
///     // sum of w x / sum of w; the columns are x and w
///     bootstrap(table, statistic::weighted(statistic::mean()));
///
/// Means, also those of which variances, correlations and regressions are made, become weighted
/// means; n - ddof still counts rows, so a common factor of all weights changes nothing except
/// sum(), which is the sum of w x. Quantiles, trimmed means, roc_auc, average_precision, mad, gini,
/// top_share and spearman are weighted too. Throws InvalidArgument for an accumulator or a function
/// of the resample of your own: let these take the weights as a column.
///
/// For probabilities with which rows are drawn, see scheme::Unequal; for rows that stand for
/// several equal rows, data::Repeated.
[[nodiscard]] BOOTFOLD_API Statistic weighted(const Statistic& statistic);

/// A statistic as an expression of columns by their names:
///
///     statistic::expression("sum(arr_delay) / sum(distance)")
///     statistic::expression("gm = exp(mean(log(price)))")
///     statistic::expression("quantile(price, 0.9) / median(price)")
///
/// Functions over all rows are the names that parse() knows, with the column (or an expression of
/// one row) as their first arguments and their number as the last, and count(CONDITION). What they
/// take is listed by columns(): data::read() and data::WithComputed give a table with these
/// columns. It runs as fast as its parts: functions of sums stream, quantiles of one column take
/// two draws. Throws InvalidArgument that marks the mistake. docs/expressions.md has the language.
[[nodiscard]] BOOTFOLD_API Statistic expression(std::string_view text);

/// If the columns of some statistics have one that is not there: the message `problem` with a mark
/// below its name in the text of the statistic; otherwise `problem`.
[[nodiscard]] BOOTFOLD_API std::string mark_column(std::span<const std::string> texts,
                                                   const std::string& column,
                                                   const std::string& problem);

/// The statistic with that name: "mean", "quantile:0.9", "trimmed_mean:0.1", "sharpe_ratio:252",
/// "variance:0"; also "sd", "var", "iqr", "p90", "percentile:90" and the like; or an expression,
/// which has parentheses. Throws InvalidArgument, which suggests the nearest name and lists all
/// names.
[[nodiscard]] BOOTFOLD_API Statistic parse(std::string_view text);

/// Description of a built-in statistic: usage, number of columns and meaning.
struct Listing {
  std::string usage;
  std::string columns;
  std::string meaning;
};
/// All built-in statistics.
[[nodiscard]] BOOTFOLD_API const std::vector<Listing>& listings();

/// A user-defined function of sums: `features` maps one row to `count` numbers, and `finish` maps
/// their means over the resample to the value. Runs at streaming speed, because features are
/// computed once per tile of rows and not once per replicate.
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

/// A user-defined function of the resample. It is called from several threads at once.
///
///     auto range = statistic::callable([](const statistic::Resample& r) {
///       auto [low, high] = std::ranges::minmax(r.column(0));
///       return high - low;
///     }, "range", statistic::RowOrder::any);
///
/// A function that does not depend on the order of its rows, as a range does not, should say so by
/// RowOrder::any: from about a million rows on it is then twice as fast. Throws InvalidArgument if
/// `function` is empty.
[[nodiscard]] BOOTFOLD_API Statistic callable(std::function<double(const Resample&)> function,
                                              std::string name = "callable",
                                              RowOrder order = RowOrder::drawn);

/// A statistic of one column that can be computed in parts: on threads, tiles and ranks.
template <class S>
concept Accumulator = std::copyable<S> &&
    requires(S s, const S& part, double value, double weight) {
  s.accumulate(value, weight);  // weight: count of this row in the resample
  s.merge(part);                // the order of merging is fixed, so results are reproducible
  { part.finish() } -> std::convertible_to<double>;
};

/// A user-defined accumulator over one column.
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
