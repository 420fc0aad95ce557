#include "plot.h"

#include <fmt/format.h>

#include "bootfold/error.h"
#include "chart.h"
#include "failure.h"
#include "table.h"
#include "text.h"
#include "text/output_file.h"

namespace bootfold::cli {
namespace {

constexpr std::size_t kBars = 96;

std::string confidence_words(double share) { return fmt::format("{:.6g}%", 100 * share); }

}  // namespace

Drawing plot_of(const Run& run) {
  std::vector<HistogramPanel> panels;
  for (std::size_t output = 0; output < run.result.outputs(); ++output) {
    const Interval& interval = run.intervals[output];
    const double error = run.result.standard_error(output);
    std::string title = run.result.plan().outputs[output];
    title = of_column(title, run.columns);
    const std::string limits = limits_of(interval, error);
    HistogramPanel panel{
        .title = one_line(title),
        .note = fmt::format("estimate {}, {} interval {} ({})",
                            rounded(run.result.estimate(output), error / 100),
                            confidence_words(interval.confidence), limits,
                            interval.fallback.empty() ? interval.method : interval.fallback),
        .bins = {},
        .marks = marks_of(run, output)};
    std::vector<double> values(run.result.count());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = run.result.rescaled(i, output);
    panel.bins = bins_of(values, 0, 1, panel.marks, kBars);
    panels.push_back(std::move(panel));
  }
  return draw_histograms(panels);
}

Drawing plot_of(std::span<const CompareRun> runs) {
  std::vector<ForestPanel> panels;
  for (const CompareRun& run : runs) {
    const bool relative = run.found.difference == comparison::Difference::relative;
    panels.push_back({.title = title_of(run) + " by " + one_line(run.by),
                      .note = fmt::format(
                          "{} against {}, {} intervals", relative ? "lift" : "difference",
                          display_name(run.found.control), confidence_words(run.found.confidence)),
                      .intervals = lines_of(run.found),
                      .unit = relative ? "%" : ""});
  }
  return draw_forests(panels);
}

Drawing plot_of(const GroupedRun& run) {
  std::vector<ForestPanel> panels;
  for (std::size_t output = 0; output < run.found.outputs.size(); ++output)
    panels.push_back({.title = title_of(run.found, output),
                      .note = fmt::format("{} intervals ({}), each for its group alone",
                                          confidence_words(run.confidence), name(run.method)),
                      .intervals = lines_of(run.found, output),
                      .unit = "",
                      .zero = false});
  return draw_forests(panels);
}

void check_plot_file(const std::string& path) {
  text::check_writable(path);
  if (path.ends_with(".png")) Canvas::check_available();
}

void write_plot(const std::string& path, const Drawing& drawing) {
  try {
    text::write_file(path, path.ends_with(".png") ? drawing.png() : drawing.svg());
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

}  // namespace bootfold::cli
