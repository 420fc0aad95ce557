#include "report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "console.h"
#include "json.h"
#include "text.h"

namespace bootfold::cli {

// On a terminal over several lines, elsewhere on one, so that results can be collected line by
// line.
std::string dump(const Json& object) {
  return object.dump(isatty(STDOUT_FILENO) != 0 ? 2 : -1, ' ', false,
                     Json::error_handler_t::replace) +
         '\n';
}

namespace {

// f(0), or [f(0), f(1), ...] where there are several values.
template <class Function>
Json one_or_list(std::size_t count, const Function& function) {
  if (count == 1) return Json(function(0));
  Json list = Json::array();
  for (std::size_t i = 0; i < count; ++i) list.push_back(function(i));
  return list;
}

// Why an estimate is no number.
std::string reason_of(const Run& run, std::size_t output) {
  const bool known = output < run.reasons.size() && !run.reasons[output].empty();
  return known ? "undefined: " + run.reasons[output] : "the statistic is undefined on these rows";
}

}  // namespace

Json json_of(const Interval& interval) {
  Json object{{"method", interval.method},
              {"confidence", interval.confidence},
              {"alternative", name(interval.alternative)},
              {"low", interval.low},
              {"high", interval.high},
              {"low_error", interval.low_error},
              {"high_error", interval.high_error},
              {"status", name(interval.status)}};
  if (!interval.fallback.empty()) object["fallback"] = interval.fallback;
  if (!interval.reason.empty()) object["reason"] = interval.reason;
  if (!interval.note.empty()) object["note"] = interval.note;
  return object;
}

Json json_of(const Influence& influence) {
  Json object{{"method", influence.method},
              {"acceleration", influence.acceleration()},
              {"jackknife_standard_error", influence.standard_error()},
              {"jackknife_bias", influence.bias()}};
  if (!influence.usable()) object["problem"] = influence.problem;
  return object;
}

Json json_of(const Effort& effort) {
  return {{"asked", effort.asked},
          {"reached", effort.reached},
          {"met", effort.met},
          {"rounds", effort.rounds}};
}

// How well the limits are known. Without a Monte Carlo error they are as good as exact, but nobody
// reads sixteen digits.
double error_of_limits(const Interval& interval, double standard_error) {
  const double coarser = std::max(interval.low_error, interval.high_error);
  return coarser == 0 ? standard_error / 100 : coarser;
}

// "49.4 to 126.7", "at least 49.4".
std::string limits_of(const Interval& interval, double standard_error) {
  const double coarser = error_of_limits(interval, standard_error);
  const TableNumbers shown(std::array{interval.low, interval.high}, std::array{coarser});
  return limits_of(interval, shown(interval.low), shown(interval.high));
}

std::string limits_of(const Interval& interval, const std::string& low, const std::string& high) {
  if (interval.status == interval::Status::undefined) return "none";
  if (interval.alternative == interval::Alternative::less) return "at most " + high;
  if (interval.alternative == interval::Alternative::greater) return "at least " + low;
  return fmt::format("{} to {}", low, high);
}

std::string errors_of(const Interval& interval) {
  if (interval.status == interval::Status::undefined) return "no limits";
  if (interval.low_error == 0 && interval.high_error == 0) return "no Monte Carlo error";
  // Both in one notation: that of the limits.
  double largest = 0;
  for (const double limit : {interval.low, interval.high})
    if (std::isfinite(limit)) largest = std::max(largest, std::abs(limit));
  const bool power = has_power({largest, std::max(interval.low_error, interval.high_error)});
  const std::string low = error_text(interval.low_error, power);
  const std::string high = error_text(interval.high_error, power);
  if (interval.alternative == interval::Alternative::less) return "Monte Carlo error " + high;
  if (interval.alternative == interval::Alternative::greater) return "Monte Carlo error " + low;
  return fmt::format("Monte Carlo error {} and {}", low, high);
}

// How the interval differs from the requested one; empty if its status is good.
std::string caveat_of(const Interval& interval) {
  if (interval.status == interval::Status::good) return "";
  if (!interval.fallback.empty())
    return fmt::format("{} instead of {}: {}", interval.fallback, interval.method, interval.reason);
  return fmt::format("{}: {}", name(interval.status), interval.reason);
}

Json json_of(const Plan& plan) {
  Json object{{"path", name(plan.path)},
              {"reason", plan.reason},
              {"scheme", plan.scheme},
              {"draws", plan.draws},
              {"rescale", plan.rescale},
              {"arithmetic", plan.arithmetic},
              {"digits", plan.digits},
              {"sum_error", plan.sum_error},
              {"working_bytes", plan.working_bytes},
              {"result_bytes", plan.result_bytes},
              {"estimated_seconds", plan.seconds}};
  if (plan.path == Path::distinct) object["distinct_rows"] = plan.distinct_rows;
  if (!plan.weights.empty()) object["weights"] = plan.weights;
  for (const Plan& run : plan.runs)
    object["runs"].push_back({{"outputs", run.outputs},
                              {"path", name(run.path)},
                              {"reason", run.reason},
                              {"estimated_seconds", run.seconds}});
  return object;
}

std::string of_column(const std::string& statistic, const std::vector<std::string>& columns) {
  std::string_view name = statistic;
  if (name.starts_with("weighted_")) name.remove_prefix(9);
  name = name.substr(0, name.find(':'));
  const bool listed =
      std::ranges::any_of(statistic::listings(), [&](const statistic::Listing& each) {
        return std::string_view(each.usage).substr(0, each.usage.find_first_of(":[")) == name;
      });
  return columns.size() == 1 && listed ? statistic + of_column(columns[0]) : statistic;
}

// A column without a name has a number.
std::string of_column(const std::string& name) {
  const bool number = name.find_first_not_of("0123456789") == std::string::npos;
  return (number ? " of column " : " of ") + name;
}

std::string threads_of(const Plan& plan) {
  return fmt::format("{} thread{}, {}", plan.threads, plan.threads == 1 ? "" : "s",
                     execution::name(plan.level));
}

namespace {

std::string rows_of(const Plan& plan, std::size_t omitted) {
  std::string text = fmt::format("{} rows", grouped(plan.rows));
  if (omitted > 0) text += fmt::format(" ({} with NaN left out)", grouped(omitted));
  return text;
}

// "limits known to 0.0098 standard errors, requested 0.01; replicates: 71,360".
std::string effort_of(const Effort& effort) {
  std::vector<std::string> rounds;
  for (const std::uint64_t round : effort.rounds) rounds.push_back(grouped(round));
  return fmt::format("limits known to {:.2g} standard errors, {} {:.2g}; replicates: {}",
                     effort.reached, effort.met ? "requested" : "above the requested", effort.asked,
                     fmt::join(rounds, ", then "));
}

// With an empty line before and after.
std::string framed(const std::string& picture) {
  return picture.empty() ? "\n" : "\n" + picture + "\n";
}

std::string sums_of(const Plan& plan) {
  if (plan.arithmetic.empty()) return "";
  std::string text = plan.arithmetic;
  if (plan.digits > 0 && plan.sum_error == 0)
    text += "; exact";
  else if (plan.digits > 0)
    text += fmt::format("; off by at most {:.1e} standard errors", plan.sum_error);
  return item("sums", text);
}

}  // namespace

std::string item(std::string_view name, std::string_view text) {
  constexpr std::size_t kIndent = 18;
  return fmt::format("  {:<15} {}\n", name, wrapped(text, kIndent, width(STDOUT_FILENO)));
}

std::string weights_as_text(const std::string& column) {
  return item("weights", "column " + one_line(column));
}

std::vector<Interval> intervals(const Result& result, double confidence) {
  std::vector<Interval> all;
  for (std::size_t output = 0; output < result.outputs(); ++output)
    all.push_back(interval::percentile(result, {.confidence = confidence, .output = output}));
  return all;
}

std::vector<std::vector<Interval>> intervals(const Result& result,
                                             const std::vector<interval::Method>& methods,
                                             interval::Options options) {
  std::vector<std::vector<Interval>> all(result.outputs());
  for (options.output = 0; options.output < result.outputs(); ++options.output)
    for (const interval::Method method : methods)
      all[options.output].push_back(interval::make(method, result, options));
  return all;
}

void add_intervals(Run& run, const std::vector<interval::Method>& methods,
                   const interval::Options& options) {
  run.several = intervals(run.result, methods, options);
  for (const std::vector<Interval>& each : run.several) run.intervals.push_back(each.front());
  if (methods.size() == 1) run.several.clear();
}

std::string numbers_as_text(const Run& run, std::size_t output) {
  const Result& result = run.result;
  const Interval& interval = run.intervals[output];
  const double error = result.standard_error(output);
  const std::uint64_t undefined = result.undefined(output);
  std::string text = result.plan().outputs[output];
  text = of_column(text, run.columns);  // else the name says it
  text += '\n';
  text += item("estimate", rounded(result.estimate(output), error / 100));
  if (std::isnan(result.estimate(output))) text += item("", reason_of(run, output));
  if (result.companions().jackknife) {
    text += item("standard error", rounded(error, error / 1e5));
    text += item("bias", rounded(result.bias(output), error / 1e5));
  } else {
    // In the notation of the estimate, so that digits stand below each other.
    const Measured estimate{result.estimate(output), error / 100};
    text += item("standard error",
                 with_error_beside(error, result.standard_error_error(output), estimate));
    text +=
        item("bias", with_error_beside(result.bias(output), result.bias_error(output), estimate));
  }
  text +=
      item(fmt::format("{:.6g}% interval", 100 * interval.confidence), limits_of(interval, error));
  if (run.several.empty()) {
    text += item(
        "", fmt::format("{}; {}", interval.fallback.empty() ? interval.method : interval.fallback,
                        errors_of(interval)));
    if (!caveat_of(interval).empty()) text += item("", caveat_of(interval));
  } else {
    text += item("", interval.method + "; all of them:");
    for (const Interval& each : run.several[output]) {
      text +=
          item("  " + each.method, fmt::format("{}; {}", limits_of(each, error), errors_of(each)));
      if (!caveat_of(each).empty()) text += item("", caveat_of(each));
    }
  }
  if (!interval.note.empty()) text += item("note", interval.note);
  const bool told = std::ranges::any_of(
      run.several.empty() ? std::vector{interval} : run.several[output],
      [](const Interval& each) { return each.reason.find("undefined on ") != std::string::npos; });
  if (undefined > 0 && !told)
    text += item("undefined",
                 fmt::format("on {} of {} replicates{}", grouped(undefined),
                             grouped(result.plan().replicates),
                             result.companions().jackknife ? "" : ", which are omitted above"));
  return text;
}

Marks marks_of(const Run& run, std::size_t output) {
  const Interval& interval = run.intervals[output];
  return {.low = interval.low,
          .estimate = run.result.estimate(output),
          .high = interval.high,
          .confidence = interval.confidence};
}

std::string histogram_as_text(const Run& run, std::size_t output) {
  if (run.result.companions().jackknife) return "";  // a needle between limits far away
  const std::size_t outputs = run.result.outputs();
  const Marks marks = marks_of(run, output);
  const PlotStyle style{.width = width(STDOUT_FILENO),
                        .height = outputs == 1   ? 8U
                                  : outputs <= 3 ? 4U
                                                 : 2U,
                        .utf8 = has_utf8()};
  if (run.result.as_drawn(output))
    return histogram(run.result.replicates(), output, outputs, marks, style);
  std::vector<double> values(run.result.count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = run.result.rescaled(i, output);
  return histogram(values, 0, 1, marks, style);
}

std::string story_as_text(const Run& run) {
  const Plan& plan = run.result.plan();
  const auto replicates = static_cast<double>(plan.replicates);
  const auto rows = static_cast<double>(plan.rows);
  std::string text;
  if (plan.runs.empty()) text += item("plan", fmt::format("{}: {}", name(plan.path), plan.reason));
  for (const Plan& one : plan.runs)
    text += item("plan", fmt::format("{} for {}: {}", name(one.path), fmt::join(one.outputs, ", "),
                                     one.reason));
  if (plan.scheme != "iid") text += item("scheme", plan.scheme);
  if (!plan.weights.empty()) text += weights_as_text(plan.weights);
  if (plan.rescale != 1)
    text += item("rescaled", fmt::format("deviations of {} rows times {:.4g}, for {} rows "
                                         "(--rescale none: as drawn)",
                                         grouped(plan.draws), plan.rescale, grouped(plan.rows)));
  if (!run.result.companions().centres.empty())
    text += item("centred",
                 "rows near the ends are in fewer blocks, so deviations are from the "
                 "statistic with the expected counts as weights");
  text += sums_of(plan);
  text += item(
      "work",
      fmt::format("{} replicates of {}", grouped(plan.replicates), rows_of(plan, run.omitted)) +
          (run.result.companions().jackknife ? ", no draws"
                                             : fmt::format(", seed {}", run.result.seed())));
  if (run.effort) text += item("precision", effort_of(*run.effort));
  if (run.stored) return text;
  std::string time = fmt::format("{} ({})", duration(run.seconds), threads_of(plan));
  if (run.resumed)
    time += "; some of the replicates were made before";
  else
    time += fmt::format(": {} replicates/s, {} rows x replicates/s",
                        scaled(replicates / run.seconds), scaled(replicates * rows / run.seconds));
  text += item("time", time);
  if (run.peak_memory > 0) text += item("peak memory", bytes(static_cast<double>(run.peak_memory)));
  return text;
}

std::string as_text(const Run& run, bool quiet) {
  std::string text;
  for (std::size_t output = 0; output < run.result.outputs(); ++output) {
    text += numbers_as_text(run, output);
    if (!quiet) text += framed(histogram_as_text(run, output));
  }
  return quiet ? text : text + story_as_text(run);
}

std::string as_json(const Run& run) {
  const Result& result = run.result;
  const std::size_t count = result.outputs();
  Json object;
  const auto list = [&](const char* key, const auto& function) {
    object[key] = one_or_list(count, function);
  };
  list("statistic", [&](std::size_t i) { return result.plan().outputs[i]; });
  object["columns"] = run.columns;
  list("estimate", [&](std::size_t i) { return result.estimate(i); });
  list("standard_error", [&](std::size_t i) { return result.standard_error(i); });
  list("standard_error_error", [&](std::size_t i) { return result.standard_error_error(i); });
  list("bias", [&](std::size_t i) { return result.bias(i); });
  list("bias_error", [&](std::size_t i) { return result.bias_error(i); });
  if (!result.companions().centres.empty())
    list("centre", [&](std::size_t i) { return result.centre(i); });
  list("interval", [&](std::size_t i) { return json_of(run.intervals[i]); });
  if (!run.several.empty())
    list("intervals", [&](std::size_t i) {
      Json each = Json::array();
      for (const Interval& interval : run.several[i]) each.push_back(json_of(interval));
      return each;
    });
  if (!result.companions().influences.empty())
    list("influence", [&](std::size_t i) { return json_of(result.companions().influences[i]); });
  if (!result.companions().error_method.empty())
    object["standard_errors_by"] = result.companions().error_method;
  if (!run.reasons.empty())
    list("undefined_because", [&](std::size_t i) { return run.reasons[i]; });
  list("undefined_replicates", [&](std::size_t i) { return result.undefined(i); });
  object["rows"] = result.plan().rows;
  if (run.counted) {
    object["omitted_rows"] = run.omitted;
    object["filtered_rows"] = run.filtered;
  }
  object["replicates"] = result.plan().replicates;
  if (run.effort) object["precision"] = json_of(*run.effort);
  object["seed"] = result.seed();
  object["plan"] = json_of(result.plan());
  if (run.stored) return dump(object);
  object["simd"] = execution::name(result.plan().level);
  object["threads"] = result.plan().threads;
  object["seconds"] = run.seconds;
  object["read_seconds"] = run.read_seconds;
  object["peak_memory_bytes"] = run.peak_memory;
  return dump(object);
}

std::string as_text(const Forecast& forecast) {
  const Plan& plan = forecast.plan;
  std::string text = fmt::format("{}", fmt::join(plan.outputs, ", "));
  if (of_column(plan.outputs[0], forecast.columns) != plan.outputs[0])
    text += of_column(forecast.columns[0]);
  text += '\n';
  text += item("work", fmt::format("{} replicates of {}", grouped(plan.replicates),
                                   rows_of(plan, forecast.omitted)));
  if (plan.runs.empty()) {
    text += item("path", name(plan.path));
    text += item("reason", plan.reason);
  }
  for (const Plan& run : plan.runs)
    text += item("run", fmt::format("{} by path {}, about {}: {}", fmt::join(run.outputs, ", "),
                                    name(run.path), duration(run.seconds), run.reason));
  text += item("scheme", plan.scheme);
  if (!plan.weights.empty()) text += weights_as_text(plan.weights);
  text += sums_of(plan);
  text += item("memory", fmt::format("{} data + {} result + {} working memory (limit {})",
                                     bytes(static_cast<double>(forecast.data_bytes)),
                                     bytes(static_cast<double>(plan.result_bytes)),
                                     bytes(static_cast<double>(plan.working_bytes)),
                                     bytes(static_cast<double>(plan.memory_limit))));
  text += item("time", fmt::format("about {} ({})", duration(plan.seconds), threads_of(plan)));
  return text;
}

std::string as_json(const Forecast& forecast) {
  const Plan& plan = forecast.plan;
  Json object;
  object["statistic"] =
      one_or_list(plan.outputs.size(), [&](std::size_t i) { return plan.outputs[i]; });
  object["columns"] = forecast.columns;
  object["rows"] = plan.rows;
  object["omitted_rows"] = forecast.omitted;
  object["filtered_rows"] = forecast.filtered;
  object["replicates"] = plan.replicates;
  object["seed"] = forecast.seed;
  object["plan"] = json_of(plan);
  object["simd"] = execution::name(plan.level);
  object["threads"] = plan.threads;
  object["data_bytes"] = forecast.data_bytes;
  object["memory_limit"] = plan.memory_limit;
  object["estimated_seconds"] = plan.seconds;
  return dump(object);
}

}  // namespace bootfold::cli
