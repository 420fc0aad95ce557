#include "ensemble_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report.h"
#include "table.h"
#include "text.h"
#include "training_arguments.h"

namespace bootfold::cli {
namespace {

using ensemble::MemberAverage;
using ensemble::SelectionRule;
using ensemble::SelectionScore;
using ensemble::SettingsSummary;

constexpr std::size_t kMostLines = 20;

// "0.134 +- 0.052", or the mean alone.
std::string text_of_average(double mean, double deviation) {
  if (std::isnan(mean)) return "unknown";
  return std::isnan(deviation) ? fmt::format("{:.4g}", mean) : with_error(mean, deviation);
}

std::string text_of_score(const SelectionScore& score) {
  return text_of_average(score.loss, score.standard_error);
}

/// The settings in the order of their held-out losses, those without one behind.
std::vector<std::size_t> best_first(const std::vector<SettingsSummary>& summaries) {
  std::vector<std::size_t> order(summaries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto loss = [&](std::size_t i) {
    const double mean = summaries[i].held_out_loss.mean;
    return std::isnan(mean) ? std::numeric_limits<double>::infinity() : mean;
  };
  std::ranges::stable_sort(order, {}, loss);
  return order;
}

}  // namespace

std::vector<std::size_t> kept_of_settings(const TrainRun& run) {
  std::vector<std::size_t> kept(run.summaries.size());
  for (std::size_t m = 0; m < run.ensemble.size(); ++m) ++kept[run.ensemble.member(m).settings];
  return kept;
}

std::string settings_as_text(const TrainRun& run) {
  const bool evaluated = std::ranges::any_of(run.summaries, [](const SettingsSummary& summary) {
    return !std::isnan(summary.held_out_loss.mean);
  });
  const auto columns = properties(run.ensemble.frame().settings, false);
  const std::vector<std::size_t> kept = kept_of_settings(run);
  std::vector<std::string> heads;
  for (const auto& [name, values] : columns) heads.push_back(name);
  heads.emplace_back("members");
  if (run.selection) heads.emplace_back("kept");
  if (!run.failures.empty()) heads.emplace_back("failed");
  heads.insert(heads.end(), {"steps", "loss"});
  if (evaluated) heads.emplace_back(run.validation ? "validation loss" : "held-out loss");
  std::vector<std::vector<std::string>> rows = {heads};
  const bool many = run.sampled || run.summaries.size() > kMostLines;
  std::vector<std::size_t> order(run.summaries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (many) order = best_first(run.summaries);
  if (order.size() > kMostLines) order.resize(kMostLines);
  for (const std::size_t i : order) {
    const SettingsSummary& summary = run.summaries[i];
    std::vector<std::string> cells;
    for (const auto& [name, values] : columns) cells.push_back(values[summary.settings]);
    cells.push_back(grouped(summary.members));
    if (run.selection) cells.push_back(grouped(kept[i]));
    if (!run.failures.empty()) cells.push_back(grouped(summary.failed));
    cells.push_back(std::isnan(summary.steps.mean)
                        ? "-"
                        : grouped(static_cast<std::uint64_t>(std::llround(summary.steps.mean))));
    cells.push_back(text_of_average(summary.loss.mean, summary.loss.deviation));
    if (evaluated)
      cells.push_back(text_of_average(summary.held_out_loss.mean, summary.held_out_loss.deviation));
    rows.push_back(std::move(cells));
  }
  std::string text = table(rows);
  text += "  mean and standard deviation over members";
  if (order.size() < run.summaries.size())
    text += fmt::format("; the best {} of {} settings, --json has all", order.size(),
                        grouped(run.summaries.size()));
  else if (many)
    text += "; the best settings first";
  return text + "\n";
}

std::string selection_as_text(const TrainRun& run) {
  const ensemble::Selection& found = *run.selection;
  const std::vector<std::size_t> kept = kept_of_settings(run);
  const auto settings = std::ranges::count_if(kept, [](std::size_t count) { return count > 0; });
  std::string text =
      fmt::format("\nSelection: {}, by their loss on {}\n",
                  run.rule == SelectionRule::greedy ? "members that lower the loss together"
                                                    : "the best members",
                  found.validation ? "the validation rows" : "rows that they are not trained on");
  text += item(
      "kept", fmt::format("{} member{} of {} setting{}", grouped(run.ensemble.size()),
                          run.ensemble.size() == 1 ? "" : "s", settings, settings == 1 ? "" : "s"));
  text += item("loss", fmt::format("{} on rows that did not select ({} rows in {} folds)",
                                   text_of_score(found.other_rows), grouped(found.other_rows.rows),
                                   ensemble::SelectionOptions::kFolds));
  text += item("", fmt::format("{} of all {} on these rows, without a selection",
                               text_of_score(found.all_members), grouped(run.trained)));
  text += item("", fmt::format("{:.4g} of the {} kept on the rows that selected them: too good",
                               found.same_rows.loss, grouped(run.ensemble.size())));
  const double change = found.difference.loss;
  text += item("change", fmt::format("{} by the selection, on rows that did not select",
                                     text_of_score(found.difference)));
  if (change >= 0)
    text += item("", "the selection does not pay on these rows; --select all keeps all members");
  else if (-change < 2 * found.difference.standard_error)
    text += item("", "which may be chance: it is less than two standard errors");
  if (found.stopped_members)
    text += item("", "these rows also stopped members early, so all three are a little too good");
  return text;
}

Json selection_as_json(const TrainRun& run) {
  if (!run.selection) return nullptr;
  const auto score = [](const SelectionScore& each) -> Json {
    return {{"loss", each.loss}, {"standard_error", each.standard_error}, {"rows", each.rows}};
  };
  Json members = Json::array();
  for (const auto& [settings, number] : run.selected)
    members.push_back({{"settings", settings}, {"number", number}});
  return {{"rule", name(run.rule)},
          {"judged_by", run.selection->validation ? "validation" : "out_of_bag"},
          {"folds", ensemble::SelectionOptions::kFolds},
          {"other_rows", score(run.selection->other_rows)},
          {"same_rows", score(run.selection->same_rows)},
          {"all_members", score(run.selection->all_members)},
          {"difference", score(run.selection->difference)},
          {"rows_stopped_members", run.selection->stopped_members},
          {"selected", std::move(members)}};
}

}  // namespace bootfold::cli
