#include "resample/schemes/balanced.h"

#include "bootfold/error.h"
#include "resample/cumulants.h"
#include "resample/permutation.h"
#include "resample/sampling_by.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

struct BalancedRows {
  std::size_t rows;
  Permutation permutation;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) const {
    out.resize(rows);
    for (std::size_t i = 0; i < rows; ++i)
      out[i] = static_cast<std::uint32_t>(permutation(replicate * rows + i) % rows);
    return out;
  }
};

}  // namespace

void BalancedDesign::check_run(std::uint64_t rows, std::uint64_t first,
                               std::uint64_t replicates) const {
  Design::check_run(rows, first, replicates);
  if (static_cast<double>(rows) * static_cast<double>(replicates) > 0x1p62)
    throw InvalidArgument(
        text::concat("replicates is ", text::grouped(replicates), " but with ", text::grouped(rows),
                     " rows scheme 'balanced' would draw more than 2^62 of them"));
}

Traits BalancedDesign::traits(std::uint64_t) const {
  Traits facts;
  facts.exchangeable = true;
  facts.endless = false;
  facts.balanced = true;
  facts.together = false;
  facts.formula = true;
  facts.studentized = Studentized::yes;
  return facts;
}

std::shared_ptr<const Sampling> BalancedDesign::sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level) const {
  return sampling_by(BalancedRows{rows, Permutation(rows * replicates, seed)});
}

std::optional<Cumulants> BalancedDesign::cumulants(std::span<const double> changes) const {
  return cumulants_of_draws(changes, {}, static_cast<double>(changes.size()));
}

}  // namespace bootfold::resample
