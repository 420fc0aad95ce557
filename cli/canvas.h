// cli/canvas.h: a canvas that is written as a PNG or SVG file, drawn by cairo.
//
//     Canvas canvas(Canvas::Kind::svg, 400, 300);
//     canvas.text({20, 30}, "hello", {.size = 14});
//     std::string file = std::move(canvas).finish();
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "color.h"

namespace bootfold::cli {

/// In units of 1/96 inch, from the top left corner.
struct Place {
  double x = 0;
  double y = 0;
};

class Canvas {
 public:
  enum class Kind { png, svg };
  enum class Align { left, centre, right };

  struct Font {
    double size = 12;
    bool bold = false;
    Align align = Align::left;
    Color color = {0.13, 0.13, 0.15};
    bool upwards = false;  ///< turned by a quarter
  };

  /// Throws Failure if this program cannot draw: no_canvas.cpp is in the place of canvas.cpp.
  static void check_available();

  /// A PNG has two pixels to the unit.
  Canvas(Kind kind, double width, double height);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  /// `at` is the left end, middle or right end of the line that letters stand on.
  void text(Place at, std::string_view text, const Font& font);
  void line(Place from, Place to, const Color& color, double width);
  /// Many at once: from the first place to the second, from the third to the fourth, ...
  void lines(std::span<const Place> ends, const Color& color, double width);
  void frame(Place corner, double width, double height, const Color& color);
  void circle(Place centre, double radius, const Color& fill, const Color& edge);
  /// A square that stands on a corner.
  void diamond(Place centre, double radius, const Color& fill, const Color& edge);
  /// `colors` row by row from the top, stretched to the given size.
  void image(Place corner, double width, double height, std::span<const Color> colors,
             std::size_t columns);

  /// The bytes of the file. Throws Failure if cairo could not draw.
  [[nodiscard]] std::string finish() &&;

 private:
  struct Cairo;
  std::unique_ptr<Cairo> cairo_;
};

}  // namespace bootfold::cli
