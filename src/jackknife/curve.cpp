// A curve in pieces, each the polynomial through its Chebyshev points.
//
// Pieces are short beside a standard error, and shorter by half and half towards the ends of the
// smooth range, where a statistic may have a root or a pole.
#include "jackknife/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace bootfold {

namespace {

constexpr std::size_t kPoints = 16;  // of a piece
constexpr std::size_t kParts = 32;   // of equal length; the first and the last are cut further
constexpr std::size_t kHalvings = 20;
constexpr std::size_t kPieces = kParts - 2 + 2 * kHalvings;
static_assert(kPieces * kPoints == AbcCurve::kValues);

struct Piece {
  double from;  // shares of the smooth range
  double to;
};

/// Piece number k towards an end, as distances from it in parts: [2^-(k + 1), 2^-k], and the last
/// reaches the end.
Piece near_end(std::size_t k) {
  return {k + 1 < kHalvings ? std::ldexp(1.0, -static_cast<int>(k) - 1) : 0,
          std::ldexp(1.0, -static_cast<int>(k))};
}

Piece piece(std::size_t number) {
  constexpr double kPart = 1.0 / kParts;
  if (number < kHalvings) {
    const Piece own = near_end(kHalvings - 1 - number);
    return {own.from * kPart, own.to * kPart};
  }
  if (number >= kPieces - kHalvings) {
    const Piece own = near_end(number - (kPieces - kHalvings));
    return {1 - own.to * kPart, 1 - own.from * kPart};
  }
  const auto part = static_cast<double>(number - kHalvings + 1);
  return {part * kPart, (part + 1) * kPart};
}

/// The piece that has this share.
std::size_t piece_of(double share) {
  const double parts = share * kParts;
  const auto halvings = [](double distance) {
    return distance > 0 ? std::min<std::size_t>(kHalvings - 1,
                                                static_cast<std::size_t>(-std::ilogb(distance) - 1))
                        : kHalvings - 1;
  };
  if (parts < 1) return kHalvings - 1 - halvings(parts);
  if (parts >= kParts - 1) return kPieces - kHalvings + halvings(std::min(kParts - parts, 0.999));
  return kHalvings - 1 + static_cast<std::size_t>(parts);
}

/// Point j of a piece, from -1 to 1.
double chebyshev(std::size_t j) {
  return -std::cos(std::numbers::pi * static_cast<double>(j) / (kPoints - 1));
}

}  // namespace

double AbcCurve::at(double place) const {
  if (!(place >= known.from && place <= known.to) || values.empty())
    return std::numeric_limits<double>::quiet_NaN();
  if (place <= smooth.from) return values.front();
  if (place >= smooth.to) return values.back();
  const double share = (place - smooth.from) / (smooth.to - smooth.from);
  const std::size_t number = piece_of(share);
  const Piece own = piece(number);
  const double x = (2 * share - own.from - own.to) / (own.to - own.from);
  const double* y = values.data() + number * kPoints;
  double above = 0;  // the barycentric formula
  double below = 0;
  for (std::size_t j = 0; j < kPoints; ++j) {
    const double distance = x - chebyshev(j);
    if (distance == 0) return y[j];
    const double weight =
        (j % 2 == 0 ? 1.0 : -1.0) / distance * (j == 0 || j + 1 == kPoints ? 0.5 : 1.0);
    above += weight * y[j];
    below += weight;
  }
  // Rounding must not lead out of the range of a bounded statistic.
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return std::clamp(above / below, *low, *high);
}

namespace jackknife {

namespace {

/// How far `holds` is true on the way from `inside` to `outside`, where it is false.
template <class Holds>
double last_place(double inside, double outside, const Holds& holds) {
  for (int i = 0; i < 60; ++i) {
    const double middle = inside + (outside - inside) / 2;
    if (middle == inside || middle == outside) break;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

struct Ends {
  double smooth;
  double known;
};

/// Ends of the curve on one side of 0.
Ends ends(const std::function<double(double)>& value, double sign) {
  constexpr double kStep = 0.125;
  const auto finite = [&](double place) { return std::isfinite(value(place)); };
  double before = value(0);
  for (double near = 0; near < AbcCurve::kReach; near += kStep) {
    const double place = sign * (near + kStep);
    const double here = value(place);
    if (!std::isfinite(here)) {
      const double last = last_place(sign * near, place, finite);
      return {last, last};
    }
    if (here == before && value(sign * (near + kStep / 2)) == here) {
      // Constant, as no smooth curve is: the statistic has come to an end of its range.
      const auto varies = [&](double at) { return value(at) != here; };
      const double smooth = last_place(0, sign * near, varies);
      double flat = sign * near;
      for (; std::abs(flat) < AbcCurve::kReach; flat += sign * kStep)
        if (value(flat + sign * kStep) != here)
          return {smooth, last_place(flat, flat + sign * kStep,
                                     [&](double at) { return value(at) == here; })};
      return {smooth, flat};
    }
    before = here;
  }
  return {sign * AbcCurve::kReach, sign * AbcCurve::kReach};
}

}  // namespace

void sample(AbcCurve& curve, const std::function<double(double place)>& value) {
  const Ends low = ends(value, -1);
  const Ends high = ends(value, 1);
  curve.smooth = {low.smooth, high.smooth};
  curve.known = {low.known, high.known};
  curve.values.clear();
  const double length = curve.smooth.to - curve.smooth.from;
  for (std::size_t number = 0; number < kPieces; ++number) {
    const Piece own = piece(number);
    for (std::size_t j = 0; j < kPoints; ++j) {
      const double share =
          own.from + (own.to - own.from) * (j + 1 == kPoints ? 1 : (chebyshev(j) + 1) / 2);
      curve.values.push_back(
          value(share >= 1 ? curve.smooth.to : curve.smooth.from + share * length));
    }
  }
}

}  // namespace jackknife
}  // namespace bootfold
