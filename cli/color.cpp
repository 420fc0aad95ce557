#include "color.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace bootfold::cli {
namespace {

// OKLab (Bjorn Ottosson, 2020): lightness, green to red, blue to yellow.
struct Lab {
  double l = 0;
  double a = 0;
  double b = 0;
};

double to_linear(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double from_linear(double value) {
  const double cut = std::clamp(value, 0.0, 1.0);
  return cut <= 0.0031308 ? 12.92 * cut : 1.055 * std::pow(cut, 1 / 2.4) - 0.055;
}

Lab to_lab(const Color& color) {
  const double r = to_linear(color.red);
  const double g = to_linear(color.green);
  const double b = to_linear(color.blue);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Color from_lab(const Lab& lab) {
  const auto cube = [](double value) { return value * value * value; };
  const double l = cube(lab.l + 0.3963377774 * lab.a + 0.2158037573 * lab.b);
  const double m = cube(lab.l - 0.1055613458 * lab.a - 0.0638541728 * lab.b);
  const double s = cube(lab.l - 0.0894841775 * lab.a - 1.2914855480 * lab.b);
  return {from_linear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          from_linear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          from_linear(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

Color between(std::span<const Color> stops, double share) {
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const std::size_t first = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double part = at - static_cast<double>(first);
  const Lab from = to_lab(stops[first]);
  const Lab to = to_lab(stops[first + 1]);
  return from_lab({std::lerp(from.l, to.l, part), std::lerp(from.a, to.a, part),
                   std::lerp(from.b, to.b, part)});
}

Color diverging(double share) {
  static constexpr std::array<Color, 5> kStops = {{{0.16, 0.40, 0.70},
                                                   {0.50, 0.71, 0.89},
                                                   {0.96, 0.96, 0.95},
                                                   {0.97, 0.69, 0.45},
                                                   {0.79, 0.38, 0.08}}};
  return between(kStops, share);
}

Color sequential(double share) {
  static constexpr std::array<Color, 5> kStops = {{{0.07, 0.05, 0.16},
                                                   {0.34, 0.12, 0.43},
                                                   {0.73, 0.22, 0.40},
                                                   {0.96, 0.55, 0.26},
                                                   {0.99, 0.96, 0.72}}};
  return between(kStops, share);
}

}  // namespace bootfold::cli
