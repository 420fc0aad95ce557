#include "resample/schemes/unequal.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "resample/alias.h"
#include "resample/cumulants.h"
#include "resample/sampling_by.h"
#include "resample/strata.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

/// Fewer draws are made row by row: in a few tiles weights are too far apart to be counted.
constexpr std::uint64_t kStreamedDraws = 32768;

struct WeightedRows {
  std::uint64_t seed;
  std::size_t draws;
  std::shared_ptr<const Alias> alias;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) const {
    out.resize(draws);
    random::Lanes lanes({seed, replicate, random::Purpose::weighted}, 0);
    for (std::size_t first = 0; first < draws; first += random::Lanes::kLanes) {
      const auto words = lanes();
      const std::size_t size = std::min(random::Lanes::kLanes, draws - first);
      for (std::size_t i = 0; i < size; ++i) out[first + i] = alias->row(words[i]);
    }
    return out;
  }
};

}  // namespace

void UnequalDesign::check(std::uint64_t rows) const {
  if (weights_.size() != rows)
    throw InvalidArgument(text::concat("there are ", text::grouped(weights_.size()),
                                       " probabilities but ", text::grouped(rows),
                                       " rows; every row needs one"));
  double sum = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!(weights_[i] >= 0) || std::isinf(weights_[i]))
      throw InvalidArgument(text::concat("probability of row ", text::grouped(i + 1), " is ",
                                         weights_[i],
                                         " but must be a number that is not negative"));
    sum += weights_[i];
  }
  if (sum == 0) throw InvalidArgument("all probabilities are 0 but at least one must be positive");
  if (std::isinf(sum))
    throw InvalidArgument("the sum of the probabilities exceeds 1.8e308; scale them down");
}

std::uint64_t UnequalDesign::units(std::uint64_t) const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(weights(), [](double weight) { return weight > 0; }));
}

Traits UnequalDesign::traits(std::uint64_t) const {
  Traits facts;
  facts.together = false;
  facts.formula = true;
  facts.studentized = Studentized::by_formula;
  return facts;
}

std::size_t UnequalDesign::sampling_bytes(std::uint64_t rows) const {
  return streams(rows) ? std::max<std::size_t>(32 * rows, 20 * places(rows)) : 32 * rows;
}

bool UnequalDesign::streams(std::uint64_t rows) const { return draws(rows) >= kStreamedDraws; }

std::uint64_t UnequalDesign::places(std::uint64_t rows) const {
  return WeightedPlaces::count(weights_, draws(rows));
}

std::unique_ptr<const Strata> UnequalDesign::strata(std::uint64_t rows, std::uint64_t seed) const {
  return std::make_unique<const Strata>(
      std::make_shared<const WeightedPlaces>(weights_, draws(rows)), seed);
}

std::shared_ptr<const Sampling> UnequalDesign::sampling(std::uint64_t rows, std::uint64_t seed,
                                                        std::uint64_t, execution::Level) const {
  return sampling_by(WeightedRows{seed, draws(rows), std::make_shared<const Alias>(weights_)});
}

Scheme UnequalDesign::subset(const OfRows& some) const {
  return scheme::Unequal{some.weights, size_};
}

std::optional<Cumulants> UnequalDesign::cumulants(std::span<const double> changes) const {
  return cumulants_of_draws(changes, weights_, static_cast<double>(draws(changes.size())));
}

}  // namespace bootfold::resample
