#include "compare_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "console.h"
#include "forest_plot.h"
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
  [[nodiscard]] std::string number(double value, double error) const {
    return rounded(factor() * value, factor() * error) + unit();
  }
  /// With its sign.
  [[nodiscard]] std::string change(double value, double error) const {
    const std::string text = number(value, error);
    return value > 0 ? "+" + text : text;
  }

 private:
  bool percent_;
};

std::string percent(double share) { return fmt::format("{:.6g}%", 100 * share); }

bool corrected(const Comparison& found) { return found.correction != Correction::none; }

// The statistic with its column, where the name does not say it: "mean of revenue".
std::string title(const CompareRun& run) {
  std::string text = run.found.statistic;
  if (run.columns.size() == 1) text += of_column(run.columns[0]);
  return one_line(text);
}

std::string groups_as_text(const CompareRun& run) {
  std::vector<std::vector<std::string>> rows = {
      {"group", "rows", run.found.statistic, "standard error"}};
  const bool marked = run.found.control != "control";  // the name says it
  for (const Group& group : run.found.groups)
    rows.push_back(
        {display_name(group.name) + (marked && group.name == run.found.control ? " (control)" : ""),
         grouped(group.rows), rounded(group.estimate, group.standard_error / 100),
         with_error(group.standard_error, group.standard_error_error)});
  return table(rows);
}

std::string limits_of(const Interval& interval, const Scale& scale, double coarser) {
  if (interval.status == interval::Status::undefined) return "none";
  if (interval.alternative == interval::Alternative::less)
    return "at most " + scale.change(interval.high, coarser);
  if (interval.alternative == interval::Alternative::greater)
    return "at least " + scale.change(interval.low, coarser);
  return fmt::format("{} to {}", scale.change(interval.low, coarser),
                     scale.change(interval.high, coarser));
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
  for (const Contrast& contrast : found.contrasts) {
    const Interval& interval = contrast.adjusted_interval;
    const double coarser = std::max(interval.low_error, interval.high_error);
    rows.push_back({display_name(contrast.group),
                    scale.change(contrast.estimate, contrast.standard_error / 10),
                    scale.number(contrast.standard_error, contrast.standard_error_error),
                    limits_of(interval, scale, coarser),
                    contrast.adjusted_p_value_error == 0
                        ? fmt::format("{:.3g}", contrast.adjusted_p_value)
                        : with_error(contrast.adjusted_p_value, contrast.adjusted_p_value_error)});
  }
  return table(rows);
}

std::string picture_of(const Comparison& found) {
  const Scale scale(found);
  const double factor = scale.factor();
  std::vector<IntervalLine> intervals;
  for (const Contrast& contrast : found.contrasts)
    intervals.push_back({display_name(contrast.group), factor * contrast.adjusted_interval.low,
                         factor * contrast.estimate, factor * contrast.adjusted_interval.high});
  return forest_plot(intervals, {.width = width(STDOUT_FILENO), .utf8 = has_utf8()}, scale.unit());
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
  text += item("plan", paths_of(found));
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

std::string as_text(const CompareRun& run, bool quiet) {
  std::string text = title(run) + " by " + one_line(run.by) + "\n" + groups_as_text(run) + "\n" +
                     contrasts_as_text(run.found);
  if (!quiet)
    if (const std::string picture = picture_of(run.found); !picture.empty()) text += "\n" + picture;
  const std::string notes = notes_of(run.found);
  if (!notes.empty() || !quiet) text += "\n";
  return text + notes + (quiet ? "" : story_of(run));
}

std::string as_json(const CompareRun& run) {
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
  object["rows"] = rows_of(found);
  if (found.clusters > 0)
    object["clusters"] = {{"all", found.clusters}, {"shared", found.shared_clusters}};
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
  return dump(object);
}

}  // namespace bootfold::cli
