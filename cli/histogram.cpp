#include "histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "text.h"

namespace bootfold::cli {
namespace {

constexpr std::size_t kSample = 65536;

// At most kSample finite values, evenly spread over all, sorted.
std::vector<double> sorted_sample(std::span<const double> values, std::size_t first,
                                  std::size_t stride) {
  const std::size_t step = std::max<std::size_t>(1, values.size() / stride / kSample) * stride;
  std::vector<double> sample;
  for (std::size_t at = first; at < values.size() && sample.size() < kSample; at += step)
    if (std::isfinite(values[at])) sample.push_back(values[at]);
  std::sort(sample.begin(), sample.end());
  return sample;
}

// The step of the lattice that all values lie on, if there is one that can be seen.
std::optional<double> lattice_step(const std::vector<double>& sorted) {
  const double noise = 1e-12 * std::max(std::abs(sorted.front()), std::abs(sorted.back()));
  double step = sorted.back() - sorted.front();
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    if (gap > noise) step = std::min(step, gap);
  }
  if (step <= 100 * noise) return std::nullopt;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double steps = (sorted[i] - sorted[i - 1]) / step;
    if (std::abs(steps - std::round(steps)) > 0.01) return std::nullopt;
  }
  return step;
}

// Bars over the number line: bar b covers start + b * bin .. start + (b + 1) * bin and is drawn
// `repeat` columns wide.
struct BarGrid {
  double start = 0;
  double bin = 0;
  std::size_t bars = 0;
  std::size_t repeat = 1;

  [[nodiscard]] std::size_t columns() const { return bars * repeat; }
  [[nodiscard]] std::size_t column(double value) const {
    const double at = (value - start) / bin * static_cast<double>(repeat);
    return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(columns() - 1)));
  }
};

BarGrid make_grid(const std::vector<double>& sample, double low, double high, std::size_t columns,
                  std::size_t replicates) {
  // As many bars as the replicates can fill smoothly (Rice's rule), in whole columns.
  const auto wanted = static_cast<std::size_t>(2 * std::cbrt(static_cast<double>(replicates)));
  const std::size_t most = std::clamp<std::size_t>(wanted, 8, columns);
  BarGrid grid;
  if (const std::optional<double> step = lattice_step(sample)) {
    const double before = std::floor((low - sample.front()) / *step + 0.01);
    const double first = sample.front() + before * *step;
    const auto points = static_cast<std::size_t>(std::ceil((high - first) / *step - 0.01)) + 1;
    const std::size_t steps = (points + most - 1) / most;  // lattice points in a bar
    grid.bars = (points + steps - 1) / steps;
    grid.repeat = columns / grid.bars;
    grid.start = first - *step / 2;
    grid.bin = *step * static_cast<double>(steps);
    return grid;
  }
  grid.repeat = columns / most;
  grid.bars = columns / grid.repeat;
  grid.start = low;
  grid.bin = (high - low) / static_cast<double>(grid.bars);
  return grid;
}

std::vector<std::uint64_t> count(std::span<const double> values, std::size_t first,
                                 std::size_t stride, const BarGrid& grid) {
  std::vector<std::uint64_t> counts(grid.bars);
  const auto bars = static_cast<double>(grid.bars);
  for (std::size_t at = first; at < values.size(); at += stride) {
    const double bar = (values[at] - grid.start) / grid.bin;
    if (bar >= 0 && bar < bars)
      ++counts[static_cast<std::size_t>(bar)];
    else if (bar == bars)  // the largest value itself
      ++counts.back();
  }
  return counts;
}

// One cell filled by so many eighths from below.
std::string_view cell(std::size_t eighths, bool utf8) {
  static constexpr std::array<std::string_view, 9> kBlocks{
      " ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
  static constexpr std::array<std::string_view, 9> kAscii{" ", ".", ".", ".", ":",
                                                          ":", ":", "#", "#"};
  return (utf8 ? kBlocks : kAscii)[eighths];
}

std::string bars(const std::vector<std::uint64_t>& counts, const BarGrid& grid,
                 const PlotStyle& style) {
  const std::uint64_t most = *std::max_element(counts.begin(), counts.end());
  std::string picture;
  for (std::size_t line = style.height; line-- > 0;) {
    std::string row = "  ";
    for (const std::uint64_t bar : counts) {
      const double tall = static_cast<double>(bar) / static_cast<double>(most);
      auto eighths =
          static_cast<std::size_t>(std::lround(tall * static_cast<double>(8 * style.height)));
      if (bar > 0) eighths = std::max<std::size_t>(eighths, 1);  // rare is not never
      const std::size_t below = 8 * line;
      const std::size_t here = eighths > below ? std::min<std::size_t>(eighths - below, 8) : 0;
      for (std::size_t i = 0; i < grid.repeat; ++i) row += cell(here, style.utf8);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    picture += row + '\n';
  }
  return picture;
}

std::string axis(const Marks& marks, const BarGrid& grid, bool utf8) {
  const bool limits = std::isfinite(marks.low) && std::isfinite(marks.high);
  const std::size_t low = limits ? grid.column(marks.low) : grid.columns();
  const std::size_t high = limits ? grid.column(marks.high) : 0;
  std::string line = "  ";
  for (std::size_t at = 0; at < grid.columns(); ++at) {
    if (std::isfinite(marks.estimate) && at == grid.column(marks.estimate))
      line += utf8 ? "\u253f" : "|";
    else if (limits && at == low)
      line += utf8 ? "\u251d" : "[";
    else if (limits && at == high)
      line += utf8 ? "\u2525" : "]";
    else if (at > low && at < high)
      line += utf8 ? "\u2501" : "=";
    else
      line += utf8 ? "\u2500" : "-";
  }
  return line + '\n';
}

struct Label {
  std::size_t column = 0;
  std::string value;
  std::string word;
  std::size_t begin = 0;

  [[nodiscard]] std::size_t size() const { return std::max(value.size(), word.size()); }
};

// Two lines under the axis: the values and what they are, each centred under its mark as far as its
// neighbours leave room.
std::string labels(std::vector<Label> all, std::size_t columns) {
  constexpr std::size_t kGap = 2;
  std::stable_sort(all.begin(), all.end(),
                   [](const Label& a, const Label& b) { return a.column < b.column; });
  std::size_t free = 0;  // from the left: no label before the end of the last
  for (Label& label : all) {
    const std::size_t half = label.size() / 2;
    label.begin = std::max(free, label.column > half ? label.column - half : 0);
    free = label.begin + label.size() + kGap;
  }
  std::size_t end = columns;  // from the right: none beyond the picture
  for (auto label = all.rbegin(); label != all.rend(); ++label) {
    if (label->size() > end) return "";  // a very narrow picture goes without
    label->begin = std::min(label->begin, end - label->size());
    end = label->begin > kGap ? label->begin - kGap : 0;
  }
  std::string values = "  ";
  std::string words = "  ";
  for (const Label& label : all) {
    const auto put = [&](std::string& line, const std::string& text) {
      line.resize(2 + label.begin + (label.size() - text.size()) / 2, ' ');
      line += text;
    };
    put(values, label.value);
    put(words, label.word);
  }
  return values + '\n' + words + '\n';
}

/// The part of the number line that is shown, and its bars.
struct Shown {
  BarGrid grid;
  double range;
  std::vector<std::uint64_t> counts;
};

std::optional<Shown> show(std::span<const double> values, std::size_t first, std::size_t stride,
                          const Marks& marks, std::size_t columns) {
  const std::vector<double> sample = sorted_sample(values, first, stride);
  if (sample.empty()) return std::nullopt;
  const std::size_t cut = sample.size() / 2000;
  double low = sample[cut];
  double high = sample[sample.size() - 1 - cut];
  for (const double mark : {marks.low, marks.estimate, marks.high}) {
    if (!std::isfinite(mark)) continue;
    low = std::min(low, mark);
    high = std::max(high, mark);
  }
  const double range = high - low;
  if (!std::isfinite(range) || low + range / static_cast<double>(columns) <= low)
    return std::nullopt;
  const BarGrid grid = make_grid(sample, low, high, columns, values.size() / stride);
  return Shown{grid, range, count(values, first, stride, grid)};
}

}  // namespace

Bins bins_of(std::span<const double> values, std::size_t first, std::size_t stride,
             const Marks& marks, std::size_t most) {
  std::optional<Shown> found = show(values, first, stride, marks, most);
  if (!found) return {};
  return {found->grid.start, found->grid.bin, std::move(found->counts)};
}

std::string histogram(std::span<const double> values, std::size_t first, std::size_t stride,
                      const Marks& marks, const PlotStyle& style) {
  const std::size_t columns = std::max<std::size_t>(style.width, 20) - 4;
  const std::optional<Shown> found = show(values, first, stride, marks, columns);
  if (!found) return "";
  const auto& [grid, range, counts] = *found;
  const double shown = range / 10;  // labels to a thousandth of the picture
  const double tail = 50 * (1 - marks.confidence);
  std::vector<Label> all;
  if (std::isfinite(marks.low) && std::isfinite(marks.high)) {
    all.push_back(
        {grid.column(marks.low), rounded(marks.low, shown / 10), fmt::format("{:.4g}%", tail)});
    all.push_back({grid.column(marks.high), rounded(marks.high, shown / 10),
                   fmt::format("{:.6g}%", 100 - tail)});
  }
  if (std::isfinite(marks.estimate))
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
               {grid.column(marks.estimate), rounded(marks.estimate, shown / 10), "estimate"});
  return bars(counts, grid, style) + axis(marks, grid, style.utf8) +
         labels(std::move(all), grid.columns());
}

}  // namespace bootfold::cli
