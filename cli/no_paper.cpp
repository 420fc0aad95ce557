// The twin of paper.cpp for programs without cairo: there is nothing to draw on.
#include "failure.h"
#include "paper.h"

namespace bootfold::cli {

struct Paper::Cairo {};

void Paper::check_available() {
  throw Failure(
      "this bootfold was built without pictures (cairo), as the one in Python's package is; "
      "build the program with make build");
}

Paper::Paper(Kind, double, double) { check_available(); }
Paper::~Paper() = default;

void Paper::text(Place, std::string_view, const Font&) {}
void Paper::line(Place, Place, const Color&, double) {}
void Paper::lines(std::span<const Place>, const Color&, double) {}
void Paper::frame(Place, double, double, const Color&) {}
void Paper::circle(Place, double, const Color&, const Color&) {}
void Paper::diamond(Place, double, const Color&, const Color&) {}
void Paper::image(Place, double, double, std::span<const Color>, std::size_t) {}

std::string Paper::finish() && { return {}; }

}  // namespace bootfold::cli
