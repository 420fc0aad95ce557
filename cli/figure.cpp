#include "figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace bootfold::cli {
namespace {

constexpr double kPanel = 330;    // width and height of a map
constexpr double kLeft = 54;      // room for the first axis
constexpr double kPanelGap = 44;  // between maps, room for an axis
constexpr double kBar = 13;       // width of a scale
constexpr double kBarRoom = 66;   // scale, its numbers and title
constexpr double kTop = 104;      // titles
constexpr double kBottom = 66;    // axis and legend
constexpr double kRight = 16;
constexpr double kRadius = 3.4;

constexpr Color kInk = {0.13, 0.13, 0.15};
constexpr Color kGrey = {0.38, 0.38, 0.42};
constexpr Color kWhite = {1, 1, 1};
constexpr std::array<Color, 2> kClasses = {{{0.03, 0.18, 0.42}, {0.48, 0.15, 0.0}}};

void mark(Canvas& canvas, Place at, std::size_t group) {
  if (group == 0)
    canvas.circle(at, kRadius, kClasses[0], kWhite);
  else
    canvas.diamond(at, kRadius, kClasses[1], kWhite);
}

/// Steps of 1, 2 or 5 times a power of ten, about `wanted` of them.
double tick_step(double range, double wanted) {
  const double rough = range / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

/// From the plane to the canvas.
class Frame {
 public:
  Frame(Place corner, const Figure& figure) : corner_(corner), figure_(figure) {}

  [[nodiscard]] Place corner() const { return corner_; }
  [[nodiscard]] Place at(double x, double y) const {
    const double unit = kPanel / (2 * figure_.reach);
    return {corner_.x + (x + figure_.reach) * unit, corner_.y + (figure_.reach - y) * unit};
  }
  /// Cell numbers, whole at the middles of cells.
  [[nodiscard]] Place cell(double column, double row) const {
    const double unit = kPanel / static_cast<double>(figure_.side);
    return {corner_.x + (column + 0.5) * unit, corner_.y + (row + 0.5) * unit};
  }

 private:
  Place corner_;
  const Figure& figure_;
};

/// Where values pass the middle of the scale: straight lines between the middles of four cells.
void draw_halves(Canvas& canvas, const Frame& frame, const Panel& panel, std::size_t side) {
  const double half = (panel.scale.low + panel.scale.high) / 2;
  const auto above = [&](std::size_t row, std::size_t column) {
    return panel.values[row * side + column] - half;
  };
  std::vector<Place> ends;
  for (std::size_t row = 0; row + 1 < side; ++row)
    for (std::size_t column = 0; column + 1 < side; ++column) {
      // Corners in turn round the square, and where the line crosses its edges.
      const std::array<double, 4> values = {above(row, column), above(row, column + 1),
                                            above(row + 1, column + 1), above(row + 1, column)};
      const auto c = static_cast<double>(column);
      const auto r = static_cast<double>(row);
      const std::array<Place, 4> corners = {{{c, r}, {c + 1, r}, {c + 1, r + 1}, {c, r + 1}}};
      // None, two or four.
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t next = (i + 1) % 4;
        if ((values[i] > 0) == (values[next] > 0)) continue;
        const double part = values[i] / (values[i] - values[next]);
        ends.push_back(frame.cell(std::lerp(corners[i].x, corners[next].x, part),
                                  std::lerp(corners[i].y, corners[next].y, part)));
      }
    }
  canvas.lines(ends, kInk, 1.1);
}

void draw_axes(Canvas& canvas, const Frame& frame, double reach, bool first) {
  const Place corner = frame.corner();
  canvas.frame(corner, kPanel, kPanel, kInk);
  const double step = tick_step(2 * reach, 6);
  const auto last = static_cast<int>(std::floor(reach / step + 1e-9));
  for (int tick = -last; tick <= last; ++tick) {
    const double value = tick * step;
    const std::string text = fmt::format("{:g}", value);
    const double x = frame.at(value, 0).x;
    const double bottom = corner.y + kPanel;
    canvas.line({x, bottom}, {x, bottom + 4}, kInk, 1);
    canvas.text({x, bottom + 17}, text, {.size = 11, .align = Canvas::Align::centre});
    const double y = frame.at(0, value).y;
    canvas.line({corner.x - 4, y}, {corner.x, y}, kInk, 1);
    if (first)
      canvas.text({corner.x - 8, y + 4}, text, {.size = 11, .align = Canvas::Align::right});
  }
}

void draw_bar(Canvas& canvas, const Scale& scale, Place corner) {
  constexpr std::size_t kSteps = 256;
  std::vector<Color> colors;
  for (std::size_t i = 0; i < kSteps; ++i)
    colors.push_back(scale.color(1 - (static_cast<double>(i) + 0.5) / kSteps));
  canvas.image(corner, kBar, kPanel, colors, 1);
  canvas.frame(corner, kBar, kPanel, kInk);
  const double step = tick_step(scale.high - scale.low, 6);
  for (int tick = 0;; ++tick) {
    const double value = scale.low + tick * step;
    if (value > scale.high + 1e-9 * step) break;
    const double y = corner.y + kPanel * (scale.high - value) / (scale.high - scale.low);
    canvas.line({corner.x + kBar, y}, {corner.x + kBar + 4, y}, kInk, 1);
    canvas.text({corner.x + kBar + 7, y + 4}, fmt::format("{:g}", value), {.size = 11});
  }
  canvas.text({corner.x + kBar + 46, corner.y + kPanel / 2}, scale.title,
              {.size = 12, .align = Canvas::Align::centre, .upwards = true});
}

void draw_panel(Canvas& canvas, const Figure& figure, const Panel& panel, Place corner,
                bool first) {
  const Frame frame(corner, figure);
  const double middle = corner.x + kPanel / 2;
  canvas.text({middle, corner.y - 28}, panel.title,
              {.size = 14, .bold = true, .align = Canvas::Align::centre});
  canvas.text({middle, corner.y - 10}, panel.note,
              {.size = 12, .align = Canvas::Align::centre, .color = kGrey});
  std::vector<Color> colors;
  colors.reserve(panel.values.size());
  for (const double value : panel.values)
    colors.push_back(
        panel.scale.color((value - panel.scale.low) / (panel.scale.high - panel.scale.low)));
  canvas.image(corner, kPanel, kPanel, colors, figure.side);
  if (panel.halves) draw_halves(canvas, frame, panel, figure.side);
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    const double x = figure.points.x[i];
    const double y = figure.points.y[i];
    if (std::max(std::abs(x), std::abs(y)) < figure.reach)
      mark(canvas, frame.at(x, y), figure.points.classes.codes[i]);
  }
  draw_axes(canvas, frame, figure.reach, first);
  if (panel.bar) draw_bar(canvas, panel.scale, {corner.x + kPanel + 12, corner.y});
}

void draw_legend(Canvas& canvas, double y) {
  double x = kLeft + 6;
  for (std::size_t group = 0; group < 2; ++group) {
    mark(canvas, {x, y - 4}, group);
    canvas.text({x + 9, y}, fmt::format("class {}", group), {.size = 12});
    x += 76;
  }
  canvas.line({x - 6, y - 4}, {x + 14, y - 4}, kInk, 1.4);
  canvas.text({x + 20, y}, "probability 1/2", {.size = 12});
}

}  // namespace

Grid::Grid(double reach, std::size_t side) {
  const double step = 2 * reach / static_cast<double>(side);
  for (std::size_t row = 0; row < side; ++row)
    for (std::size_t column = 0; column < side; ++column) {
      x.push_back((static_cast<double>(column) + 0.5) * step - reach);
      y.push_back(reach - (static_cast<double>(row) + 0.5) * step);
    }
}

std::string draw(const Figure& figure, Canvas::Kind kind) {
  double width = kLeft + kRight - kPanelGap;
  for (const Panel& panel : figure.panels) width += kPanel + kPanelGap + (panel.bar ? kBarRoom : 0);
  Canvas canvas(kind, width, kTop + kPanel + kBottom);
  canvas.text({width / 2, 36}, figure.title,
              {.size = 17, .bold = true, .align = Canvas::Align::centre});
  Place corner{kLeft, kTop};
  for (const Panel& panel : figure.panels) {
    draw_panel(canvas, figure, panel, corner, &panel == figure.panels.data());
    corner.x += kPanel + kPanelGap + (panel.bar ? kBarRoom : 0);
  }
  draw_legend(canvas, kTop + kPanel + kBottom - 16);
  return std::move(canvas).finish();
}

}  // namespace bootfold::cli
