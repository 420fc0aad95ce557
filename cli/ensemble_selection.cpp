#include "ensemble_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "arguments.h"
#include "bootfold/ensemble/sampling.h"
#include "bootfold/error.h"
#include "number.h"

namespace bootfold::cli {
namespace {

using ensemble::RangeOption;
using ensemble::Settings;
using ensemble::ValueRange;

constexpr std::uint64_t kMostSampled = 100'000;
/// Members of each of the sampled settings. Members with the same number have the same resample, so
/// 8 leave 1 - (1 - 1/e)^8 = 97 % of the rows to judge them. Of members that share weights 8
/// groups.
constexpr std::size_t kSampledMembers = 8;

/// Where the values of a setting with ranges are typed.
std::vector<std::string>& texts_of(const RangeOption& option, TrainingArguments& training,
                                   std::vector<std::string>& depth) {
  static const std::map<std::string_view, std::vector<std::string> TrainingArguments::*> kFields = {
      {"learning_rate", &TrainingArguments::learning_rate},
      {"hidden", &TrainingArguments::hidden},
      {"dropout", &TrainingArguments::dropout},
      {"weight_decay", &TrainingArguments::weight_decay},
      {"warmup", &TrainingArguments::warmup},
      {"momentum", &TrainingArguments::momentum},
      {"clip", &TrainingArguments::clip},
      {"batch_size", &TrainingArguments::batch_size},
      {"subsample", &TrainingArguments::subsample}};
  return option.name == "depth" ? depth : training.*kFields.at(option.name);
}

std::string option_name(const RangeOption& option) {
  std::string name = fmt::format("--{}", option.name);
  std::ranges::replace(name, '_', '-');
  return name;
}

bool has_range(const std::vector<std::string>& texts) {
  return std::ranges::any_of(texts,
                             [](const std::string& text) { return ensemble::is_range(text); });
}

void check_no_ranges(TrainingArguments& training, std::vector<std::string>& depth) {
  for (const RangeOption& option : ensemble::range_options()) {
    const std::vector<std::string>& texts = texts_of(option, training, depth);
    if (option.name == "depth" && !texts.empty())
      throw InvalidArgument(
          "--depth is for --sample; without it name the units of each layer: --hidden 64,64");
    if (has_range(texts))
      throw InvalidArgument(
          fmt::format("{} is '{}', a range, from which --sample draws settings; give --sample 64, "
                      "or a list of values, which are all trained",
                      option_name(option), texts[0]));
  }
}

/// The ranges to draw from. Takes them from the options, which are then as if they were not given.
std::map<std::string, ValueRange> take_ranges(TrainingArguments& training,
                                              std::vector<std::string>& depth) {
  // Layers that are named have a depth.
  const bool named_layers = !training.hidden.empty() && !has_range(training.hidden);
  std::map<std::string, ValueRange> ranges;
  for (const RangeOption& option : ensemble::range_options()) {
    std::vector<std::string>& texts = texts_of(option, training, depth);
    const std::string name(option.name);
    if (texts.empty()) {
      if (option.usual && !(name == "depth" && named_layers)) ranges.emplace(name, *option.usual);
      continue;
    }
    if (!has_range(texts)) continue;
    if (split_list(texts).size() > 1)
      throw InvalidArgument(
          fmt::format("{} has a range beside other values; give one range, or a list of values, of "
                      "which each setting takes one",
                      option_name(option)));
    ranges.emplace(name, ensemble::parse_range(option, option_name(option), texts[0]));
    texts.clear();
    if (name == "subsample") texts = {"0.5"};  // it implies --resampling subsample
  }
  return ranges;
}

/// Each of the settings with each of the numbers of hidden layers.
void multiply_depths(const std::vector<std::string>& texts, std::vector<Settings>& bases) {
  if (texts.empty()) return;
  std::vector<Settings> deeper;
  for (const Settings& base : bases) {
    const auto& hidden = base.architecture.hidden;
    if (hidden.empty() || std::ranges::count(hidden, hidden[0]) != std::ssize(hidden))
      throw InvalidArgument(
          "--depth is for layers of the same width; give the units of one with --hidden 64, or a "
          "range");
    for (const std::string& text : split_list(texts)) {
      Settings& own = deeper.emplace_back(base);
      own.architecture.hidden.assign(parse_whole("--depth", text, 1, 20, " hidden layers"),
                                     hidden[0]);
    }
  }
  bases = std::move(deeper);
}

}  // namespace

void add_selection_arguments(CLI::App& command, SelectionArguments& arguments) {
  constexpr const char* kGroup = "Settings drawn at random, and selection of members";
  add_text(command, "--sample", arguments.sample, "N",
           "Draw N settings from ranges such as --learning-rate 1e-4..1e-2; rate, width, depth, "
           "dropout and weight decay have default ranges [all values of lists]")
      ->group(kGroup);
  add_list(command, "--depth", arguments.depth, "N",
           "With --sample: number of hidden layers, a range or a list [1..3]")
      ->group(kGroup);
  add_text(command, "--select", arguments.select, "RULE",
           "Keep greedy (the members that lower the loss together), best (those with the lowest "
           "held-out loss) or all [greedy with --sample, best with --keep-best, otherwise all]")
      ->group(kGroup);
  add_text(command, "--keep-best", arguments.keep_best, "M",
           "Number of members that --select best keeps, and most that greedy keeps [all; 100]")
      ->group(kGroup);
}

ensemble::Training parse_training(TrainingArguments training, const SelectionArguments& arguments,
                                  std::uint64_t seed) {
  std::vector<std::string> depth = arguments.depth;
  if (arguments.sample.empty()) {
    check_no_ranges(training, depth);
    return parse_training(training);
  }
  const std::uint64_t count = parse_whole("--sample", arguments.sample, 1, kMostSampled);
  if (training.members.empty())
    training.members = std::to_string(
        kSampledMembers *
        std::max<std::uint64_t>(1, parse_whole("--share", training.share, 0, 1'000'000'000)));
  ensemble::SamplingOptions options{.ranges = take_ranges(training, depth), .seed = seed};
  ensemble::Training parsed = parse_training(training);
  options.bases = std::move(parsed.settings);
  if (!options.ranges.contains("depth")) multiply_depths(depth, options.bases);
  parsed.settings = ensemble::sample_settings(count, options);
  return parsed;
}

const char* selecting_option(const SelectionArguments& arguments) {
  if (!arguments.select.empty()) return "--select";
  return arguments.sample.empty() ? "--keep-best" : "--sample";
}

std::optional<ensemble::SelectionOptions> parse_selection(const SelectionArguments& arguments,
                                                          const ensemble::Training& training) {
  std::string rule = arguments.select;
  if (rule.empty())
    rule = !arguments.sample.empty() ? "greedy" : arguments.keep_best.empty() ? "all" : "best";
  if (one_of("--select", rule, {"greedy", "best", "all"}) == "all") {
    if (!arguments.keep_best.empty())
      throw InvalidArgument(
          "--select all keeps all members, but --keep-best keeps some; give one of the two");
    return std::nullopt;
  }
  ensemble::SelectionOptions options{.rule = ensemble::parse_selection_rule(rule)};
  const std::size_t members = training.members * training.settings.size();
  if (!arguments.keep_best.empty())
    options.count = parse_whole("--keep-best", arguments.keep_best, 1, members);
  else if (options.rule == ensemble::SelectionRule::best)
    throw InvalidArgument("--select best needs a number of members; give --keep-best 50");
  return options;
}

}  // namespace bootfold::cli
