// Summaries of the replicates, made once when a result is made.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "bootstrap/balance.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Four sums side by side, whatever the machine: fast, and always the same. As two registers of the
// oldest kind, which every x86-64 and every aarch64 has.
constexpr std::size_t kLanes = 4;
template <class Number>
struct Lanes {
  using Pair [[gnu::vector_size(16)]] = Number;
  Pair pair[2] = {};

  /// Sum of the lanes, or what else `fold` makes of them.
  template <class Fold = std::plus<>>
  [[nodiscard]] Number folded(Fold&& fold = {}) const {
    return fold(fold(pair[0][0], pair[0][1]), fold(pair[1][0], pair[1][1]));
  }
};
using Pair = Lanes<double>::Pair;

/// Calls see(pair, 0), see(pair, 1), ... with the values of an output; behind the last come NaN.
template <class See>
void for_each_pair(std::span<const double> replicates, std::size_t output, std::size_t outputs,
                   See&& see) {
  std::size_t i = output;
  const std::size_t step = kLanes * outputs;
  for (; i + step - outputs < replicates.size(); i += step) {
    see(Pair{replicates[i], replicates[i + outputs]}, 0);
    see(Pair{replicates[i + 2 * outputs], replicates[i + 3 * outputs]}, 1);
  }
  const auto at = [&](std::size_t k) { return k < replicates.size() ? replicates[k] : kNaN; };
  see(Pair{at(i), at(i + outputs)}, 0);
  see(Pair{at(i + 2 * outputs), at(i + 3 * outputs)}, 1);
}

}  // namespace

Result::Result(Plan plan, std::uint64_t seed, std::vector<double> estimates,
               std::vector<double> replicates, Companions companions)
    : plan_(std::move(plan)),
      seed_(seed),
      estimates_(std::move(estimates)),
      replicates_(std::move(replicates)),
      companions_(std::move(companions)),
      summaries_(estimates_.size()) {
  summarize_all();
}

void Result::summarize_all() {
  for (std::size_t output = 0; output < outputs(); ++output) {
    summaries_[output] = summarize(output);
    balance(output);
    if (output < companions_.errors_from.size() &&
        companions_.errors_from[output] == ErrorSource::replicates)
      companions_.estimate_errors[output] = standard_error(output);
  }
}

Result::Summary Result::summarize(std::size_t output) const {
  Summary summary;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Lanes<double> lows{{Pair{} + kInfinity, Pair{} + kInfinity}};
  Lanes<double> highs{{Pair{} - kInfinity, Pair{} - kInfinity}};
  Lanes<std::int64_t> numbers;
  for_each_pair(replicates_, output, outputs(), [&](Pair values, int at) {
    lows.pair[at] = values < lows.pair[at] ? values : lows.pair[at];
    highs.pair[at] = values > highs.pair[at] ? values : highs.pair[at];
    numbers.pair[at] -= values == values;  // true is -1, and NaN is not equal to itself
  });
  const double low = lows.folded([](double a, double b) { return std::min(a, b); });
  const double high = highs.folded([](double a, double b) { return std::max(a, b); });
  summary.defined = static_cast<std::uint64_t>(numbers.folded());
  const auto count = static_cast<double>(summary.defined);
  if (summary.defined == 0) {
    summary.mean = summary.deviation = kNaN;
    return summary;
  }
  // Differences from the middle, scaled by a power of two: nothing overflows, vanishes or cancels.
  const double middle = low / 2 + high / 2;
  const double reach = high / 2 - low / 2;
  const int exponent = reach > 0 && std::isfinite(reach) ? std::ilogb(reach) : 0;
  const int half = -exponent / 2;
  const double scale = std::ldexp(1.0, half);
  const double rescale = std::ldexp(1.0, -exponent - half);
  Lanes<double> firsts;
  for_each_pair(replicates_, output, outputs(), [&](Pair values, int at) {
    const Pair d = (values - middle) * scale * rescale;
    firsts.pair[at] += values == values ? d : Pair{};
  });
  const double shift = firsts.folded() / count;
  Lanes<double> seconds;
  Lanes<double> thirds;
  Lanes<double> fourths;
  for_each_pair(replicates_, output, outputs(), [&](Pair values, int at) {
    const Pair d = (values - middle) * scale * rescale - shift;
    const Pair square = values == values ? d * d : Pair{};
    seconds.pair[at] += square;
    thirds.pair[at] += values == values ? square * d : Pair{};
    fourths.pair[at] += square * square;
  });
  const double second = seconds.folded();
  summary.mean = middle + std::ldexp(shift, exponent);
  summary.deviation = std::ldexp(std::sqrt(second / (count - 1)), exponent);
  summary.skewness =
      second > 0 ? std::sqrt(count) * thirds.folded() / (second * std::sqrt(second)) : 0;
  summary.kurtosis = second > 0 ? count * fourths.folded() / (second * second) : 1;
  return summary;
}

void Result::balance(std::size_t output) {
  const Balance balance(*this, output);
  Summary& summary = summaries_[output];
  if (!balance.known() || !(summary.deviation > 0) || !std::isfinite(summary.deviation)) return;
  const auto z = [&](std::size_t i) {
    return (replicate(i, output) - summary.mean) / summary.deviation;
  };
  const double slope = balance.covariance(z);
  summary.linear = balance.covariance([&](std::size_t i) { return z(i) * z(i); });
  double squares = 0;
  for (std::size_t i = 0; i < replicates_.size() / outputs(); ++i) {
    const double rest = z(i) - slope * balance.part(i);
    if (!std::isnan(rest)) squares += rest * rest;
  }
  summary.rest = std::sqrt(squares / static_cast<double>(summary.defined));
}

double Result::standard_error(std::size_t output) const {
  if (companions_.jackknife) return companions_.influences.at(output).standard_error();
  return plan_.rescale * summaries_.at(output).deviation;
}

double Result::standard_error_error(std::size_t output) const {
  // The variance of a sample variance is (kurtosis - 1) sigma^4 / count; the delta method halves
  // it.
  const Summary& summary = summaries_.at(output);
  if (companions_.jackknife) return 0;
  return plan_.rescale * summary.deviation *
         std::sqrt(std::max(0.0, summary.kurtosis - 1 - summary.linear * summary.linear) /
                   (4 * static_cast<double>(summary.defined)));
}

double Result::bias(std::size_t output) const {
  if (companions_.jackknife) return companions_.influences.at(output).bias();
  // Biases fall twice as fast as deviations.
  return plan_.rescale * plan_.rescale * (summaries_.at(output).mean - centre(output));
}

double Result::bias_error(std::size_t output) const {
  const Summary& summary = summaries_.at(output);
  if (companions_.jackknife) return 0;
  const double error = plan_.rescale * plan_.rescale * summary.deviation * summary.rest /
                       std::sqrt(static_cast<double>(summary.defined));
  // What is linear in the rows is fixed in a balanced run, but for rounding.
  const double unit = 0x1p-52 * std::max(std::abs(estimates_.at(output)), std::abs(summary.mean));
  return summary.rest < 1 && error < unit ? unit : error;
}

double Result::resolution(std::size_t output) const {
  const Summary& summary = summaries_.at(output);
  const double largest = std::max(std::abs(estimates_.at(output)), std::abs(summary.mean));
  const double spread = std::isfinite(summary.deviation) ? summary.deviation : 0;
  return std::max(plan_.sum_error, 1e-9) * spread +
         (std::isfinite(largest) ? 0x1p-50 * largest : 0);
}

void Result::add_influences(std::vector<Influence> influences, std::vector<AbcCurve> curves) {
  if (influences.size() != outputs() || (!curves.empty() && curves.size() != outputs()))
    throw InvalidArgument(text::concat("there are ", influences.size(), " influences but ",
                                       outputs(), " values; each value needs its own"));
  companions_.influences = std::move(influences);
  companions_.abc_curves = std::move(curves);
}

void Result::add_linear_parts(std::vector<double> parts) {
  if (parts.size() != replicates_.size())
    throw InvalidArgument(text::concat("there are ", parts.size(), " linear parts but ",
                                       replicates_.size(), " values; each value needs its own"));
  companions_.linear_parts = std::move(parts);
  for (std::size_t output = 0; output < outputs(); ++output) balance(output);
}

namespace {

/// "mean, median".
std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// "replicates 0 to 999".
std::string range_of(const Result& result) {
  return text::concat("replicates ", text::grouped(result.first_replicate()), " to ",
                      text::grouped(result.first_replicate() + result.count() - 1));
}

}  // namespace

void Result::append(const Result& later) {
  if (companions_.jackknife || later.companions_.jackknife)
    throw InvalidArgument("a jackknife is complete; it cannot be continued by another run");
  if (later.plan_.outputs != plan_.outputs)
    throw InvalidArgument(text::concat("the first result has the values ", list_of(plan_.outputs),
                                       " and the other has ", list_of(later.plan_.outputs),
                                       "; statistics and names of columns must agree"));
  if (later.fingerprint() != fingerprint() ||
      later.companions_.replicate_errors.empty() != companions_.replicate_errors.empty())
    throw InvalidArgument(text::concat("the results are of different runs (fingerprints ",
                                       text::hexadecimal(fingerprint()), " and ",
                                       text::hexadecimal(later.fingerprint()),
                                       "): data, statistics, scheme, seed and options must agree"));
  const std::uint64_t end = first_replicate() + count();
  if (later.first_replicate() != end)
    throw InvalidArgument(text::concat(
        "the first result has ", range_of(*this), " and the other has ", range_of(later),
        later.first_replicate() + later.count() <= first_replicate() ? "; append in rising order"
        : later.first_replicate() < end                              ? "; they must not overlap"
                                        : "; none may be missing between them",
        ": continue with first_replicate=", end));
  replicates_.insert(replicates_.end(), later.replicates_.begin(), later.replicates_.end());
  auto& errors = companions_.replicate_errors;
  errors.insert(errors.end(), later.companions_.replicate_errors.begin(),
                later.companions_.replicate_errors.end());
  companions_.linear_parts.clear();  // each of the two was balanced on its own
  plan_.replicates += later.plan_.replicates;
  plan_.result_bytes += later.plan_.result_bytes;
  plan_.seconds += later.plan_.seconds;
  summarize_all();
}

std::uint64_t Result::undefined(std::size_t output) const {
  return replicates_.size() / outputs() - summaries_.at(output).defined;
}

}  // namespace bootfold
