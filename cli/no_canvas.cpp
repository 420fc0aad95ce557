// The twin of canvas.cpp for programs that are built without cairo.
#include "canvas.h"
#include "failure.h"

namespace bootfold::cli {

struct Canvas::Cairo {};

void Canvas::check_available() {
  throw Failure(
      "this bootfold was built without pictures (cairo), as the one in Python's package is; "
      "build the program with make build");
}

Canvas::Canvas(Kind, double, double) { check_available(); }
Canvas::~Canvas() = default;

void Canvas::text(Place, std::string_view, const Font&) {}
void Canvas::line(Place, Place, const Color&, double) {}
void Canvas::lines(std::span<const Place>, const Color&, double) {}
void Canvas::frame(Place, double, double, const Color&) {}
void Canvas::circle(Place, double, const Color&, const Color&) {}
void Canvas::diamond(Place, double, const Color&, const Color&) {}
void Canvas::image(Place, double, double, std::span<const Color>, std::size_t) {}

std::string Canvas::finish() && { return {}; }

}  // namespace bootfold::cli
