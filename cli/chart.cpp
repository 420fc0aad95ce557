#include "chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "text.h"

namespace bootfold::cli {
namespace {

constexpr double kChartWidth = 640;
constexpr double kChartMargin = 32;
constexpr Color kChartDark{0.16, 0.36, 0.58};
constexpr Color kChartLight{0.72, 0.80, 0.88};
constexpr Color kChartInk{0.13, 0.13, 0.15};
constexpr Color kChartGrey{0.55, 0.55, 0.58};
constexpr Color kChartEstimate{0.80, 0.36, 0.05};

/// From numbers to places along the picture.
struct ChartAxis {
  double low, high;
  double left, right;

  [[nodiscard]] double operator()(double value) const {
    const double share = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return left + (right - left) * share;
  }
};

void draw_axis(Drawing& drawing, const ChartAxis& axis, double y, const std::string& unit) {
  drawing.line({axis.left, y}, {axis.right, y}, kChartGrey, 1);
  for (const Tick& tick : ticks(axis.low, axis.high, 7)) {
    const double x = axis(tick.value);
    drawing.line({x, y}, {x, y + 5}, kChartGrey, 1);
    drawing.text({x, y + 18}, tick.text + unit, {.size = 11, .align = Canvas::Align::centre});
  }
}

void draw_title(Drawing& drawing, double y, const std::string& title, const std::string& note) {
  drawing.text({kChartMargin, y}, title, {.size = 15, .bold = true});
  drawing.text({kChartMargin, y + 18}, note, {.size = 12, .color = kChartGrey});
}

// Whiskers, with an end where there is a limit.
void draw_interval(Drawing& drawing, const ChartAxis& axis, double y, double low, double high,
                   const Color& color) {
  constexpr double kEnd = 5;
  drawing.line({axis(low), y}, {axis(high), y}, color, 2.5);
  for (const double limit : {low, high})
    if (std::isfinite(limit))
      drawing.line({axis(limit), y - kEnd}, {axis(limit), y + kEnd}, color, 2);
}

void draw_histogram(Drawing& drawing, const HistogramPanel& panel, double top) {
  constexpr double kTall = 150;
  const double base = top + 50 + kTall;
  draw_title(drawing, top + 20, panel.title, panel.note);
  if (panel.bins.counts.empty()) return;
  const double end =
      panel.bins.start + panel.bins.width * static_cast<double>(panel.bins.counts.size());
  const ChartAxis axis{panel.bins.start, end, kChartMargin, kChartWidth - kChartMargin};
  const auto most =
      static_cast<double>(*std::max_element(panel.bins.counts.begin(), panel.bins.counts.end()));
  for (std::size_t b = 0; b < panel.bins.counts.size(); ++b) {
    const double low = panel.bins.start + panel.bins.width * static_cast<double>(b);
    const double middle = low + panel.bins.width / 2;
    const double tall = kTall * static_cast<double>(panel.bins.counts[b]) / most;
    if (tall == 0) continue;
    const bool inside = middle >= panel.marks.low && middle <= panel.marks.high;
    const double left = axis(low);
    drawing.bar({left, base - tall}, std::max(axis(low + panel.bins.width) - left - 1, 0.5), tall,
                inside ? kChartDark : kChartLight);
  }
  const double below = base + 10;
  draw_axis(drawing, axis, base + 20, "");
  if (!std::isnan(panel.marks.low) && !std::isnan(panel.marks.high))
    draw_interval(drawing, axis, below, panel.marks.low, panel.marks.high, kChartDark);
  if (!std::isfinite(panel.marks.estimate)) return;
  const double x = axis(panel.marks.estimate);
  drawing.line({x, base - kTall - 4}, {x, base}, kChartEstimate, 1.5);
  drawing.circle({x, below}, 4.5, kChartEstimate, {1, 1, 1});
}

}  // namespace

Drawing draw_histograms(std::span<const HistogramPanel> panels) {
  constexpr double kPanel = 260;
  Drawing drawing(kChartWidth, kPanel * static_cast<double>(panels.size()));
  for (std::size_t i = 0; i < panels.size(); ++i)
    draw_histogram(drawing, panels[i], kPanel * static_cast<double>(i));
  return drawing;
}

namespace {

constexpr double kForestRow = 30;
constexpr double kForestTop = 66;

double height_of(const ForestPanel& panel) {
  return kForestTop + kForestRow * static_cast<double>(panel.intervals.size()) + 40;
}

/// From the lowest to the highest number, with some room; zero is shown if there is a line at it.
std::pair<double, double> range_of(const ForestPanel& panel) {
  double low = panel.zero ? 0 : std::numeric_limits<double>::infinity();
  double high = panel.zero ? 0 : -low;
  for (const IntervalLine& interval : panel.intervals)
    for (const double value : {interval.low, interval.estimate, interval.high}) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (low > high) return {0, 1};  // nothing to show
  const double room = high > low ? (high - low) / 20 : 1;
  return {low - room, high + room};
}

void draw_forest(Drawing& drawing, const ForestPanel& panel, double top) {
  constexpr double kLetter = 7.2;  // of a name, about
  std::size_t longest = 0;
  for (const IntervalLine& interval : panel.intervals)
    longest = std::max(longest, interval.name.size());
  const double names = std::min(kLetter * static_cast<double>(longest), kChartWidth / 3);
  const auto [low, high] = range_of(panel);
  const ChartAxis axis{low, high, kChartMargin + names + 16, kChartWidth - kChartMargin};
  const double first = top + kForestTop;
  const double bottom = first + kForestRow * static_cast<double>(panel.intervals.size());
  draw_title(drawing, top + 26, panel.title, panel.note);
  if (panel.zero) drawing.line({axis(0), first - 6}, {axis(0), bottom + 4}, kChartGrey, 1);
  for (std::size_t i = 0; i < panel.intervals.size(); ++i) {
    const IntervalLine& interval = panel.intervals[i];
    const double y = first + kForestRow * (static_cast<double>(i) + 0.5);
    const bool dark = !panel.zero || interval.low > 0 || interval.high < 0;
    drawing.text({axis.left - 16, y + 4}, interval.name,
                 {.size = 13, .align = Canvas::Align::right, .color = kChartInk});
    if (!std::isnan(interval.low) && !std::isnan(interval.high))
      draw_interval(drawing, axis, y, interval.low, interval.high, dark ? kChartDark : kChartGrey);
    if (std::isfinite(interval.estimate))
      drawing.circle({axis(interval.estimate), y}, 5, dark ? kChartDark : kChartGrey, {1, 1, 1});
  }
  draw_axis(drawing, axis, bottom + 8, panel.unit);
}

}  // namespace

Drawing draw_forests(std::span<const ForestPanel> panels) {
  double height = 0;
  for (const ForestPanel& panel : panels) height += height_of(panel);
  Drawing drawing(kChartWidth, height);
  double top = 0;
  for (const ForestPanel& panel : panels) {
    draw_forest(drawing, panel, top);
    top += height_of(panel);
  }
  return drawing;
}

}  // namespace bootfold::cli
