#include "arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "bootfold/error.h"
#include "bootfold/precision.h"
#include "checkpoint.h"
#include "exact.h"
#include "number.h"
#include "statistics.h"
#include "text/choice.h"
#include "text/quantity.h"

namespace bootfold::cli {
namespace {

// CLI11 takes whatever follows an option for its value; "--output --json" is a forgotten one.
std::string refuse_forgotten(const std::string& value) {
  if (value.empty()) return "needs a value";
  if (value.starts_with("--")) return fmt::format("needs a value, but {} follows", value);
  return "";
}

// The replicates must not take the place of the data they came from.
void check_output(const std::string& output, const std::vector<std::string>& files, bool grouped) {
  const bool known = output.ends_with(".csv") || output.ends_with(".parquet") ||
                     (!grouped && output.ends_with(".npy"));
  if (!known)
    throw InvalidArgument(
        fmt::format("--output is '{}' but must end in {}, the format it is written in", output,
                    grouped ? ".csv or .parquet" : ".npy, .csv or .parquet"));
  std::error_code ignored;  // one of them is not there: then they are not the same
  for (const std::string& file : files)
    if (std::filesystem::equivalent(output, file, ignored))
      throw InvalidArgument(fmt::format("--output {} is the file to read; choose another", output));
}

void check_plot(const std::string& plot) {
  if (!plot.ends_with(".svg") && !plot.ends_with(".png"))
    throw InvalidArgument(
        fmt::format("--plot is '{}' but must end in .svg or .png, the kind of the picture", plot));
}

void check_save(const std::string& save) {
  if (!save.ends_with(".safetensors"))
    throw InvalidArgument(fmt::format(
        "--save is '{}' but must end in .safetensors, the format it is written in", save));
}

// A number, or as many as the precision takes.
void check_replicates(const Arguments& arguments, Request& request) {
  if (arguments.replicates == "auto") {
    request.precision = arguments.precision.empty()
                            ? 0.01
                            : parse_between("--precision", arguments.precision, 0, 1, "0.01");
    request.options.replicates = first_replicates({.precision = *request.precision,
                                                   .method = request.methods.front(),
                                                   .interval = request.interval},
                                                  request.scheme.without_data());
    return;
  }
  if (!arguments.precision.empty())
    throw InvalidArgument("--precision is for --replicates auto; with a number it has no meaning");
  if (!arguments.replicates.empty())
    request.options.replicates =
        parse_whole("--replicates", arguments.replicates, 1,
                    std::numeric_limits<std::uint64_t>::max(), {}, " (or auto)");
}

// The exponent of --rescale.
double parse_rescale(const SchemeArguments& arguments) {
  const std::string& text = arguments.rescale;
  if (text.empty()) return Options{}.rescale;
  if (arguments.size.empty())
    throw InvalidArgument(
        fmt::format("--rescale is '{}' but as many rows are drawn as there are, so that there is "
                    "nothing to rescale; give --size as well",
                    text));
  if (text == "sqrt") return 0.5;
  if (text == "none") return 0;
  const std::optional<double> rate = text::parse_real(text);
  if (!rate || !(*rate >= 0 && *rate <= 1))
    throw InvalidArgument(fmt::format(
        "--rescale is '{}' but must be sqrt, none, or an exponent from 0 to 1, such as 0.33",
        text));
  return *rate;
}

// A jackknife has as many replicates as rows, and two intervals.
void check_jackknife(const Arguments& arguments, Request& request) {
  using interval::Method;
  if (!arguments.replicates.empty())
    throw InvalidArgument(fmt::format(
        "--replicates is '{}' but a jackknife leaves out every row (or cluster) once, so it has as "
        "many replicates as rows (clusters); omit --replicates",
        arguments.replicates));
  const std::vector<std::string> names = split_list(arguments.intervals);
  if (names.empty()) request.methods = {Method::normal};
  if (std::find(names.begin(), names.end(), "all") != names.end())
    std::erase_if(request.methods, [&](Method method) {
      return method != Method::normal &&
             std::find(names.begin(), names.end(), name(method)) == names.end();
    });
}

// What the intervals need beside the replicates. Of `all`, studentized is left out where it would
// take a bootstrap of every resample, and what a scheme does not have.
void check_companions(const Arguments& arguments, Request& request) {
  using interval::Method;
  const std::vector<std::string> names = split_list(arguments.intervals);
  const bool all = std::find(names.begin(), names.end(), "all") != names.end();
  const bool named = std::find(names.begin(), names.end(), "studentized") != names.end();
  const bool formulas =
      std::all_of(request.statistics.begin(), request.statistics.end(),
                  [](const Statistic& statistic) { return statistic.standard_error() != nullptr; });
  if (all && !named && !(formulas && request.scheme.one_by_one()))
    std::erase(request.methods, Method::studentized);
  if (all && request.scheme.together() &&
      std::find(names.begin(), names.end(), "abc") == names.end())
    std::erase(request.methods, Method::abc);
  for (const Method method : request.methods) {
    interval::check_method(method, request.scheme.without_data());
    if (method == Method::bca || method == Method::abc) request.options.influence = true;
    if (method == Method::studentized) request.options.standard_errors = true;
  }
  // Cheap, and it cannot be had later.
  if (!request.save.empty()) request.options.influence = true;
}

}  // namespace

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& value,
                      const char* placeholder, const std::string& help) {
  return command.add_option(name, value, help)
      ->option_text(placeholder)
      ->allow_extra_args(false)
      ->check(refuse_forgotten);
}

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const char* placeholder, const std::string& help) {
  return command.add_option(name, value, help)
      ->option_text(placeholder)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->check(refuse_forgotten);
}

std::string one_of(std::string_view option, const std::string& value,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return value;
  throw InvalidArgument(text::unknown_choice(option, value, known));
}

void add_file(CLI::App& command, Arguments& arguments) {
  command.add_option("FILE", arguments.files, kFileHelp)->option_text(" ");
}

void add_arguments(CLI::App& command, Arguments& arguments) {
  add_file(command, arguments);
  add_list(command, "--column", arguments.columns, "NAME",
           "Columns by name or number from 1, or expressions such as log(price); repeat it or "
           "separate by commas")
      ->group(kWhat);
  add_list(command, "--by", arguments.by, "NAME",
           "An interval for every group: columns of the groups; with several, their combinations")
      ->group(kWhat);
  add_list(command, "--statistic", arguments.statistics, "S",
           "Statistics, listed below, or expressions: \"sum(cost) / sum(clicks)\", \"gm = "
           "exp(mean(log(price)))\" [mean]")
      ->group(kWhat);
  add_text(command, "--replicates", arguments.replicates, "N",
           "Resamples to draw: 1e6; auto: as many as --precision needs; exact: none, the exact "
           "distribution [10000]")
      ->group(kWhat);
  add_precision(command, arguments);
  add_seed(command, arguments);
  add_text(command, "--first-replicate", arguments.first_replicate, "I",
           "Number of the first replicate: a run in parts, which bootfold interval joins [0]")
      ->group(kWhat);
  add_interval_arguments(command, arguments, kWhat);
  add_nested_replicates(command, arguments);
  add_run(command, arguments);
  add_text(command, "--path", arguments.path, "P",
           "Force a path: stream, gather, distinct, order, blocks, weights or deletion [cheapest]")
      ->group(kHow);
  command
      .add_flag("--joint", arguments.joint,
                "Statistics of different kinds on the same resamples, not each by its fastest path")
      ->group(kHow);
  add_text(command, "--split", arguments.split, "rows|replicates",
           "Under mpirun, what the processes share [rows if the files can be cut]")
      ->group(kHow);
  add_output_arguments(command, arguments, "[replicates, statistics]");
  add_text(command, "--save", arguments.save, "FILE",
           "Save the run to a .safetensors file, for bootfold interval FILE")
      ->group(kShown);
}

void add_precision(CLI::App& command, Arguments& arguments) {
  add_text(command, "--precision", arguments.precision, "X",
           "With --replicates auto: Monte Carlo error of the limits / standard error [0.01]")
      ->group(kWhat);
}

void add_nested_replicates(CLI::App& command, Arguments& arguments) {
  add_text(command, "--nested-replicates", arguments.nested_replicates, "N",
           "Studentized intervals without a formula: nested resamples per resample [50]")
      ->group(kWhat);
}

void add_seed(CLI::App& command, Arguments& arguments) {
  add_text(command, "--seed", arguments.seed, "K",
           "Seed of the random numbers: the same command gives the same result [0]")
      ->group(kWhat);
}

void add_run(CLI::App& command, Arguments& arguments) {
  add_reading(command, arguments);
  add_scheme_arguments(command, arguments.scheme);
  add_text(command, "--threads", arguments.threads, "T", kThreadsHelp)->group(kHow);
  add_text(command, "--memory", arguments.memory, "SIZE", kMemoryHelp)->group(kHow);
  add_text(command, "--tolerance", arguments.tolerance, "X",
           "Largest error of a sum, as a fraction of the standard error [1e-5]")
      ->group(kHow);
  add_checkpoint(command, arguments.checkpoint, kHow);
}

void add_reading(CLI::App& command, Arguments& arguments) {
  add_text(command, "--nan", arguments.nan, "error|omit",
           "Stop at the first NaN, or omit rows with NaN [error]")
      ->group(kWhat);
  add_text(command, "--where", arguments.where, "CONDITION", kWhereHelp)->group(kWhat);
  add_text(command, "--header", arguments.header, "yes|no|auto", kHeaderHelp)->group(kFile);
  add_dialect_arguments(command, arguments.dialect, kFile);
}

void add_output_arguments(CLI::App& command, Arguments& arguments, const std::string& shape) {
  command.add_flag("--json", arguments.json, "One JSON object instead of text")
      ->group(kShown)
      ->disable_flag_override();
  add_text(command, "--output", arguments.output, "FILE",
           "Write the replicates to a .npy, .csv or .parquet file: " + shape)
      ->group(kShown);
  add_text(command, "--plot", arguments.plot, "FILE",
           "Draw the replicates and the interval as a .svg or .png picture")
      ->group(kShown);
  command.add_flag("--quiet", arguments.quiet, "Only the numbers: no progress, picture or plan")
      ->group(kShown)
      ->disable_flag_override();
}

void add_interval_arguments(CLI::App& command, Arguments& arguments, const std::string& group,
                            const std::string& usual) {
  add_list(
      command, "--interval", arguments.intervals, "M",
      "normal, basic, percentile, bca, studentized or abc, a list of them, or all [" + usual + "]")
      ->group(group);
  add_text(command, "--confidence", arguments.confidence, "P",
           "Confidence level of the interval [0.95]")
      ->group(group);
  add_text(command, "--alternative", arguments.alternative, "A",
           "two-sided, less (an upper limit only) or greater (a lower limit only) [two-sided]")
      ->group(group);
  add_text(command, "--convention", arguments.convention, "numpy|r",
           "Ties and quantiles as in SciPy or as in R boot [numpy]")
      ->group(group);
  command
      .add_flag("--strict", arguments.strict,
                "Stop with an error where a method is not available, instead of falling back")
      ->group(group)
      ->disable_flag_override();
}

std::vector<interval::Method> check_methods(const std::vector<std::string>& names) {
  std::vector<interval::Method> methods;
  const auto add = [&](interval::Method method) {
    if (std::find(methods.begin(), methods.end(), method) == methods.end())
      methods.push_back(method);
  };
  for (const std::string& name : split_list(names)) {
    if (name != "all") {
      add(interval::parse_method(name));
      continue;
    }
    for (const char* each : {"bca", "normal", "basic", "percentile", "studentized", "abc"})
      add(interval::parse_method(each));
  }
  return methods;
}

interval::Options check_interval(const Arguments& arguments) {
  interval::Options options;
  options.confidence = parse_between("--confidence", arguments.confidence, 0, 1, "0.95");
  options.alternative = interval::parse_alternative(arguments.alternative);
  options.convention = interval::parse_convention(arguments.convention);
  options.strict = arguments.strict;
  return options;
}

Request check(const Arguments& arguments) {
  if (arguments.files.empty()) throw InvalidArgument(kNoFile);

  Request request;
  request.files = arguments.files;
  request.output = arguments.output;
  if (!request.output.empty()) check_output(request.output, request.files, !arguments.by.empty());
  request.plot = arguments.plot;
  if (!request.plot.empty()) check_plot(request.plot);
  request.json = arguments.json;
  request.quiet = arguments.quiet;

  request.read.columns = split_list(arguments.columns);
  request.read.nan = one_of("--nan", arguments.nan, {"error", "omit"}) == "omit"
                         ? data::NanPolicy::omit
                         : data::NanPolicy::error;
  if (one_of("--header", arguments.header, {"yes", "no", "auto"}) != "auto")
    request.read.header = arguments.header == "yes";
  request.read.where = arguments.where;
  set_dialect(arguments.dialect, request.read);

  request.scheme = SchemeRequest(arguments.scheme);

  choose_statistics(arguments.statistics, request);
  request.scheme.extend(request.read);
  if (request.scheme.weighted())
    for (Statistic& statistic : request.statistics) statistic = statistic::weighted(statistic);

  Options& options = request.options;
  request.interval = check_interval(arguments);
  request.methods = check_methods(arguments.intervals);
  if (request.methods.empty()) request.methods.push_back(interval::Method::percentile);
  if (request.scheme.jackknife()) check_jackknife(arguments, request);
  request.exact = arguments.replicates == "exact";
  const std::vector<std::string> named = split_list(arguments.intervals);
  request.all_methods = std::find(named.begin(), named.end(), "all") != named.end();
  if (request.exact) {
    check_exact(arguments, request);
  } else {
    check_replicates(arguments, request);
  }
  options.nested_replicates = parse_whole("--nested-replicates", arguments.nested_replicates, 2);
  options.seed = parse_whole("--seed", arguments.seed, 0);
  options.first_replicate = parse_whole("--first-replicate", arguments.first_replicate, 0);
  if (options.first_replicate > 0 && (request.exact || request.precision))
    throw InvalidArgument(
        "--first-replicate is for a number of replicates; --replicates auto and exact are not made "
        "in "
        "parts");
  options.execution.threads = parse_threads(arguments.threads);
  options.memory = parse_size("--memory", arguments.memory);
  options.tolerance = parse_between("--tolerance", arguments.tolerance, 0,
                                    std::numeric_limits<double>::infinity(), "1e-5");
  options.rescale = parse_rescale(arguments.scheme);
  options.joint = arguments.joint;
  if (!arguments.path.empty()) options.path = parse_path(arguments.path);
  request.save = arguments.save;
  if (!request.save.empty()) check_save(request.save);
  std::vector<std::pair<std::string, std::string>> others = {{"--output", request.output},
                                                             {"--save", request.save}};
  for (const std::string& file : request.files) others.emplace_back("FILE", file);
  check_checkpoint(arguments.checkpoint, others);
  if (!arguments.checkpoint.empty() && request.exact)
    throw InvalidArgument(
        "--checkpoint stores replicates, but --replicates exact makes none; omit --checkpoint");
  options.checkpoint = arguments.checkpoint;
  check_companions(arguments, request);
  return request;
}

unsigned parse_threads(const std::string& text) {
  if (text.empty()) return 0;
  return static_cast<unsigned>(
      parse_whole("--threads", text, 1, 1024, "; leave it out to use all cores"));
}

namespace {

/// The end of an item that begins at `at`: the next comma that is not in parentheses or quotes. Of
/// an expression that is not closed it is the end of the list, so that messages show all of it; of
/// other text the next comma.
std::size_t end_of_item(const std::string& list, std::size_t at) {
  int depth = 0;
  char quote = 0;
  for (std::size_t i = at; i < list.size(); ++i) {
    const char c = list[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '`' || (depth > 0 && (c == '\'' || c == '"'))) {
      quote = c;
    } else if (c == '(' || c == ')') {
      depth += c == '(' ? 1 : -1;
    } else if (c == ',' && depth <= 0) {
      return i;
    }
  }
  return depth >= 0 && quote == 0 ? list.size() : std::min(list.find(',', at), list.size());
}

/// Without blanks at its ends, which surround names in "mean, median".
std::string without_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

}  // namespace

std::vector<std::string> split_list(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    std::size_t at = 0;
    do {
      std::string name;
      if (list[at] == '"') {  // up to the closing quote; two quotes stand for one
        for (++at; at < list.size() && (list[at] != '"' || list[at + 1] == '"'); ++at) {
          if (list[at] == '"') ++at;
          name += list[at];
        }
        if (at == list.size())
          throw InvalidArgument(fmt::format("there is no closing quote in '{}'", list));
        ++at;
      }
      const std::size_t end = end_of_item(list, at);
      name += without_blanks(list.substr(at, end - at));
      if (name.empty()) throw InvalidArgument(fmt::format("there is an empty name in '{}'", list));
      names.push_back(std::move(name));
      at = end + 1;
    } while (at <= list.size());
  }
  return names;
}

std::string list_of_statistics() {
  std::size_t longest = 0;
  for (const statistic::Listing& listing : statistic::listings())
    longest = std::max(longest, listing.usage.size());
  std::string text;
  std::string columns;
  for (const statistic::Listing& listing : statistic::listings()) {
    if (listing.columns != columns) {
      columns = listing.columns;
      text += fmt::format("{}Statistics of {} column{}\n", text.empty() ? "" : "\n", columns,
                          columns == "1" ? " (of several, each):" : "s:");
    }
    text += fmt::format("  {:<{}}  {}\n", listing.usage, longest, listing.meaning);
  }
  return text;
}

}  // namespace bootfold::cli
