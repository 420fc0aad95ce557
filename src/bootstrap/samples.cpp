// Several samples are the strata of one: stacked, drawn stratum by stratum, and taken apart again.
#include "bootfold/samples.h"

#include <numeric>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "resample/design.h"
#include "text/concat.h"

namespace bootfold {

namespace {

using statistic::Resample;

void check(std::span<const DataView> samples, const Options& options) {
  if (samples.empty())
    throw InvalidArgument("there are no samples; give at least one, usually two");
  for (std::size_t s = 0; s < samples.size(); ++s) {
    if (samples[s].rows() == 0)
      throw InvalidArgument(
          text::concat("sample ", s + 1, " has no rows; each needs at least one"));
    if (samples[s].columns() != samples[0].columns())
      throw InvalidArgument(text::concat("sample ", s + 1, " has ", samples[s].columns(),
                                         " columns but the first has ", samples[0].columns(),
                                         "; all samples need the same number of columns"));
  }
  std::uint64_t rows = 0;
  for (const DataView& sample : samples) rows += sample.rows();
  const resample::Traits traits = resample::design(options.scheme)->traits(rows);
  if (!traits.iid || !traits.exchangeable)
    throw InvalidArgument(
        text::concat("scheme is '", name(options.scheme), traits.iid ? "' with a size" : "'",
                     " but each of several samples is resampled by scheme 'iid' at its own size; "
                     "omit the scheme"));
  if (options.standard_errors)
    throw InvalidArgument(
        "standard_errors are not available for a function of several samples; use BCa, percentile, "
        "basic or normal intervals, which do not need them");
}

/// All samples, one below the other.
class Stack {
 public:
  explicit Stack(std::span<const DataView> samples) : columns_(samples[0].columns()) {
    for (std::size_t s = 0; s < samples.size(); ++s) {
      sizes_.push_back(samples[s].rows());
      labels_.insert(labels_.end(), samples[s].rows(), static_cast<std::uint32_t>(s));
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].resize(labels_.size());
      std::span<double> room = columns_[c];
      for (const DataView& sample : samples) {
        sample.column(c).read(0, room.first(sample.rows()));
        room = room.subspan(sample.rows());
      }
      names_.push_back(samples[0].name(c));
    }
  }

  [[nodiscard]] DataView view() const {
    std::vector<ColumnView> views;
    for (const auto& column : columns_) views.emplace_back(column);
    return DataView(std::move(views), names_);
  }
  [[nodiscard]] std::span<const std::uint32_t> labels() const { return labels_; }
  [[nodiscard]] std::size_t samples() const { return sizes_.size(); }

  /// The function with all samples as they are but `place`, which is `drawn`.
  [[nodiscard]] double with(const SamplesFunction& function, std::size_t place,
                            const Resample& drawn) const {
    return split(
        [&](std::size_t s, std::size_t c, std::size_t first) {
          return s == place ? drawn.columns[c] : columns_[c].data() + first;
        },
        function, place, drawn.rows);
  }

  /// The function on a stacked resample.
  [[nodiscard]] double apart(const SamplesFunction& function, const Resample& stacked) const {
    return split(
        [&](std::size_t, std::size_t c, std::size_t first) { return stacked.columns[c] + first; },
        function, sizes_.size(), 0);
  }

 private:
  template <class At>
  [[nodiscard]] double split(const At& at, const SamplesFunction& function, std::size_t changed,
                             std::size_t rows) const {
    std::vector<const double*> pointers;
    std::size_t first = 0;
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      for (std::size_t c = 0; c < columns_.size(); ++c) pointers.push_back(at(s, c, first));
      first += sizes_[s];
    }
    std::vector<Resample> parts;
    for (std::size_t s = 0; s < sizes_.size(); ++s)
      parts.push_back({std::span(pointers).subspan(s * columns_.size(), columns_.size()),
                       s == changed ? rows : sizes_[s]});
    return function(parts);
  }

  std::vector<std::size_t> sizes_;
  std::vector<std::uint32_t> labels_;
  std::vector<std::vector<double>> columns_;
  std::vector<std::string> names_;
};

/// What a row of any sample does, from what it does in its own.
void add_influence(Result& result, std::span<const DataView> samples, const Stack& stack,
                   const SamplesFunction& function, const Options& options) {
  std::vector<Influence> each;
  for (std::size_t s = 0; s < samples.size(); ++s)
    each.push_back(influence(samples[s], statistic::callable([&, s](const Resample& drawn) {
                               return stack.with(function, s, drawn);
                             }),
                             options)[0]);
  std::vector<InfluenceTerm> terms;
  for (const Influence& found : each) terms.push_back({found, 1});
  Influence all = combined_influence(terms);
  all.method += ", " + each[0].method;
  all.estimate = all.mean = result.estimate();
  AbcCurve none;
  none.problem = "abc is for functions of sums of one sample only";
  result.add_influences({all}, {none});
}

}  // namespace

Result bootstrap_samples(std::span<const DataView> samples, const SamplesFunction& function,
                         const Options& options, const std::string& name) {
  check(samples, options);
  const Stack stack(samples);
  Options run = options;
  run.influence = false;
  run.scheme = scheme::Stratified{stack.labels()};
  Result result =
      bootstrap(stack.view(),
                statistic::callable(
                    [&](const Resample& drawn) { return stack.apart(function, drawn); }, name),
                run);
  if (options.influence) {
    run.scheme = scheme::Iid{};
    add_influence(result, samples, stack, function, run);
  }
  return result;
}

}  // namespace bootfold
