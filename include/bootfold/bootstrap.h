// bootfold/bootstrap.h: resample, reduce every replicate at once, keep only the numbers.
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

/// What a result can carry beside estimates and replicates, for the intervals that need it.
struct Companions {
  std::vector<Influence> influences = {};     ///< of each output (Options::influence), or none
  std::vector<AbcCurve> abc_curves = {};      ///< of each output (Options::influence), or none
  std::vector<double> estimate_errors = {};   ///< standard error of each estimate, or none
  std::vector<ErrorSource> errors_from = {};  ///< where each of those comes from
  std::vector<double> replicate_errors = {};  ///< and on each resample: [replicate][output]
  std::string error_method = {};              ///< "formula" or "nested bootstrap, 50 replicates"
  bool jackknife = false;  ///< replicates leave out one unit each; influences are theirs
};

/// What a bootstrap found. A plain value; replicates are in row-major order [replicate][output].
class BOOTFOLD_API Result {
 public:
  Result(Plan plan, std::uint64_t seed, std::vector<double> estimates,
         std::vector<double> replicates, Companions companions = {});

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  /// The numbers of its replicates: first_replicate() .. first_replicate() + count() - 1.
  [[nodiscard]] std::uint64_t first_replicate() const noexcept { return plan_.first_replicate; }
  [[nodiscard]] std::uint64_t count() const noexcept { return plan_.replicates; }
  /// Identifies data, statistics, scheme, seed and random streams (Plan::fingerprint).
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return plan_.fingerprint; }
  /// Number of values a replicate has.
  [[nodiscard]] std::size_t outputs() const noexcept { return estimates_.size(); }

  /// The statistic on the data as they are.
  [[nodiscard]] double estimate(std::size_t output = 0) const { return estimates_.at(output); }
  [[nodiscard]] std::span<const double> replicates() const noexcept { return replicates_; }
  /// Moves the replicates out of a result that is not needed any more.
  [[nodiscard]] std::vector<double> take_replicates() && { return std::move(replicates_); }
  [[nodiscard]] double replicate(std::size_t index, std::size_t output = 0) const {
    return replicates_.at(index * outputs() + output);
  }

  // Over the replicates on which the statistic is defined (is a number). Of scheme jackknife these
  // are the jackknife's, without Monte Carlo error, and NaN if some replicate is undefined.
  /// Standard deviation of the replicates (divisor: their number - 1).
  [[nodiscard]] double standard_error(std::size_t output = 0) const;
  /// Monte Carlo error of the standard error: what another seed would change.
  [[nodiscard]] double standard_error_error(std::size_t output = 0) const;
  /// Mean of the replicates - estimate.
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
  /// Replicates on which the statistic is not a number (a correlation of constant rows, say).
  [[nodiscard]] std::uint64_t undefined(std::size_t output = 0) const;

  [[nodiscard]] const Companions& companions() const noexcept { return companions_; }

  /// Adds what was found apart from the run, by influence() and abc_curves().
  void add_influences(std::vector<Influence> influences, std::vector<AbcCurve> curves = {});

  /// Appends the replicates of a run that continued this one (Options::first_replicate). Throws
  /// InvalidArgument, with both ranges, if replicates overlap or are missing between them, and,
  /// with both fingerprints, if the runs are not parts of one sequence.
  void append(const Result& later);

  /// Writes all of it to one file in the safetensors layout, which appears whole or not at all.
  /// Intervals can then be made at any time, at any confidence, without the data. Throws DataError.
  void save(const std::string& path) const;
  /// Reads what save() wrote. Throws DataError with one clear message for any other file.
  [[nodiscard]] static Result load(const std::string& path);

 private:
  struct Summary {
    double mean = 0;
    double deviation = 0;
    double skewness = 0;  // third central moment / second^1.5
    double kurtosis = 0;  // fourth central moment / squared second
    std::uint64_t defined = 0;
  };
  [[nodiscard]] Summary summarize(std::size_t output) const;
  void summarize_all();

  Plan plan_;
  std::uint64_t seed_;
  std::vector<double> estimates_;
  std::vector<double> replicates_;
  Companions companions_;
  std::vector<Summary> summaries_;
};

/// Bootstraps one statistic, or several over the same resamples.
///
/// A replicate is a pure function of (data, statistics, scheme, seed, replicate number); threads,
/// instruction set, memory and the way a run is cut into pieces change nothing. Throws
/// InvalidArgument for options that cannot be met, Cancelled when the stop token asks, and whatever
/// a user's own statistic throws.
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

}  // namespace bootfold
