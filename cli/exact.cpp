#include "exact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "bootfold/error.h"
#include "bootfold/exact.h"
#include "bootfold/influence.h"
#include "console.h"
#include "histogram.h"
#include "json.h"
#include "memory.h"
#include "progress.h"
#include "report.h"
#include "text.h"
#include "timer.h"

namespace bootfold::cli {
namespace {

using exact::Distribution;

constexpr std::size_t kDrawn = 20'000;  // values that stand for a law in its picture

/// One statistic on the columns it takes.
struct Question {
  Statistic statistic;
  DataView data;
  std::string label;  // names the column where there are several
};

std::vector<Question> questions(const data::Table& table, const Request& request) {
  std::vector<Question> all;
  const DataView& view = table.view();
  for (const Statistic& statistic : request.statistics) {
    if (statistic.most_columns() > 1 || view.columns() == 1 || !statistic.columns().empty()) {
      all.push_back({statistic, view, ""});
      continue;
    }
    for (std::size_t c = 0; c < view.columns(); ++c)
      all.push_back({statistic, DataView(view.column(c)),
                     fmt::format("{}({})", statistic.name(), view.name(c))});
  }
  return all;
}

std::string label_of(const Question& question, const std::string& output) {
  return question.label.empty() ? output : question.label;
}

/// A law and its intervals and notes.
struct Answer {
  std::string label;
  Distribution law;
  std::vector<Interval> intervals;  // the first is the main one
  std::vector<std::string> notes;   // of --interval all: what is not available, and why
};

void check(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled();
}

/// Values at even steps of probability: a sample without chance.
std::vector<double> drawn(const Distribution& law, const std::stop_token& stop) {
  std::vector<double> values;
  const auto step = 1.0 / static_cast<double>(kDrawn);
  const auto atoms = law.atoms();
  double cumulated = 0;
  if (!atoms.empty()) {
    for (const exact::Atom& atom : atoms) {
      cumulated += atom.probability;
      while (values.size() < kDrawn &&
             (static_cast<double>(values.size()) + 0.5) * step <= cumulated)
        values.push_back(atom.value);
    }
    return values;
  }
  // Between points of the distribution function it is as good as straight. Where no atoms are
  // listed a point of few rows can take a hundredth of a second.
  const int points = law.method() == exact::Method::enumeration ? 50
                     : law.rows() < 100                         ? 100
                                                                : 2000;
  const double low = law.quantile(1e-5);
  const double width = (law.quantile(1 - 1e-5) - low) / points;
  double before = 0;
  for (int i = 0; i <= points; ++i) {
    check(stop);
    const double x = low + width * i;
    const double here = law.cdf(x);
    for (double p = (static_cast<double>(values.size()) + 0.5) * step;
         p <= here && values.size() < kDrawn; p = (static_cast<double>(values.size()) + 0.5) * step)
      values.push_back(i == 0 ? x : x - width * (here - p) / (here - before));
    before = here;
  }
  return values;
}

std::string picture(const Answer& answer, std::size_t answers, const std::stop_token& stop) {
  const Interval& interval = answer.intervals[0];
  const Marks marks{.low = interval.low,
                    .estimate = answer.law.estimate(),
                    .high = interval.high,
                    .confidence = interval.confidence};
  const PlotStyle style{.width = width(STDOUT_FILENO),
                        .height = answers == 1   ? 8U
                                  : answers <= 3 ? 4U
                                                 : 2U,
                        .utf8 = has_utf8()};
  return histogram(drawn(answer.law, stop), 0, 1, marks, style);
}

// Six digits of what is as good as exact, more where the spread needs them.
std::string rounded_to_error(double value, double error) { return rounded(value, error / 1e4); }

// "49.4286 to 126.714", "at least 49.4286".
std::string limits(const Interval& interval, double error) {
  if (interval.alternative == interval::Alternative::less)
    return fmt::format("at most {}", rounded_to_error(interval.high, error));
  if (interval.alternative == interval::Alternative::greater)
    return fmt::format("at least {}", rounded_to_error(interval.low, error));
  return fmt::format("{} to {}", rounded_to_error(interval.low, error),
                     rounded_to_error(interval.high, error));
}

std::string numbers(const Answer& answer, const std::vector<std::string>& columns) {
  const Distribution& law = answer.law;
  const double error = law.standard_error();
  std::string text = answer.label;
  text = of_column(text, columns);
  text += '\n';
  text += item("estimate", rounded_to_error(law.estimate(), error));
  text += item("standard error", rounded_to_error(error, error));
  text += item("bias", law.bias() == 0 ? "0" : rounded_to_error(law.bias(), error));
  for (const Interval& interval : answer.intervals)
    text += item(fmt::format("{:.6g}% interval", 100 * interval.confidence),
                 fmt::format("{}, {}", limits(interval, error), interval.method));
  text += item("", fmt::format("no Monte Carlo error; the distribution function is off by at most "
                               "{:.1e}",
                               law.error_bound()));
  for (const std::string& note : answer.notes) text += item("note", note);
  if (law.undefined() > 0)
    text += item("undefined",
                 fmt::format("with probability {:.3g}, which is left out above", law.undefined()));
  return text;
}

template <class Function>
Json one_or_list(const std::vector<Answer>& answers, const Function& function) {
  if (answers.size() == 1) return Json(function(answers[0]));
  Json list = Json::array();
  for (const Answer& answer : answers) list.push_back(function(answer));
  return list;
}

/// What all reports hold, in the order of the Monte Carlo report.
struct Surroundings {
  const data::Table& table;
  const Request& request;
  double read_seconds = 0;
  double seconds = 0;
  unsigned threads = 1;
  std::stop_token stop = {};
};

std::string as_json(const std::vector<Answer>& answers, const Surroundings& around) {
  Json object;
  const auto list = [&](const char* key, const auto& function) {
    object[key] = one_or_list(answers, function);
  };
  list("statistic", [](const Answer& a) { return a.label; });
  object["columns"] = around.table.names();
  list("estimate", [](const Answer& a) { return a.law.estimate(); });
  list("standard_error", [](const Answer& a) { return a.law.standard_error(); });
  list("standard_error_error", [](const Answer&) { return 0.0; });
  list("bias", [](const Answer& a) { return a.law.bias(); });
  list("bias_error", [](const Answer&) { return 0.0; });
  list("interval", [](const Answer& a) { return cli::json_of(a.intervals[0]); });
  if (answers[0].intervals.size() > 1)
    list("intervals", [](const Answer& a) {
      Json all = Json::array();
      for (const Interval& interval : a.intervals) all.push_back(cli::json_of(interval));
      return all;
    });
  if (std::any_of(answers.begin(), answers.end(), [](const Answer& a) { return !a.notes.empty(); }))
    list("notes", [](const Answer& a) { return a.notes; });
  list("undefined_replicates", [](const Answer&) { return 0; });
  list("undefined_probability", [](const Answer& a) { return a.law.undefined(); });
  list("error_bound", [](const Answer& a) { return a.law.error_bound(); });
  object["rows"] = around.table.view().rows();
  object["omitted_rows"] = around.table.omitted();
  object["filtered_rows"] = around.table.filtered();
  object["replicates"] = "exact";
  object["seed"] = around.request.options.seed;
  object["plan"] = {
      {"path", "exact"},
      {"method", one_or_list(answers, [](const Answer& a) { return exact::name(a.law.method()); })},
      {"reason", one_or_list(answers, [](const Answer& a) { return a.law.reason(); })}};
  object["simd"] = execution::name(execution::default_level());
  object["threads"] = around.threads;
  object["seconds"] = around.seconds;
  object["read_seconds"] = around.read_seconds;
  object["peak_memory_bytes"] = peak_memory();
  return dump(object);
}

std::string as_text(const std::vector<Answer>& answers, const Surroundings& around) {
  std::string text;
  for (const Answer& answer : answers) {
    text += numbers(answer, around.table.names());
    if (around.request.quiet) continue;
    const std::string drawing = picture(answer, answers.size(), around.stop);
    text += drawing.empty() ? "\n" : "\n" + drawing + "\n";
    text += item("plan", fmt::format("exact, {}: {}", exact::name(answer.law.method()),
                                     answer.law.reason()));
  }
  if (around.request.quiet) return text;
  const std::size_t omitted = around.table.omitted();
  text += item(
      "work",
      fmt::format("the law over all resamples of {} rows{}", grouped(around.table.view().rows()),
                  omitted > 0 ? fmt::format(" ({} with NaN left out)", grouped(omitted)) : ""));
  text += item("time", fmt::format("{} ({} thread{}, {})", duration(around.seconds), around.threads,
                                   around.threads == 1 ? "" : "s",
                                   execution::name(execution::default_level())));
  if (const std::size_t peak = peak_memory(); peak > 0)
    text += item("peak memory", bytes(static_cast<double>(peak)));
  return text;
}

bool has_exact(interval::Method method) {
  return method == interval::Method::normal || method == interval::Method::basic ||
         method == interval::Method::percentile || method == interval::Method::bca;
}

// The interval of a law by one of the methods that need no replicates.
Interval interval_of(const Distribution& law, interval::Method method, const Question& question,
                     const Request& request) {
  const exact::IntervalOptions options{request.interval.confidence, request.interval.alternative};
  switch (method) {
    case interval::Method::percentile:
      return law.percentile(options);
    case interval::Method::basic:
      return law.basic(options);
    case interval::Method::normal:
      return law.normal(options);
    default:  // check_exact() leaves no other but bca
      break;
  }
  const Influence found = influence(question.data, question.statistic, request.options)[0];
  if (!found.usable())
    throw InvalidArgument(
        fmt::format("--interval bca has no acceleration: {}; use percentile", found.problem));
  const bool strict = request.interval.convention == interval::Convention::r;
  return law.bca(found.acceleration(), options, strict ? exact::Ties::strict : exact::Ties::half);
}

// By all methods asked for. BCa may not be available; of --interval all it is then left out.
void add_intervals(Answer& answer, const Question& question, const Request& request,
                   const std::stop_token& stop) {
  std::size_t percentile = 0;  // its place among them, if it is there
  for (const interval::Method method : request.methods) {
    check(stop);
    try {
      if (method == interval::Method::percentile) percentile = answer.intervals.size();
      answer.intervals.push_back(interval_of(answer.law, method, question, request));
    } catch (const InvalidArgument& error) {
      if (!request.all_methods || method != interval::Method::bca) throw;
      answer.notes.emplace_back(fmt::format("bca is not available: {}", error.what()));
    }
  }
  // Without BCa percentile is the main one, which comes first.
  const auto first = answer.intervals.begin();
  const auto place = first + static_cast<std::ptrdiff_t>(percentile);
  if (!answer.notes.empty()) std::rotate(first, place, place + 1);
}

}  // namespace

void check_exact(const Arguments& arguments, Request& request) {
  if (!arguments.output.empty())
    throw InvalidArgument(
        "--replicates exact makes no replicates to write; omit --output or give a number");
  if (!arguments.plot.empty())
    throw InvalidArgument(
        "--replicates exact makes no replicates to draw; omit --plot or give a number");
  if (!arguments.path.empty())
    throw InvalidArgument(
        "--path chooses how replicates are made, and --replicates exact makes none; omit one");
  if (!arguments.save.empty())
    throw InvalidArgument(
        "--replicates exact makes no replicates to save; omit --save or give a number");
  if (!arguments.precision.empty())
    throw InvalidArgument("--precision is for --replicates auto; exact has no Monte Carlo error");
  const SchemeArguments& scheme = arguments.scheme;
  if ((!scheme.scheme.empty() && scheme.scheme != "iid") || !scheme.size.empty() ||
      !scheme.strata.empty() || !scheme.cluster.empty() || !scheme.block_length.empty() ||
      !scheme.probabilities.empty() || !scheme.weights.empty() || !scheme.frequencies.empty())
    throw InvalidArgument(
        "--replicates exact is for the plain iid bootstrap; leave scheme and weights out or give a "
        "number "
        "of replicates");
  const std::vector<std::string> names = split_list(arguments.intervals);
  std::erase_if(request.methods, [&](interval::Method method) {
    return request.all_methods && !has_exact(method) &&
           std::find(names.begin(), names.end(), interval::name(method)) == names.end();
  });
  for (const interval::Method method : request.methods)
    if (!has_exact(method))
      throw InvalidArgument(fmt::format(
          "--interval is {} but --replicates exact has normal, basic, percentile and bca",
          interval::name(method)));
}

std::string exact_report(const data::Table& table, const Request& request, double read_seconds,
                         const Interrupt& interrupt) {
  const Timer timer;
  ProgressBar bar(request.quiet);
  exact::Options options;
  options.execution = request.options.execution;
  options.execution.stop = interrupt.token();
  options.execution.progress = bar.callback();
  std::vector<Answer> answers;
  for (const Question& question : questions(table, request)) {
    const Distribution law = exact::distribution(question.data, question.statistic, options);
    Answer answer{label_of(question, law.output()), law, {}, {}};
    add_intervals(answer, question, request, interrupt.token());
    answers.push_back(std::move(answer));
  }
  const Surroundings around{table,
                            request,
                            read_seconds,
                            timer.seconds(),
                            execution::thread_count(options.execution),
                            interrupt.token()};
  return request.json ? as_json(answers, around) : as_text(answers, around);
}

std::string exact_forecast(const data::Table& table, const Request& request) {
  exact::Options options;
  options.execution = request.options.execution;
  std::vector<std::string> labels;
  std::vector<std::string> methods;
  std::vector<std::string> reasons;
  for (const Question& question : questions(table, request)) {
    const exact::Outline outline = exact::outline(question.data, question.statistic, options);
    labels.push_back(label_of(question, outline.output));
    methods.emplace_back(exact::name(outline.method));
    reasons.push_back(outline.reason);
  }
  if (request.json) {
    const auto list = [](const std::vector<std::string>& all) {
      return all.size() == 1 ? Json(all[0]) : Json(all);
    };
    Json object;
    object["statistic"] = list(labels);
    object["columns"] = table.names();
    object["rows"] = table.view().rows();
    object["omitted_rows"] = table.omitted();
    object["filtered_rows"] = table.filtered();
    object["replicates"] = "exact";
    object["seed"] = request.options.seed;
    object["plan"] = {{"path", "exact"}, {"method", list(methods)}, {"reason", list(reasons)}};
    return dump(object);
  }
  std::string text;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += labels[i] + '\n';
    text += item(
        "work", fmt::format("the law over all resamples of {} rows", grouped(table.view().rows())));
    text += item("path", fmt::format("exact, {}", methods[i]));
    text += item("reason", reasons[i]);
  }
  return text;
}

}  // namespace bootfold::cli
