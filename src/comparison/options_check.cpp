#include "comparison/options_check.h"

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::comparison {

void check(const Options& options) {
  if (!(options.confidence > 0 && options.confidence < 1))
    throw InvalidArgument(text::concat("confidence is ", options.confidence,
                                       " but must be above 0 and below 1; 0.95 is usual"));
  if (options.interval == interval::Method::abc)
    throw InvalidArgument(
        "interval is abc, which is for one sample; use percentile, basic, normal, bca or "
        "studentized for differences");
  if (options.paired && options.interval == interval::Method::studentized)
    throw InvalidArgument(
        "interval is 'studentized' but pairs are drawn, and standard errors on every resample are "
        "available only where rows are drawn one by one or within strata; use bca, percentile, "
        "basic or normal intervals");
  if (facts(options.scheme).deletes)
    throw InvalidArgument(
        text::concat("scheme is '", bootfold::name(options.scheme),
                     "', which draws no resamples to compare; omit the scheme, or jackknife each "
                     "group separately"));
  if (options.precision && !(*options.precision > 0 && *options.precision < 1))
    throw InvalidArgument(
        text::concat("precision is ", *options.precision,
                     " but must be above 0 and below 1: the Monte Carlo error of a "
                     "limit as a share of the standard error; 0.01 is usual"));
  if (options.test == Test::permutation) {
    const auto* iid = std::get_if<scheme::Iid>(&options.scheme);
    const auto* clusters = std::get_if<scheme::Cluster>(&options.scheme);
    const bool whole = clusters != nullptr && !clusters->two_stage && clusters->strata.empty();
    if (!(iid != nullptr && iid->size == 0) && !whole)
      throw InvalidArgument(
          text::concat("test is 'permutation' but the scheme is '", bootfold::name(options.scheme),
                       iid != nullptr        ? "' with a size"
                       : clusters == nullptr ? "'"
                       : clusters->two_stage ? "' in two stages"
                                             : "' within strata",
                       "; permutation tests relabel rows or clusters: omit the scheme, or give "
                       "clusters"));
    if (options.correction == Correction::simultaneous)
      throw InvalidArgument(
          "test is 'permutation' but the correction is 'simultaneous', which takes its p-values "
          "from the bootstrap; use holm or bonferroni");
  }
  if (options.replicates < 2)
    throw InvalidArgument(text::concat("replicates is ", options.replicates,
                                       " but must be at least 2; 10000 is a good start"));
}

}  // namespace bootfold::comparison
