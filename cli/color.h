// cli/color.h: colours for numbers.
//
// A map goes through a few colours along straight lines in OKLab, where equal distances look
// equally far apart, so equal steps of the number look equal too. Both maps keep their order in
// grey and for eyes that do not tell red from green.
#pragma once

#include <span>

namespace bootfold::cli {

/// sRGB, each from 0 to 1.
struct Color {
  double red = 0;
  double green = 0;
  double blue = 0;
};

/// From blue through nearly white, at 0.5, to orange: what lies on two sides.
[[nodiscard]] Color diverging(double share);

/// From nearly black to light yellow, lighter all the way: what grows from nothing.
[[nodiscard]] Color sequential(double share);

/// The colour at `share` (0 to 1; beyond: the ends) of the way through `stops`.
[[nodiscard]] Color between(std::span<const Color> stops, double share);

}  // namespace bootfold::cli
