#include "resample/design.h"

#include "bootfold/error.h"
#include "resample/blocks.h"
#include "resample/groups.h"
#include "resample/overloaded.h"
#include "resample/rows.h"
#include "resample/schemes/balanced.h"
#include "resample/schemes/bayesian.h"
#include "resample/schemes/blocks.h"
#include "resample/schemes/cluster.h"
#include "resample/schemes/iid.h"
#include "resample/schemes/jackknife.h"
#include "resample/schemes/poisson.h"
#include "resample/schemes/stratified.h"
#include "resample/schemes/unequal.h"
#include "resample/small_strata.h"
#include "resample/strata.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

using text::grouped;

/// For questions that only some designs have an answer to.
[[noreturn]] void throw_has_none(const Design& design, const char* what) {
  throw InvalidArgument(text::concat("scheme '", design.name(), "' has no ", what));
}

}  // namespace

std::string Design::describe(std::uint64_t rows) const {
  const std::uint64_t drawn = draws(rows);
  std::string text(name());
  if (drawn != rows) text += text::concat(", ", grouped(drawn), " rows a replicate");
  return text;
}

void Design::check(std::uint64_t) const {}

void Design::check_run(std::uint64_t rows, std::uint64_t first, std::uint64_t) const {
  const Traits facts = traits(rows);
  if (!facts.any_length && rows > kMostGatherRows)
    throw InvalidArgument(text::concat("scheme '", name(), "' takes at most ",
                                       grouped(kMostGatherRows), " rows but the data have ",
                                       grouped(rows)));
  if (!facts.endless && first != 0)
    throw InvalidArgument(text::concat("first_replicate is ", grouped(first),
                                       " but a run of scheme '", name(),
                                       "' cannot be continued: it starts at 0"));
}

std::optional<std::uint64_t> Design::replicates(std::uint64_t) const { return std::nullopt; }

std::unique_ptr<const Strata> Design::strata(std::uint64_t, std::uint64_t) const {
  throw_has_none(*this, "counts that stream over the rows");
}

std::unique_ptr<const SmallStrata> Design::small_strata(std::uint64_t) const { return nullptr; }

std::unique_ptr<const BlockLaw> Design::blocks(std::uint64_t, execution::Level) const {
  return nullptr;
}

std::shared_ptr<const Groups> Design::groups() const { return nullptr; }

Scheme Design::subset(const OfRows&) const { throw_has_none(*this, "form for some of the rows"); }

std::optional<Cumulants> Design::cumulants(std::span<const double>) const { return std::nullopt; }

std::string Design::manner() const { return text::concat("under scheme '", name(), "'"); }

std::shared_ptr<const Design> Design::fitted(const DataView&) const { return nullptr; }

Scheme Design::of_clusters() const { throw_has_none(*this, "whole clusters"); }

Scheme Design::drawing_what_is_deleted() const { throw_has_none(*this, "rows that it leaves out"); }

std::shared_ptr<const Design> design(const Scheme& scheme) {
  using Made = std::shared_ptr<const Design>;
  return std::visit(
      overloaded{
          [](const scheme::Iid& s) -> Made { return std::make_shared<IidDesign>(s); },
          [](const scheme::Poisson&) -> Made { return std::make_shared<PoissonDesign>(); },
          [](const scheme::Bayesian&) -> Made { return std::make_shared<BayesianDesign>(); },
          [](const scheme::Balanced&) -> Made { return std::make_shared<BalancedDesign>(); },
          [](const scheme::Unequal& s) -> Made { return std::make_shared<UnequalDesign>(s); },
          [](const scheme::Stratified& s) -> Made { return std::make_shared<StratifiedDesign>(s); },
          [](const scheme::Cluster& s) -> Made { return std::make_shared<ClusterDesign>(s); },
          [](const scheme::MovingBlocks& s) -> Made {
            return std::make_shared<BlockDesign>(BlockKind::moving, static_cast<double>(s.length));
          },
          [](const scheme::CircularBlocks& s) -> Made {
            return std::make_shared<BlockDesign>(BlockKind::circular,
                                                 static_cast<double>(s.length));
          },
          [](const scheme::StationaryBlocks& s) -> Made {
            return std::make_shared<BlockDesign>(BlockKind::stationary, s.length);
          },
          [](const scheme::Jackknife& s) -> Made { return std::make_shared<JackknifeDesign>(s); },
          [](const scheme::Custom& s) -> Made {
            if (!s.design)
              throw InvalidArgument("scheme::Custom has no design; give it one, or another scheme");
            return s.design;
          },
      },
      scheme);
}

std::shared_ptr<const Design> design(const Scheme& scheme, const DataView& data) {
  std::shared_ptr<const Design> made = design(scheme);
  std::shared_ptr<const Design> fitted = made->fitted(data);
  return fitted ? fitted : made;
}

}  // namespace bootfold::resample
