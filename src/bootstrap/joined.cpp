#include "bootstrap/joined.h"

#include <algorithm>
#include <utility>

#include "text/concat.h"

namespace bootfold {

namespace {

using Outputs = std::span<const std::vector<std::size_t>>;

/// Values [any number][output of a run] of all runs, side by side. Runs without values leave 0.
template <class Of>
std::vector<double> side_by_side(const std::vector<Result>& results, Outputs outputs,
                                 std::size_t count, std::size_t width, const Of& of) {
  std::vector<double> all(count * width);
  for (std::size_t run = 0; run < results.size(); ++run) {
    const std::span<const double> own = of(results[run]);
    if (own.empty()) continue;
    const std::vector<std::size_t>& places = outputs[run];
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < places.size(); ++k)
        all[i * width + places[k]] = own[i * places.size() + k];
  }
  return all;
}

template <class Of>
bool any(const std::vector<Result>& results, const Of& of) {
  return std::ranges::any_of(results, [&](const Result& each) { return !of(each).empty(); });
}

/// Moves what each run has of each output to its place.
template <class Item, class Of>
std::vector<Item> by_output(const std::vector<Result>& results, Outputs outputs, std::size_t width,
                            const Of& of) {
  std::vector<Item> all(width);
  for (std::size_t run = 0; run < results.size(); ++run) {
    const std::vector<Item>& own = of(results[run]);
    for (std::size_t k = 0; k < own.size(); ++k) all[outputs[run][k]] = own[k];
  }
  return all;
}

}  // namespace

Plan joined(std::vector<Plan> plans, Outputs outputs, std::vector<std::string> columns,
            std::vector<std::string> names) {
  Plan all = plans[0];
  all.columns = std::move(columns);
  all.outputs = std::move(names);
  all.reason = text::concat(plans.size(), " runs, one for each kind of statistic");
  all.seconds = 0;
  all.result_bytes = 0;
  all.reads = 0;
  all.fingerprint = plans.size();
  for (std::size_t run = 0; run < plans.size(); ++run) {
    Plan& plan = plans[run];
    plan.outputs.clear();
    for (const std::size_t output : outputs[run]) plan.outputs.push_back(all.outputs[output]);
    all.seconds += plan.seconds;
    all.result_bytes += plan.result_bytes;
    all.working_bytes = std::max(all.working_bytes, plan.working_bytes);
    all.digits = std::max(all.digits, plan.digits);
    all.sum_error = std::max(all.sum_error, plan.sum_error);
    all.reads += plan.reads;
    all.fingerprint = (all.fingerprint ^ plan.fingerprint) * 0x9E3779B97F4A7C15U;
    all.fingerprint ^= all.fingerprint >> 32;
  }
  all.runs = std::move(plans);
  return all;
}

Result joined(Plan plan, std::vector<Result> results, Outputs outputs) {
  const std::size_t width = plan.outputs.size();
  const std::size_t count = plan.replicates;
  const std::uint64_t seed = results[0].seed();
  std::vector<double> estimates(width);
  for (std::size_t run = 0; run < results.size(); ++run)
    for (std::size_t k = 0; k < outputs[run].size(); ++k)
      estimates[outputs[run][k]] = results[run].estimate(k);

  Companions all;
  const auto influences = [](const Result& r) -> const auto& { return r.companions().influences; };
  const auto curves = [](const Result& r) -> const auto& { return r.companions().abc_curves; };
  const auto errors = [](const Result& r) -> const auto& {
    return r.companions().replicate_errors;
  };
  const auto parts = [](const Result& r) -> const auto& { return r.companions().linear_parts; };
  if (any(results, influences))
    all.influences = by_output<Influence>(results, outputs, width, influences);
  if (any(results, curves)) all.abc_curves = by_output<AbcCurve>(results, outputs, width, curves);
  if (any(results, errors)) {
    all.replicate_errors = side_by_side(results, outputs, count, width, errors);
    all.estimate_errors = by_output<double>(
        results, outputs, width,
        [](const Result& r) -> const auto& { return r.companions().estimate_errors; });
    all.errors_from = by_output<ErrorSource>(
        results, outputs, width,
        [](const Result& r) -> const auto& { return r.companions().errors_from; });
    for (const Result& each : results) {
      const std::string& method = each.companions().error_method;
      if (all.error_method.find(method) != std::string::npos) continue;
      all.error_method += (all.error_method.empty() ? "" : "; ") + method;
    }
  }
  if (any(results, parts)) all.linear_parts = side_by_side(results, outputs, count, width, parts);
  if (any(
          results, [](const Result& r) -> const auto& { return r.companions().centres; })) {
    all.centres.resize(width);
    for (std::size_t run = 0; run < results.size(); ++run)
      for (std::size_t k = 0; k < outputs[run].size(); ++k)
        all.centres[outputs[run][k]] = results[run].centre(k);
  }
  all.jackknife = results[0].companions().jackknife;
  std::vector<double> replicates =
      side_by_side(results, outputs, count, width, [](const Result& r) { return r.replicates(); });
  return {std::move(plan), seed, std::move(estimates), std::move(replicates), std::move(all)};
}

}  // namespace bootfold
