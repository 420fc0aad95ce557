// cli/figure.h: maps of the plane side by side, with points on top.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "canvas.h"
#include "color.h"
#include "spirals.h"

namespace bootfold::cli {

/// Which colour a number has.
struct Scale {
  std::string title;
  Color (*color)(double share);
  double low = 0;
  double high = 1;
};

/// A number for every point of the plane.
struct Panel {
  std::string title;
  std::string note;            ///< a line under the title
  std::vector<double> values;  ///< at the points of grid()
  Scale scale;
  bool bar = true;     ///< show the scale beside it
  bool halves = true;  ///< a line where values pass the middle of the scale
};

struct Figure {
  std::string title;
  double reach = 1.5;      ///< the plane goes from -reach to reach both ways
  std::size_t side = 240;  ///< cells each way
  std::vector<Panel> panels;
  const Spirals& points;
};

/// The middles of a figure's cells: rows from the top, cells from the left.
struct Grid {
  Grid(double reach, std::size_t side);
  std::vector<double> x;
  std::vector<double> y;
};

/// The file.
[[nodiscard]] std::string draw(const Figure& figure, Canvas::Kind kind);

}  // namespace bootfold::cli
