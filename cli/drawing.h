// cli/drawing.h: lines, bars, circles and text, written as SVG without any library, or as PNG by
// the canvas.
//
//     Drawing drawing(400, 300);
//     drawing.text({20, 30}, "hello", {.size = 14});
//     std::string file = drawing.svg();
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "canvas.h"
#include "color.h"

namespace bootfold::cli {

class Drawing {
 public:
  Drawing(double width, double height) : width_(width), height_(height) {}

  void bar(Place corner, double width, double height, const Color& color);
  void line(Place from, Place to, const Color& color, double width);
  void circle(Place centre, double radius, const Color& fill, const Color& edge);
  void text(Place at, std::string_view text, const Canvas::Font& font);

  [[nodiscard]] std::string svg() const;
  /// Throws Failure if this program cannot draw.
  [[nodiscard]] std::string png() const;

 private:
  struct Bar {
    Place corner;
    double width, height;
    Color color;
  };
  struct Line {
    Place from, to;
    Color color;
    double width;
  };
  struct Circle {
    Place centre;
    double radius;
    Color fill, edge;
  };
  struct Text {
    Place at;
    std::string text;
    Canvas::Font font;
  };

  double width_;
  double height_;
  std::vector<std::variant<Bar, Line, Circle, Text>> shapes_;
};

}  // namespace bootfold::cli
