#include "forest_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "text.h"

namespace bootfold::cli {
namespace {

struct Strokes {
  std::string_view line, low, high, point, zero;
};

// Light where zero is inside, heavy where it is not.
Strokes strokes_of(bool heavy, bool utf8) {
  if (!utf8) return heavy ? Strokes{"=", "|", "|", "*", "+"} : Strokes{"-", "|", "|", "*", "+"};
  return heavy ? Strokes{"\u2501", "\u2523", "\u252b", "\u25cf", "\u253f"}
               : Strokes{"\u2500", "\u251c", "\u2524", "\u25cb", "\u253c"};
}

/// From numbers to columns.
class Axis {
 public:
  Axis(double low, double high, std::size_t columns)
      : low_(low), unit_((high - low) / static_cast<double>(columns - 1)), columns_(columns) {}

  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return low_ + unit_ * static_cast<double>(columns_ - 1); }
  [[nodiscard]] std::size_t column(double value) const {
    const double at = std::round((value - low_) / unit_);
    return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(columns_ - 1)));
  }

 private:
  double low_;
  double unit_;
  std::size_t columns_;
};

std::string bar(const IntervalLine& interval, const Axis& axis, bool utf8, bool with_zero) {
  const bool heavy = with_zero && (interval.low > 0 || interval.high < 0);
  const Strokes strokes = strokes_of(heavy, utf8);
  const std::size_t low = axis.column(interval.low);
  const std::size_t high = axis.column(interval.high);
  const std::size_t point = axis.column(interval.estimate);
  const std::size_t zero = with_zero ? axis.column(0) : axis.columns();
  std::string text;
  for (std::size_t at = 0; at < axis.columns(); ++at) {
    const bool inside = at >= low && at <= high;
    if (at == point)
      text += strokes.point;
    else if (at == low && interval.low >= axis.low())
      text += strokes.low;
    else if (at == high && interval.high <= axis.high())
      text += strokes.high;
    else if (at == zero)
      text += inside ? strokes.zero : utf8 ? "\u2502" : ":";
    else
      text += inside ? strokes.line : std::string_view(" ");
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// 1, 2 or 5 times a power of ten, so that there are at most `most` steps in `range`.
double step_of(double range, double most) {
  const double least = range / most;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// The line with its ticks, and their numbers below.
std::string scale(const Axis& axis, std::size_t indent, bool utf8, const std::string& unit) {
  std::string numbers(indent, ' ');
  std::vector<bool> marked(axis.columns());
  for (const Tick& tick : ticks(axis.low(), axis.high(), static_cast<double>(axis.columns()) / 8)) {
    const std::size_t at = axis.column(tick.value);
    marked[at] = true;
    const std::string number = tick.text + unit;
    const std::size_t half = number.size() / 2;
    const std::size_t begin = indent + at > half ? indent + at - half : 0;
    if (begin > 0 && (numbers.size() == indent || begin > numbers.size()) &&
        begin + number.size() <= indent + axis.columns() + 2) {
      numbers.resize(begin, ' ');
      numbers += number;
    }
  }
  std::string line(indent, ' ');
  for (const bool tick : marked) line += tick ? (utf8 ? "\u2534" : "+") : (utf8 ? "\u2500" : "-");
  return line + '\n' + numbers + '\n';
}

/// Letters, not bytes: those that continue a UTF-8 letter take no room.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::vector<Tick> ticks(double low, double high, double most) {
  std::vector<Tick> all;
  const double step = step_of(high - low, most);
  const double reach = std::max(std::abs(low), std::abs(high));
  // A step is one digit, so as many places write every tick without its rounding errors.
  const int places = std::max(0, -static_cast<int>(std::floor(std::log10(step * (1 + 1e-9)))));
  const bool fixed = places <= 8 && reach < 1e9;
  for (double k = std::ceil(low / step); k * step <= high; ++k) {
    const double value = k == 0 ? 0 : k * step;
    all.push_back(
        {value, fixed ? fmt::format("{:.{}f}", value, places) : fmt::format("{:.10g}", value)});
  }
  return all;
}

std::string forest_plot(std::span<const IntervalLine> intervals, const PlotStyle& style,
                        const std::string& unit, bool zero) {
  constexpr std::size_t kMargin = 2;
  constexpr std::size_t kGap = 2;
  double low = zero ? 0 : std::numeric_limits<double>::infinity();
  double high = zero ? 0 : -low;
  std::size_t longest = 0;
  for (const IntervalLine& interval : intervals) {
    if (!std::isfinite(interval.estimate)) return "";
    for (const double value : {interval.low, interval.estimate, interval.high}) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    longest = std::max(longest, length(interval.name));
  }
  const std::size_t indent = kMargin + longest + kGap;
  constexpr std::size_t kFewest = 20;
  const std::size_t columns = std::max(style.width, indent + kFewest + 2) - indent - 2;
  const double room = (high - low) / 30;  // so that nothing ends at the edge
  if (!(high - low > 0) || !std::isfinite(high - low)) return "";
  const Axis axis(low - room, high + room, columns);
  std::string picture;
  for (const IntervalLine& interval : intervals) {
    const std::size_t blanks = longest - length(interval.name) + kGap;
    picture += std::string(kMargin, ' ') + interval.name + std::string(blanks, ' ') +
               bar(interval, axis, style.utf8, zero) + '\n';
  }
  return picture + scale(axis, indent, style.utf8, unit);
}

}  // namespace bootfold::cli
