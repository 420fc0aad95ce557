#include "grouped_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "console.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "table.h"
#include "text.h"

namespace bootfold::cli {
namespace {

/// A picture of more lines than a screen has shows nothing.
constexpr std::size_t kMostLines = 40;

std::string comma_list(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string table_of(const GroupedRun& run, std::size_t output) {
  const GroupedResult& found = run.found;
  std::vector<std::vector<std::string>> rows = {{}};
  for (const std::string& column : found.by)
    rows[0].push_back(column.empty() ? "group" : display_name(column));
  for (std::string name :
       {std::string("rows"), found.outputs[output].statistic, std::string("standard error"),
        fmt::format("{:.6g}% interval", 100 * run.confidence)})
    rows[0].push_back(std::move(name));
  std::vector<double> values;
  std::vector<double> errors;
  for (const GroupResult& group : found.groups) {
    const GroupValue& value = group.values[output];
    values.insert(values.end(), {value.estimate, value.interval.low, value.interval.high});
    errors.push_back(value.standard_error);
  }
  const TableNumbers shown(values, errors);
  for (const GroupResult& group : found.groups) {
    const GroupValue& value = group.values[output];
    rows.emplace_back();
    for (const std::string& label : group.labels) rows.back().push_back(display_name(label));
    rows.back().push_back(grouped(group.rows));
    rows.back().push_back(shown(value.estimate));
    rows.back().push_back(shown(value.standard_error));
    rows.back().push_back(
        limits_of(value.interval, shown(value.interval.low), shown(value.interval.high)));
  }
  return table(rows);
}

std::string picture_of(const GroupedResult& found, std::size_t output) {
  if (found.groups.size() > kMostLines) return "";
  return forest_plot(lines_of(found, output), {.width = width(STDOUT_FILENO), .utf8 = has_utf8()},
                     "", false);
}

/// Names, of which many are counted.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 10;
  std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kListed)));
  for (std::string& name : shown) name = display_name(name);
  const std::string list = comma_list(shown);
  return names.size() <= kListed
             ? list
             : fmt::format("{} and {} more", list, grouped(names.size() - kListed));
}

/// What must be known about intervals, each sentence with the groups it is about.
std::string notes_of(const GroupedResult& found) {
  std::map<std::string, std::vector<std::string>> notes;
  for (const GroupResult& group : found.groups)
    for (const GroupValue& value : group.values) {
      const auto add = [&](const std::string& text) {
        if (text.empty()) return;
        std::vector<std::string>& groups = notes[with_command_options(text)];
        if (groups.empty() || groups.back() != group.name) groups.push_back(group.name);
      };
      const Interval& interval = value.interval;
      add(interval.fallback.empty() ? interval.reason
                                    : fmt::format("{} instead of {}: {}", interval.fallback,
                                                  interval.method, interval.reason));
      add(interval.note);
      if (value.undefined > 0 && interval.reason.empty())
        add("replicates on which the statistic is undefined are omitted");
    }
  std::string text;
  for (const auto& [sentence, groups] : notes)
    text += item("note", fmt::format("{}: {}", list_of(groups), sentence));
  std::vector<std::string> skipped;
  for (const GroupResult& group : found.skipped) skipped.push_back(group.name);
  return text + skipped_as_text(skipped);
}

std::string story_of(const GroupedRun& run) {
  const GroupedResult& found = run.found;
  std::map<std::string_view, std::size_t> paths;
  std::uint64_t rows = 0;
  std::uint64_t least = found.groups[0].replicates;
  std::uint64_t most = least;
  double work = 0;
  for (const GroupResult& group : found.groups) {
    ++paths[name(group.path)];
    rows += group.rows;
    least = std::min(least, group.replicates);
    most = std::max(most, group.replicates);
    work += static_cast<double>(group.rows) * static_cast<double>(group.replicates);
  }
  std::string plan;
  for (const auto& [path, count] : paths)
    plan += fmt::format("{}{} for {} group{}", plan.empty() ? "" : ", ", path, grouped(count),
                        count == 1 ? "" : "s");
  std::string text =
      item("method", fmt::format("{} intervals, each for its group alone; no correction for the "
                                 "number of groups",
                                 name(run.method)));
  text += item("plan", plan);
  if (!run.weights.empty()) text += weights_as_text(run.weights);
  text +=
      item("work",
           fmt::format(
               "{} replicates of {} groups, {} rows{}, seed {}",
               least == most ? grouped(most) : grouped(least) + " to " + grouped(most),
               grouped(found.groups.size()), grouped(rows),
               run.omitted > 0 ? fmt::format(" ({} with NaN left out)", grouped(run.omitted)) : "",
               found.seed));
  text += item("time", fmt::format("{}: {} rows x replicates/s", duration(run.seconds),
                                   scaled(work / run.seconds)));
  if (run.peak_memory > 0) text += item("peak memory", bytes(static_cast<double>(run.peak_memory)));
  return text;
}

Json json_of(const GroupValue& value, const OutputName& output) {
  return {{"statistic", output.statistic},
          {"columns", output.columns},
          {"estimate", value.estimate},
          {"standard_error", value.standard_error},
          {"standard_error_error", value.standard_error_error},
          {"bias", value.bias},
          {"interval", cli::json_of(value.interval)},
          {"undefined_replicates", value.undefined}};
}

Json json_of(const GroupResult& group, const GroupedResult& found) {
  Json values = Json::array();
  for (std::size_t output = 0; output < group.values.size(); ++output)
    values.push_back(json_of(group.values[output], found.outputs[output]));
  return {{"group", group.labels}, {"rows", group.rows},       {"replicates", group.replicates},
          {"seed", group.seed},    {"path", name(group.path)}, {"values", std::move(values)}};
}

}  // namespace

std::string skipped_as_text(const std::vector<std::string>& groups) {
  if (groups.empty()) return "";
  return item("skipped", fmt::format("{} group{} of one row, which {} no standard error: {}",
                                     grouped(groups.size()), groups.size() == 1 ? "" : "s",
                                     groups.size() == 1 ? "has" : "have", list_of(groups)));
}

std::string title_of(const GroupedResult& found, std::size_t output) {
  // "mean of dep_delay"; a name such as slope(x) says its columns itself.
  const auto& [statistic, columns] = found.outputs[output];
  std::string what = statistic;
  if (statistic.find('(') == statistic.npos && !columns.empty())
    what = columns.size() == 1 ? of_column(what, columns) : what + " of " + comma_list(columns);
  return one_line(what + " by " + comma_list(found.by));
}

std::vector<IntervalLine> lines_of(const GroupedResult& found, std::size_t output) {
  std::vector<IntervalLine> lines;
  for (const GroupResult& group : found.groups) {
    const GroupValue& value = group.values[output];
    lines.push_back(
        {display_name(group.name), value.interval.low, value.estimate, value.interval.high});
  }
  return lines;
}

std::string as_text(const GroupedRun& run, bool quiet) {
  std::string text;
  for (std::size_t output = 0; output < run.found.outputs.size(); ++output) {
    text += (output == 0 ? "" : "\n") + title_of(run.found, output) + "\n" + table_of(run, output);
    if (quiet) continue;
    if (const std::string picture = picture_of(run.found, output); !picture.empty())
      text += "\n" + picture;
  }
  const std::string notes = notes_of(run.found);
  if (!notes.empty() || !quiet) text += "\n";
  return text + notes + (quiet ? "" : story_of(run));
}

std::string as_json(const GroupedRun& run) {
  const GroupedResult& found = run.found;
  Json object;
  object["by"] = found.by;
  if (!run.weights.empty()) object["weights"] = run.weights;
  object["confidence"] = run.confidence;
  object["interval_method"] = name(run.method);
  object["groups"] = Json::array();
  for (const GroupResult& group : found.groups) object["groups"].push_back(json_of(group, found));
  object["skipped"] = Json::array();
  for (const GroupResult& group : found.skipped)
    object["skipped"].push_back({{"group", group.labels}, {"rows", group.rows}});
  object["omitted_rows"] = run.omitted;
  object["filtered_rows"] = run.filtered;
  object["seed"] = found.seed;
  object["seconds"] = run.seconds;
  object["read_seconds"] = run.read_seconds;
  object["peak_memory_bytes"] = run.peak_memory;
  return dump(object);
}

std::vector<data::NamedColumn> tidy_columns(const GroupedResult& found) {
  std::vector<std::vector<std::string>> texts(found.by.size() + 2);
  std::vector<std::int64_t> rows;
  std::array<std::vector<double>, 4> numbers;
  for (const GroupResult& group : found.groups)
    for (std::size_t output = 0; output < found.outputs.size(); ++output) {
      for (std::size_t c = 0; c < found.by.size(); ++c) texts[c].push_back(group.labels[c]);
      texts[found.by.size()].push_back(found.outputs[output].statistic);
      texts.back().push_back(comma_list(found.outputs[output].columns));
      rows.push_back(static_cast<std::int64_t>(group.rows));
      const GroupValue& value = group.values[output];
      const std::array cells = {value.estimate, value.standard_error, value.interval.low,
                                value.interval.high};
      for (std::size_t c = 0; c < cells.size(); ++c) numbers[c].push_back(cells[c]);
    }
  std::vector<std::string> names = found.by;
  names.insert(names.end(), {"statistic", "value"});
  std::vector<data::NamedColumn> columns;
  for (std::size_t c = 0; c < texts.size(); ++c) columns.push_back({names[c], std::move(texts[c])});
  columns.push_back({"rows", std::move(rows)});
  static constexpr std::array kNumbers = {"estimate", "standard_error", "low", "high"};
  for (std::size_t c = 0; c < numbers.size(); ++c)
    columns.push_back({kNumbers[c], std::move(numbers[c])});
  return columns;
}

}  // namespace bootfold::cli
