#include "compare_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "console.h"
#include "grouped_report.h"
#include "json.h"
#include "options.h"
#include "report.h"
#include "table.h"
#include "text.h"

namespace bootfold::cli {
namespace {

using comparison::Contrast;
using comparison::Correction;
using comparison::Difference;
using comparison::Group;

// Differences as they are, lifts in percent.
class Scale {
 public:
  explicit Scale(const Comparison& found) : percent_(found.difference == Difference::relative) {}

  [[nodiscard]] double factor() const { return percent_ ? 100 : 1; }
  [[nodiscard]] std::string unit() const { return percent_ ? "%" : ""; }

 private:
  bool percent_;
};

std::string percent(double share) { return fmt::format("{:.6g}%", 100 * share); }

bool corrected(const Comparison& found) { return found.correction != Correction::none; }

std::string groups_as_text(const CompareRun& run) {
  std::vector<std::vector<std::string>> rows = {
      {"group", "rows", run.found.statistic, "standard error",
       fmt::format("{} interval", percent(run.found.confidence))}};
  const bool marked = run.found.control != "control";  // the name says it
  std::vector<double> values;
  std::vector<double> errors;
  for (const Group& group : run.found.groups) {
    values.insert(values.end(), {group.estimate, group.interval.low, group.interval.high});
    errors.push_back(group.standard_error);
  }
  const TableNumbers shown(values, errors);
  for (const Group& group : run.found.groups)
    rows.push_back(
        {display_name(group.name) + (marked && group.name == run.found.control ? " (control)" : ""),
         grouped(group.rows), shown(group.estimate), shown(group.standard_error),
         limits_of(group.interval, shown(group.interval.low), shown(group.interval.high))});
  return table(rows);
}

// "two-sided", "one-sided (greater)".
std::string sides_of(const Comparison& found) {
  if (found.alternative == interval::Alternative::two_sided) return "two-sided";
  return fmt::format("one-sided ({})", name(found.alternative));
}

std::string contrasts_as_text(const Comparison& found) {
  const Scale scale(found);
  const bool together = corrected(found);
  std::vector<std::vector<std::string>> rows = {
      {"against " + display_name(found.control),
       found.difference == Difference::relative ? "lift" : "difference", "standard error",
       fmt::format("{} interval{}", percent(found.confidence), together ? "s" : ""),
       together ? "adjusted p" : "p-value"}};
  std::vector<double> values;
  std::vector<double> errors;
  for (const Contrast& contrast : found.contrasts) {
    const Interval& interval = contrast.adjusted_interval;
    for (const double value : {contrast.estimate, interval.low, interval.high})
      values.push_back(scale.factor() * value);
    errors.push_back(scale.factor() * contrast.standard_error);
  }
  const TableNumbers shown(values, errors);
  const auto change = [&](double value) {  // with its sign
    return (value > 0 ? "+" : "") + shown(scale.factor() * value) + scale.unit();
  };
  for (const Contrast& contrast : found.contrasts) {
    const Interval& interval = contrast.adjusted_interval;
    rows.push_back({display_name(contrast.group), change(contrast.estimate),
                    shown(scale.factor() * contrast.standard_error) + scale.unit(),
                    limits_of(interval, change(interval.low), change(interval.high)),
                    probability(contrast.adjusted_p_value, contrast.adjusted_p_value_error)});
  }
  return table(rows);
}

std::string picture_of(const Comparison& found) {
  return forest_plot(lines_of(found), {.width = width(STDOUT_FILENO), .utf8 = has_utf8()},
                     Scale(found).unit());
}

// Notes, each with the groups it is about.
std::string notes_of(const Comparison& found) {
  std::vector<std::pair<std::string, std::string>> notes;  // text, groups
  for (const Contrast& contrast : found.contrasts)
    for (const comparison::Note& note : contrast.notes) {
      const auto same = std::find_if(notes.begin(), notes.end(), [&](const auto& known) {
        return known.first == with_command_options(note.text);
      });
      if (same == notes.end())
        notes.emplace_back(with_command_options(note.text), display_name(contrast.group));
      else
        same->second += ", " + display_name(contrast.group);
    }
  std::string text;
  for (const auto& [sentence, groups] : notes)
    text += item("note", fmt::format("{}: {}", groups, sentence));
  return text;
}

std::string method_of(const Comparison& found) {
  const std::string_view method = name(found.method);
  switch (found.correction) {
    case Correction::none:
      return fmt::format("{} intervals, not corrected; p-values are {}, +- their Monte Carlo error",
                         method, sides_of(found));
    case Correction::bonferroni:
      return fmt::format(
          "{} intervals and {} p-values, Bonferroni: all hold jointly at {} confidence", method,
          sides_of(found), percent(found.confidence));
    case Correction::holm:
      return fmt::format(
          "{} p-values by Holm, {} intervals by Bonferroni: all hold jointly at {} confidence",
          sides_of(found), method, percent(found.confidence));
    case Correction::simultaneous:
      return fmt::format(
          "simultaneous intervals and {} p-values (max-t): all hold jointly at {} confidence",
          sides_of(found), percent(found.confidence));
  }
  return "";
}

std::uint64_t rows_of(const Comparison& found) {
  std::uint64_t rows = 0;
  for (const Group& group : found.groups) rows += group.rows;
  return rows;
}

// "stream", or "stream for 3 groups, gather for 1" where they differ.
std::string paths_of(const Comparison& found) {
  std::map<std::string_view, std::size_t> counts;
  for (const Group& group : found.groups) ++counts[name(group.plan.path)];
  const Plan& plan = found.groups[0].plan;
  if (counts.size() == 1)
    return fmt::format("{}; of the control: {}", name(plan.path), plan.reason);
  std::string text;
  for (const auto& [path, count] : counts)
    text += fmt::format("{}{} for {} group{}", text.empty() ? "" : ", ", path, count,
                        count == 1 ? "" : "s");
  return text;
}

// "p-values by permutation: all 12,870 relabellings of B".
std::string permutations_of(const Comparison& found) {
  std::string text = "p-values by permutation: ";
  for (const Contrast& contrast : found.contrasts)
    text += fmt::format("{}{}{} relabellings of {}", text.ends_with(": ") ? "" : ", ",
                        contrast.all_permutations ? "all " : "", grouped(contrast.permutations),
                        display_name(contrast.group));
  return text;
}

// Whether groups that see the same clusters are drawn together.
std::string clusters_of(const Comparison& found) {
  if (found.shared_clusters == 0)
    return fmt::format("{}, none of them in several groups: each group draws its own",
                       grouped(found.clusters));
  return fmt::format("{}, {} of them in several groups: drawn once for all groups",
                     grouped(found.clusters), grouped(found.shared_clusters));
}

std::string story_of(const CompareRun& run) {
  const Comparison& found = run.found;
  const auto replicates = static_cast<double>(found.replicates);
  const auto rows = static_cast<double>(rows_of(found));
  std::string text = item("method", method_of(found));
  if (found.test == comparison::Test::permutation) text += item("test", permutations_of(found));
  if (found.clusters > 0) text += item("clusters", clusters_of(found));
  if (!run.covariate.column.empty())
    text += item("covariate", fmt::format("{} explains {:.3g}% of the variance within groups "
                                          "(theta {:.4g}); means are adjusted for it",
                                          one_line(run.covariate.column),
                                          100 * run.covariate.explained, run.covariate.theta));
  text += item("plan", paths_of(found));
  if (const std::string& weights = found.groups[0].plan.weights; !weights.empty())
    text += weights_as_text(weights);
  text +=
      item("work",
           fmt::format(
               "{} replicates of {} groups, {} rows{}, seed {}", grouped(found.replicates),
               found.groups.size(), grouped(rows_of(found)),
               run.omitted > 0 ? fmt::format(" ({} with NaN left out)", grouped(run.omitted)) : "",
               found.seed));
  if (!found.rounds.empty()) {
    std::vector<std::string> rounds;
    for (const std::uint64_t round : found.rounds) rounds.push_back(grouped(round));
    text += item("precision", fmt::format("limits known to {:.2g} standard errors; replicates: {}",
                                          found.precision, fmt::join(rounds, ", then ")));
  }
  std::string time =
      fmt::format("{} ({})", duration(run.seconds), threads_of(found.groups[0].plan));
  if (run.resumed)
    time += "; some of the replicates were made before";
  else
    time += fmt::format(": {} rows x replicates/s", scaled(replicates * rows / run.seconds));
  text += item("time", time);
  if (run.peak_memory > 0) text += item("peak memory", bytes(static_cast<double>(run.peak_memory)));
  return text;
}

Json json_of(const Group& group) {
  return {{"name", group.name},
          {"rows", group.rows},
          {"estimate", group.estimate},
          {"standard_error", group.standard_error},
          {"standard_error_error", group.standard_error_error},
          {"interval", cli::json_of(group.interval)},
          {"undefined_replicates", group.undefined},
          {"seed", group.seed},
          {"plan", cli::json_of(group.plan)}};
}

Json json_of(const Contrast& contrast) {
  Json notes = Json::array();
  for (const comparison::Note& note : contrast.notes)
    notes.push_back({{"name", note.name}, {"text", with_command_options(note.text)}});
  return {{"group", contrast.group},
          {"estimate", contrast.estimate},
          {"standard_error", contrast.standard_error},
          {"standard_error_error", contrast.standard_error_error},
          {"bias", contrast.bias},
          {"interval", cli::json_of(contrast.interval)},
          {"p_value", contrast.p_value},
          {"p_value_error", contrast.p_value_error},
          {"permutations", contrast.permutations},
          {"all_permutations", contrast.all_permutations},
          {"adjusted_interval", cli::json_of(contrast.adjusted_interval)},
          {"adjusted_p_value", contrast.adjusted_p_value},
          {"adjusted_p_value_error", contrast.adjusted_p_value_error},
          {"undefined_replicates", contrast.undefined},
          {"notes", std::move(notes)}};
}

}  // namespace

std::string title_of(const CompareRun& run) {
  std::string text = run.found.statistic;
  text = of_column(text, run.columns);
  if (!run.covariate.column.empty()) text += ", adjusted for " + run.covariate.column;
  return one_line(text);
}

std::vector<IntervalLine> lines_of(const Comparison& found) {
  const double factor = Scale(found).factor();
  std::vector<IntervalLine> intervals;
  for (const Contrast& contrast : found.contrasts)
    intervals.push_back({display_name(contrast.group), factor * contrast.adjusted_interval.low,
                         factor * contrast.estimate, factor * contrast.adjusted_interval.high});
  return intervals;
}

namespace {

std::string one_as_text(const CompareRun& run, bool quiet, bool with_story) {
  std::string text = title_of(run) + " by " + one_line(run.by) + "\n" + groups_as_text(run) + "\n" +
                     contrasts_as_text(run.found);
  if (!quiet)
    if (const std::string picture = picture_of(run.found); !picture.empty()) text += "\n" + picture;
  const std::string notes = notes_of(run.found) + skipped_as_text(run.left_out);
  if (!notes.empty() || with_story) text += "\n";
  return text + notes + (with_story ? story_of(run) : "");
}

Json json_of(const CompareRun& run) {
  const Comparison& found = run.found;
  Json object;
  object["statistic"] = found.statistic;
  object["columns"] = run.columns;
  object["by"] = run.by;
  object["control"] = found.control;
  object["difference"] = name(found.difference);
  object["confidence"] = found.confidence;
  object["interval_method"] = name(found.method);
  object["alternative"] = name(found.alternative);
  object["correction"] = name(found.correction);
  object["test"] = name(found.test);
  object["groups"] = Json::array();
  for (const Group& group : found.groups) object["groups"].push_back(json_of(group));
  object["contrasts"] = Json::array();
  for (const Contrast& contrast : found.contrasts) object["contrasts"].push_back(json_of(contrast));
  object["skipped"] = Json::array();
  for (const std::string& group : run.left_out)
    object["skipped"].push_back({{"group", group}, {"rows", 1}});
  object["rows"] = rows_of(found);
  if (found.clusters > 0)
    object["clusters"] = {{"all", found.clusters}, {"shared", found.shared_clusters}};
  if (!run.covariate.column.empty())
    object["covariate"] = {{"column", run.covariate.column},
                           {"theta", run.covariate.theta},
                           {"explained", run.covariate.explained}};
  object["omitted_rows"] = run.omitted;
  object["filtered_rows"] = run.filtered;
  object["replicates"] = found.replicates;
  if (!found.rounds.empty())
    object["precision"] = {{"reached", found.precision}, {"rounds", found.rounds}};
  object["seed"] = found.seed;
  object["simd"] = execution::name(found.groups[0].plan.level);
  object["threads"] = found.groups[0].plan.threads;
  object["seconds"] = run.seconds;
  object["read_seconds"] = run.read_seconds;
  object["peak_memory_bytes"] = run.peak_memory;
  return object;
}

}  // namespace

std::string as_text(std::span<const CompareRun> runs, bool quiet) {
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i)
    text += (i == 0 ? "" : "\n") + one_as_text(runs[i], quiet, !quiet && i + 1 == runs.size());
  return text;
}

std::vector<data::NamedColumn> tidy_columns(std::span<const CompareRun> runs) {
  static constexpr std::array kTexts = {"statistic", "value", "group", "control", "difference"};
  static constexpr std::array kNumbers = {"estimate",      "standard_error",  "low",
                                          "high",          "p_value",         "adjusted_low",
                                          "adjusted_high", "adjusted_p_value"};
  std::array<std::vector<std::string>, kTexts.size()> texts;
  std::array<std::vector<double>, kNumbers.size()> numbers;
  for (const CompareRun& run : runs)
    for (const Contrast& contrast : run.found.contrasts) {
      const std::array<std::string, kTexts.size()> words = {
          run.found.statistic, fmt::format("{}", fmt::join(run.columns, ", ")), contrast.group,
          run.found.control, std::string(name(run.found.difference))};
      const std::array<double, kNumbers.size()> cells = {contrast.estimate,
                                                         contrast.standard_error,
                                                         contrast.interval.low,
                                                         contrast.interval.high,
                                                         contrast.p_value,
                                                         contrast.adjusted_interval.low,
                                                         contrast.adjusted_interval.high,
                                                         contrast.adjusted_p_value};
      for (std::size_t c = 0; c < words.size(); ++c) texts[c].push_back(words[c]);
      for (std::size_t c = 0; c < cells.size(); ++c) numbers[c].push_back(cells[c]);
    }
  std::vector<data::NamedColumn> columns;
  for (std::size_t c = 0; c < kTexts.size(); ++c) columns.push_back({kTexts[c], texts[c]});
  for (std::size_t c = 0; c < kNumbers.size(); ++c) columns.push_back({kNumbers[c], numbers[c]});
  return columns;
}

std::string as_json(std::span<const CompareRun> runs) {
  if (runs.size() == 1) return dump(json_of(runs[0]));
  Json object;
  object["comparisons"] = Json::array();
  for (const CompareRun& run : runs) object["comparisons"].push_back(json_of(run));
  return dump(object);
}

}  // namespace bootfold::cli
