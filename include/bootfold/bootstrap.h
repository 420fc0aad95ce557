// bootfold/bootstrap.h: the bootstrap. Rows are resampled, every replicate is reduced to its values
// at once, and only the values are kept.
//
//     auto result = bootstrap(prices, statistic::mean(), {.replicates = 1'000'000, .seed = 7});
//     result.estimate(); result.standard_error(); result.bias(); result.replicates();
//     auto [low, high] = interval::percentile(result, {.confidence = 0.95}).limits();
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/influence.h"
#include "bootfold/plan.h"

namespace bootfold {

/// Where the standard error of an estimate comes from.
enum class ErrorSource {
  data,        ///< a formula or a bootstrap of the data
  replicates,  ///< the standard deviation of the replicates
};

/// Optional parts of a result, which some interval methods need. A part that was not computed is
/// empty.
struct Companions {
  std::vector<Influence> influences = {};     ///< one per output (Options::influence)
  std::vector<AbcCurve> abc_curves = {};      ///< one per output (Options::influence)
  std::vector<double> estimate_errors = {};   ///< standard error of each estimate
  std::vector<ErrorSource> errors_from = {};  ///< source of each of these standard errors
  std::vector<double> replicate_errors = {};  ///< standard errors on resamples [replicate][output]
  std::string error_method = {};              ///< "formula" or "nested bootstrap, 50 replicates"
  /// Under scheme balanced, mean influence of the rows drawn [replicate][output]: its mean over a
  /// run is 0 for every seed, which Monte Carlo errors take into account. 0 where it is not known.
  std::vector<double> linear_parts = {};
  std::vector<double> centres = {};  ///< Result::centre() of each output; empty: the estimates
  bool jackknife = false;  ///< the replicates, and `influences`, are those of scheme jackknife
};

/// The result of a bootstrap. A plain value; replicates are stored in row-major order
/// [replicate][output].
class BOOTFOLD_API Result {
 public:
  Result(Plan plan, std::uint64_t seed, std::vector<double> estimates,
         std::vector<double> replicates, Companions companions = {});

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  /// The result holds the replicates numbered first_replicate() .. first_replicate() + count() - 1.
  [[nodiscard]] std::uint64_t first_replicate() const noexcept { return plan_.first_replicate; }
  [[nodiscard]] std::uint64_t count() const noexcept { return plan_.replicates; }
  /// Hash that identifies data, statistics, scheme, seed and random streams (Plan::fingerprint).
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return plan_.fingerprint; }
  /// Number of values of a replicate.
  [[nodiscard]] std::size_t outputs() const noexcept { return estimates_.size(); }

  /// The statistic on the original data.
  [[nodiscard]] double estimate(std::size_t output = 0) const { return estimates_.at(output); }
  [[nodiscard]] std::span<const double> replicates() const noexcept { return replicates_; }
  /// Moves the replicates out of a result that is no longer needed.
  [[nodiscard]] std::vector<double> take_replicates() && { return std::move(replicates_); }
  [[nodiscard]] double replicate(std::size_t index, std::size_t output = 0) const {
    return replicates_.at(index * outputs() + output);
  }

  /// The value around which the replicates are distributed: the statistic with the expected counts
  /// of rows as weights. It is the estimate, unless the scheme draws some rows more often than
  /// others (moving blocks) and the statistic can be evaluated at weights.
  [[nodiscard]] double centre(std::size_t output = 0) const {
    return companions_.centres.empty() ? estimate(output) : companions_.centres.at(output);
  }

  /// Whether intervals see the replicates of an output as they are.
  [[nodiscard]] bool as_drawn(std::size_t output = 0) const {
    return plan_.rescale == 1 &&
           (companions_.centres.empty() || centre(output) == estimate(output));
  }
  /// The replicate as intervals see it: the estimate plus the deviation from centre() times
  /// Plan::rescale, which is 1 unless more or fewer rows are drawn than there are.
  [[nodiscard]] double rescaled(std::size_t index, std::size_t output = 0) const {
    const double value = replicate(index, output);
    return as_drawn(output) ? value : estimate(output) + plan_.rescale * (value - centre(output));
  }

  // The following are computed over the replicates on which the statistic is defined (not NaN), and
  // include Plan::rescale. Under scheme jackknife, standard error and bias are the jackknife
  // estimates; they have no Monte Carlo error and are NaN if a replicate is undefined.
  /// Standard deviation of the replicates (divisor: their number - 1).
  [[nodiscard]] double standard_error(std::size_t output = 0) const;
  /// Monte Carlo error of the standard error: its standard deviation over seeds.
  [[nodiscard]] double standard_error_error(std::size_t output = 0) const;
  /// Mean of the replicates - centre().
  [[nodiscard]] double bias(std::size_t output = 0) const;
  /// Monte Carlo error of the bias.
  [[nodiscard]] double bias_error(std::size_t output = 0) const;
  /// Third and fourth standardised moments of the replicates.
  [[nodiscard]] double skewness(std::size_t output = 0) const {
    return summaries_.at(output).skewness;
  }
  [[nodiscard]] double kurtosis(std::size_t output = 0) const {
    return summaries_.at(output).kurtosis;
  }
  /// Two values of this output that differ by no more than this are equal but for rounding: the
  /// bound of the error of sums (at least 1e-9 standard errors) and a few units in the last place.
  [[nodiscard]] double resolution(std::size_t output = 0) const;
  /// Number of replicates on which the statistic is NaN, such as the correlation of constant rows.
  [[nodiscard]] std::uint64_t undefined(std::size_t output = 0) const;

  [[nodiscard]] const Companions& companions() const noexcept { return companions_; }

  /// Adds influences and ABC curves that were computed separately by influence() and abc_curves().
  void add_influences(std::vector<Influence> influences, std::vector<AbcCurve> curves = {});

  /// Adds the linear parts of the replicates of a balanced run (Companions::linear_parts).
  void add_linear_parts(std::vector<double> parts);

  /// Appends the replicates of a run that continues this one (Options::first_replicate). Throws
  /// InvalidArgument if the two ranges of replicates overlap or leave a gap (the message names both
  /// ranges), and if the fingerprints differ (the message names both fingerprints).
  void append(const Result& later);

  /// What the caller wants to know later of where the result comes from, as text. It is saved with
  /// the result. The program stores its arguments here, which `bootfold extend` reads.
  void set_origin(std::string origin) { origin_ = std::move(origin); }
  [[nodiscard]] const std::string& origin() const noexcept { return origin_; }

  /// Writes the result to a file in the safetensors format. The write is atomic. Intervals can be
  /// computed from the file later, at any confidence, without the data. Throws DataError.
  void save(const std::string& path) const;
  /// Reads a file that save() wrote. Throws DataError for any other file.
  [[nodiscard]] static Result load(const std::string& path);

 private:
  struct Summary {
    double mean = 0;
    double deviation = 0;
    double skewness = 0;  // third central moment / second^1.5
    double kurtosis = 0;  // fourth central moment / squared second
    double rest = 1;      // deviation of what is not linear in the rows, as a share of `deviation`
    double linear = 0;    // covariance of linear part and square, both standardised
    std::uint64_t defined = 0;
  };
  [[nodiscard]] Summary summarize(std::size_t output) const;
  void balance(std::size_t output);
  void summarize_all();

  Plan plan_;
  std::uint64_t seed_;
  std::vector<double> estimates_;
  std::vector<double> replicates_;
  Companions companions_;
  std::vector<Summary> summaries_;
  std::string origin_;
};

/// Bootstraps one statistic, or several. Statistics of one kind are computed on the same resamples,
/// and those of different kinds if Options::joint is set.
///
/// A replicate is a pure function of (data, statistics, scheme, seed, replicate number). It does
/// not depend on the number of threads, the instruction set, the memory limit, or how a run is
/// split into smaller runs. Throws InvalidArgument for options that cannot be met, Cancelled when
/// the stop token requests it, and whatever a user-defined statistic throws.
[[nodiscard]] BOOTFOLD_API Result bootstrap(const DataView& data,
                                            std::span<const Statistic> statistics,
                                            const Options& options = {});
[[nodiscard]] BOOTFOLD_API Result bootstrap(const DataView& data, const Statistic& statistic,
                                            const Options& options = {});
[[nodiscard]] inline Result bootstrap(const DataView& data,
                                      std::initializer_list<Statistic> statistics,
                                      const Options& options = {}) {
  return bootstrap(data, std::span<const Statistic>(statistics.begin(), statistics.size()),
                   options);
}

/// Bootstraps the rows of a source, which need not fit in memory: Options::memory limits all memory
/// but that of the result.
///
///     auto sales = data::open("sales/*.parquet", {.columns = {"price"}});
///     std::vector<Statistic> statistics = {statistic::mean()};
///     Result result = bootstrap(*sales, statistics, {.memory = 256 << 20});
///
/// Rows that fit in half of the memory are kept, and every option is available. Others are read
/// again: once to look, and once to add up as many replicates as the memory has room for
/// (Plan::reads). Then statistics are functions of sums, or quantiles of one column, under scheme
/// iid or poisson. The result has the bits of bootstrap() on the same rows in memory. Throws also
/// what the source throws.
[[nodiscard]] BOOTFOLD_API Result bootstrap(const data::Source& source,
                                            std::span<const Statistic> statistics,
                                            const Options& options = {});
[[nodiscard]] BOOTFOLD_API Result bootstrap(const data::Source& source, const Statistic& statistic,
                                            const Options& options = {});

}  // namespace bootfold
