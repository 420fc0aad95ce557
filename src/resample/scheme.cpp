#include "bootfold/scheme.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "resample/groups.h"
#include "resample/scheme.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

using text::grouped;

constexpr const char* kNames[] = {"iid",      "poisson",    "bayesian", "balanced",
                                  "weighted", "stratified", "cluster",  "moving",
                                  "circular", "stationary", "jackknife"};
static_assert(std::size(kNames) == std::variant_size_v<Scheme>);

void check_labels(std::span<const std::uint32_t> labels, const char* what, std::uint64_t rows) {
  if (labels.size() != rows)
    throw InvalidArgument(text::concat("there are ", grouped(labels.size()), " ", what,
                                       " labels but ", grouped(rows),
                                       " rows; every row needs one"));
}

void check_weights(std::span<const double> weights, std::uint64_t rows) {
  if (weights.size() != rows)
    throw InvalidArgument(text::concat("there are ", grouped(weights.size()), " weights but ",
                                       grouped(rows), " rows; every row needs one"));
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0) || std::isinf(weights[i]))
      throw InvalidArgument(text::concat("weight of row ", grouped(i + 1), " is ", weights[i],
                                         " but must be a number that is not negative"));
    sum += weights[i];
  }
  if (sum == 0) throw InvalidArgument("all weights are 0 but at least one row must have a chance");
  if (std::isinf(sum))
    throw InvalidArgument("the weights sum up to more than 1.8e308; scale them down");
}

void check_block_length(double length, std::uint64_t rows) {
  if (!(length >= 1) || length > static_cast<double>(rows))
    throw InvalidArgument(text::concat("block length is ", length, " but must be from 1 to ",
                                       grouped(rows), ", the number of rows"));
}

}  // namespace

std::string name(const Scheme& scheme) { return kNames[scheme.index()]; }

namespace resample {

Scheme resolve(const Scheme& scheme, const DataView& data) {
  if (block_length_of(scheme) != 0.0 || data.rows() == 0) return scheme;
  BlockLengths longest{1, 1};
  for (std::size_t c = 0; c < data.columns(); ++c) {
    const BlockLengths lengths = block_lengths(data.column(c));
    longest.stationary = std::max(longest.stationary, lengths.stationary);
    longest.fixed = std::max(longest.fixed, lengths.fixed);
  }
  const auto fixed = static_cast<std::uint64_t>(std::lround(longest.fixed));
  if (std::holds_alternative<scheme::MovingBlocks>(scheme)) return scheme::MovingBlocks{fixed};
  if (std::holds_alternative<scheme::CircularBlocks>(scheme)) return scheme::CircularBlocks{fixed};
  return scheme::StationaryBlocks{longest.stationary};
}

std::string describe(const Scheme& scheme, std::uint64_t rows) {
  if (const auto* s = std::get_if<scheme::Jackknife>(&scheme))
    return text::concat("jackknife, without one of ", grouped(*jackknife_units(scheme, rows)),
                        s->clusters.empty() ? " rows" : " clusters", " at a time");
  const std::uint64_t draws = draws_of(scheme, rows);
  std::string text = name(scheme);
  if (draws != rows) text += text::concat(", ", grouped(draws), " rows a replicate");
  if (const auto* s = std::get_if<scheme::Stratified>(&scheme))
    text += text::concat(", ", grouped(Groups(s->strata).count()), " strata");
  if (const auto* s = std::get_if<scheme::Cluster>(&scheme))
    text += text::concat(", ", grouped(Groups(s->clusters).count()), " clusters",
                         s->rows_too ? ", rows within them too" : "");
  if (const auto length = block_length_of(scheme))
    text +=
        text::concat(", blocks of ", *length, *length == 1 ? " row" : " rows",
                     std::holds_alternative<scheme::StationaryBlocks>(scheme) ? " on average" : "");
  return text;
}

void check(const Scheme& scheme, std::uint64_t rows) {
  using namespace scheme;  // NOLINT(google-build-using-namespace): the names of one small set
  if (const auto* s = std::get_if<Stratified>(&scheme)) check_labels(s->strata, "strata", rows);
  if (const auto* s = std::get_if<Cluster>(&scheme)) check_labels(s->clusters, "cluster", rows);
  if (const auto* s = std::get_if<Weighted>(&scheme)) check_weights(s->weights, rows);
  if (const auto length = block_length_of(scheme)) check_block_length(*length, rows);
  if (const auto* s = std::get_if<Jackknife>(&scheme)) {
    if (!s->clusters.empty()) check_labels(s->clusters, "cluster", rows);
    if (*jackknife_units(scheme, rows) < 2)
      throw InvalidArgument(text::concat("there is only one ",
                                         s->clusters.empty() ? "row" : "cluster",
                                         ", but a jackknife leaves out one of at least 2"));
  }
}

std::optional<std::uint64_t> jackknife_units(const Scheme& scheme, std::uint64_t rows) {
  const auto* s = std::get_if<scheme::Jackknife>(&scheme);
  if (s == nullptr) return std::nullopt;
  return s->clusters.empty() ? rows : Groups(s->clusters).count();
}

std::optional<double> block_length_of(const Scheme& scheme) {
  if (const auto* s = std::get_if<scheme::MovingBlocks>(&scheme))
    return static_cast<double>(s->length);
  if (const auto* s = std::get_if<scheme::CircularBlocks>(&scheme))
    return static_cast<double>(s->length);
  if (const auto* s = std::get_if<scheme::StationaryBlocks>(&scheme)) return s->length;
  return std::nullopt;
}

std::uint64_t draws_of(const Scheme& scheme, std::uint64_t rows) {
  std::uint64_t size = 0;
  if (const auto* s = std::get_if<scheme::Iid>(&scheme)) size = s->size;
  if (const auto* s = std::get_if<scheme::Weighted>(&scheme)) size = s->size;
  if (std::holds_alternative<scheme::Jackknife>(scheme)) size = rows - 1;
  return size == 0 ? rows : size;
}

}  // namespace resample
}  // namespace bootfold
