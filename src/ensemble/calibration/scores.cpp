#include "bootfold/ensemble/scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "text/choice.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

constexpr std::uint64_t kExact = 256;  // largest scores that are all kept

}  // namespace

std::vector<std::uint64_t> kept_ranks(std::uint64_t rows) {
  const std::uint64_t exact = rows <= ScoreOrder::kAll ? rows : kExact;
  std::vector<std::uint64_t> ranks;
  for (std::uint64_t distance = 1; distance <= rows;
       distance += distance < exact ? 1 : std::max<std::uint64_t>(distance / kExact, 1))
    ranks.push_back(rows + 1 - distance);
  std::ranges::reverse(ranks);
  return ranks;
}

ScoreOrder ScoreOrder::of(std::vector<double> scores) {
  for (double& score : scores)
    if (std::isnan(score)) score = std::numeric_limits<double>::infinity();
  std::ranges::sort(scores);
  ScoreOrder order{.rows = scores.size()};
  for (const std::uint64_t rank : kept_ranks(order.rows)) order.values.push_back(scores[rank - 1]);
  return order;
}

double ScoreOrder::limit(double confidence) const {
  if (!(confidence > 0 && confidence < 1))
    throw InvalidArgument(text::concat("confidence is ", confidence,
                                       " but must be above 0 and below 1, such as 0.95"));
  const double place = confidence * (static_cast<double>(rows) + 1);
  const double rank = std::max(1.0, std::ceil(place - 1e-9 * place));  // rounding does not count
  if (rank > static_cast<double>(rows)) return std::numeric_limits<double>::infinity();
  const std::vector<std::uint64_t> ranks = kept_ranks(rows);
  const auto at = std::ranges::lower_bound(ranks, static_cast<std::uint64_t>(rank));
  return values[static_cast<std::size_t>(at - ranks.begin())];
}

std::string_view name(IntervalMethod method) noexcept {
  switch (method) {
    case IntervalMethod::conformal:
      return "conformal";
    case IntervalMethod::scaled:
      return "scaled";
    case IntervalMethod::normal:
      return "normal";
  }
  return "";
}

std::string_view name(SetMethod method) noexcept {
  return method == SetMethod::threshold ? "threshold" : "adaptive";
}

std::string_view name(ScoreRows rows) noexcept {
  switch (rows) {
    case ScoreRows::none:
      return "none";
    case ScoreRows::out_of_bag:
      return "out_of_bag";
    case ScoreRows::held_out:
      return "held_out";
  }
  return "";
}

IntervalMethod parse_interval_method(std::string_view name) {
  return text::choose(
      "method", name,
      std::array{IntervalMethod::conformal, IntervalMethod::scaled, IntervalMethod::normal});
}

SetMethod parse_set_method(std::string_view name) {
  return text::choose("method", name, std::array{SetMethod::threshold, SetMethod::adaptive});
}

ScoreRows parse_score_rows(std::string_view name) {
  return text::choose("rows", name,
                      std::array{ScoreRows::none, ScoreRows::out_of_bag, ScoreRows::held_out});
}

}  // namespace bootfold::ensemble
