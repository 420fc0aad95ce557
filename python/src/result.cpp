#include "result.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <string_view>

#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "modules.h"
#include "request.h"
#include "text/concat.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

/// One number for each output.
template <class Number>
std::vector<Number> each(const Handle& handle, Number (Result::*number)(std::size_t) const) {
  std::vector<Number> all;
  for (std::size_t k = 0; k < handle.result.outputs(); ++k)
    all.push_back((handle.result.*number)(k));
  return all;
}

/// The replicates where they lie: [replicate][output].
nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::c_contig> replicates(nb::handle self) {
  const Result& result = nb::cast<const Handle&>(self).result;
  const std::size_t outputs = result.outputs();
  return {result.replicates().data(), {result.replicates().size() / outputs, outputs}, self};
}

std::vector<Interval> intervals(const Handle& handle, std::string_view method, double confidence,
                                std::string_view alternative, std::string_view convention,
                                bool strict) {
  interval::Options options{.confidence = confidence,
                            .alternative = interval::parse_alternative(alternative),
                            .convention = interval::parse_convention(convention),
                            .strict = strict};
  const interval::Method parsed = interval::parse_method(method);
  const nb::gil_scoped_release released;
  return handle.reading([&](const Result& result) {
    std::vector<Interval> found;
    for (options.output = 0; options.output < result.outputs(); ++options.output)
      found.push_back(interval::make(parsed, result, options));
    return found;
  });
}

/// What intervals() refuses for any result.
void check_interval(std::string_view method, double confidence, std::string_view alternative) {
  static_cast<void>(interval::parse_method(method));
  static_cast<void>(interval::parse_alternative(alternative));
  interval::check_confidence(confidence);
}

std::unique_ptr<Handle> extended(const Handle& handle, const Handle& later) {
  const nb::gil_scoped_release released;
  Result whole = handle.reading([](const Result& result) { return result; });
  whole.append(later.result);
  return std::make_unique<Handle>(std::move(whole));
}

using Replicates = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A result of replicates that were made otherwise: [replicate][output].
std::unique_ptr<Handle> made(Plan plan, std::uint64_t seed, std::vector<double> estimates,
                             const Replicates& values, std::vector<std::string> outputs,
                             std::vector<double> centres) {
  if (!outputs.empty()) plan.outputs = std::move(outputs);
  plan.replicates = values.shape(0);
  plan.result_bytes = values.size() * sizeof(double);
  Companions companions;
  companions.centres = std::move(centres);
  return std::make_unique<Handle>(Result(
      std::move(plan), seed, std::move(estimates),
      std::vector<double>(values.data(), values.data() + values.size()), std::move(companions)));
}

/// The fingerprints of several runs, in their order, as one.
std::uint64_t joined_fingerprint(const std::vector<const Plan*>& plans) {
  std::uint64_t hash = plans.size();
  for (const Plan* plan : plans) {  // SplitMix64
    hash = (hash ^ plan->fingerprint) + 0x9E3779B97F4A7C15U;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9U;
    hash = (hash ^ hash >> 27) * 0x94D049BB133111EBU;
    hash ^= hash >> 31;
  }
  return hash;
}

/// The plan of runs on several data sets, one after the other.
Plan joined_plan(const std::vector<const Plan*>& plans) {
  Plan whole = *plans.at(0);
  whole.outputs.clear();
  whole.result_bytes = 0;
  whole.seconds = 0;
  for (const Plan* plan : plans) {
    whole.result_bytes += plan->result_bytes;
    whole.seconds += plan->seconds;
  }
  for (std::size_t k = 0; k < plans[0]->outputs.size(); ++k)
    for (std::size_t p = 0; p < plans.size(); ++p)
      whole.outputs.push_back(text::concat(plans[p]->outputs.at(k), "[", p, "]"));
  whole.fingerprint = joined_fingerprint(plans);
  return whole;
}

/// Results of equally many replicates side by side: output k of all, then output k + 1 of all.
std::unique_ptr<Handle> joined(const std::vector<const Handle*>& parts) {
  const Result& first = parts.at(0)->result;
  const std::size_t outputs = first.outputs();
  const std::size_t width = outputs * parts.size();
  const std::size_t count = first.replicates().size() / outputs;
  std::vector<const Plan*> plans;
  for (const Handle* part : parts) plans.push_back(&part->result.plan());
  Companions companions;
  companions.jackknife = first.companions().jackknife;
  companions.error_method = first.companions().error_method;
  std::vector<double> estimates;
  std::vector<double> values(count * width);
  if (!first.companions().replicate_errors.empty())
    companions.replicate_errors.resize(count * width);
  if (!first.companions().linear_parts.empty()) companions.linear_parts.resize(count * width);
  const auto add = [](auto& all, const auto& found, std::size_t k) {
    if (!found.empty()) all.push_back(found.at(k));
  };
  bool centred = false;
  for (std::size_t k = 0; k < outputs; ++k)
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Result& part = parts[p]->result;
      const Companions& own = part.companions();
      estimates.push_back(part.estimate(k));
      companions.centres.push_back(part.centre(k));
      centred = centred || !own.centres.empty();
      add(companions.influences, own.influences, k);
      add(companions.abc_curves, own.abc_curves, k);
      add(companions.estimate_errors, own.estimate_errors, k);
      add(companions.errors_from, own.errors_from, k);
      for (std::size_t r = 0; r < count; ++r) {
        const std::size_t at = r * width + k * parts.size() + p;
        values[at] = part.replicate(r, k);
        if (!own.replicate_errors.empty())
          companions.replicate_errors[at] = own.replicate_errors[r * outputs + k];
        if (!own.linear_parts.empty() && !companions.linear_parts.empty())
          companions.linear_parts[at] = own.linear_parts[r * outputs + k];
      }
    }
  if (!centred) companions.centres.clear();
  return std::make_unique<Handle>(Result(joined_plan(plans), first.seed(), std::move(estimates),
                                         std::move(values), std::move(companions)));
}

/// What the parts of a joined result found about their rows.
void add_joined_influences(Handle& whole, const std::vector<const Handle*>& parts) {
  std::vector<Influence> influences;
  std::vector<AbcCurve> curves;
  for (std::size_t k = 0; k < parts.at(0)->result.outputs(); ++k)
    for (const Handle* part : parts) {
      influences.push_back(part->result.companions().influences.at(k));
      curves.push_back(part->result.companions().abc_curves.at(k));
    }
  whole.add(std::move(influences), std::move(curves));
}

}  // namespace

void bind_result(nb::module_& m) {
  nb::class_<Interval>(m, "Interval", "Two limits, and what another seed would change in each.")
      .def_ro("method", &Interval::method)
      .def_ro("confidence", &Interval::confidence)
      .def_ro("low", &Interval::low)
      .def_ro("high", &Interval::high)
      .def_ro("low_error", &Interval::low_error)
      .def_ro("high_error", &Interval::high_error)
      .def_prop_ro("alternative", [](const Interval& i) { return interval::name(i.alternative); })
      .def_prop_ro("status", [](const Interval& i) { return interval::name(i.status); })
      .def_ro("fallback", &Interval::fallback)
      .def_ro("reason", &Interval::reason)
      .def_ro("note", &Interval::note);

  nb::class_<Handle>(m, "Result", "What a bootstrap found; bootfold.Result shows it.")
      .def_prop_ro("plan", [](const Handle& h) { return h.result.plan(); })
      .def_prop_ro("seed", [](const Handle& h) { return h.result.seed(); })
      .def_prop_ro("jackknife", [](const Handle& h) { return h.result.companions().jackknife; })
      .def_prop_ro("outputs", [](const Handle& h) { return h.result.plan().outputs; })
      .def_prop_ro("estimates", [](const Handle& h) { return each(h, &Result::estimate); })
      .def_prop_ro("standard_errors",
                   [](const Handle& h) { return each(h, &Result::standard_error); })
      .def_prop_ro("standard_error_errors",
                   [](const Handle& h) { return each(h, &Result::standard_error_error); })
      .def_prop_ro("centres", [](const Handle& h) { return each(h, &Result::centre); })
      .def_prop_ro("biases", [](const Handle& h) { return each(h, &Result::bias); })
      .def_prop_ro("bias_errors", [](const Handle& h) { return each(h, &Result::bias_error); })
      .def_prop_ro("undefined", [](const Handle& h) { return each(h, &Result::undefined); })
      .def_prop_ro("replicates", &replicates)
      .def_prop_ro("has_influences",
                   [](const Handle& h) {
                     return h.reading([](const Result& result) {
                       return !result.companions().influences.empty();
                     });
                   })
      .def_prop_ro("has_abc_curves",
                   [](const Handle& h) {
                     return h.reading([](const Result& result) {
                       return !result.companions().abc_curves.empty();
                     });
                   })
      .def_prop_ro("has_standard_errors",
                   [](const Handle& h) { return !h.result.companions().replicate_errors.empty(); })
      .def("intervals", &intervals, "method"_a, "confidence"_a, "alternative"_a,
           "convention"_a = "numpy", "strict"_a = false, "One for each output.")
      .def("extended", &extended, "later"_a,
           "These replicates and those of a run that continued this one.")
      .def(
          "save",
          [](const Handle& h, const std::string& path) {
            const nb::gil_scoped_release released;
            h.reading([&](const Result& result) { result.save(path); });
          },
          "path"_a)
      .def_static("made", &made, "plan"_a, "seed"_a, "estimates"_a, "values"_a,
                  "outputs"_a = std::vector<std::string>(), "centres"_a = std::vector<double>(),
                  "A result of replicates that were made otherwise.")
      .def_static("joined", &joined, "parts"_a, "Results of several data sets side by side.")
      .def("add_joined_influences", &add_joined_influences, "parts"_a)
      .def_static(
          "load",
          [](const std::string& path) {
            const nb::gil_scoped_release released;
            return std::make_unique<Handle>(Result::load(path));
          },
          "path"_a);
  m.def("check_interval", &check_interval, "method"_a, "confidence"_a, "alternative"_a,
        "Raises ValueError for an interval that no result has.");
  m.def(
      "check_method",
      [](std::string_view method, const Request& request) {
        interval::check_method(interval::parse_method(method), request.scheme());
      },
      "method"_a, "request"_a, "Raises ValueError for an interval that no such run has.");
  m.def("joined_plan", &joined_plan, "plans"_a, "The plan of Result.joined().");
}

}  // namespace bootfold::python
