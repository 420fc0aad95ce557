// Settings drawn at random from ranges.
#include "bootfold/ensemble/sampling.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "modules.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;
using ensemble::RangeOption;
using ensemble::Settings;

using Ends = std::tuple<double, double>;

/// Names of settings that have ranges, with the range that they have by default.
std::vector<std::tuple<std::string, std::optional<Ends>>> range_options() {
  std::vector<std::tuple<std::string, std::optional<Ends>>> found;
  for (const RangeOption& option : ensemble::range_options())
    found.emplace_back(option.name, option.usual
                                        ? std::optional(Ends(option.usual->low, option.usual->high))
                                        : std::nullopt);
  return found;
}

Ends parse_range(std::string_view name, std::string_view text) {
  const auto options = ensemble::range_options();
  const auto option = std::ranges::find(options, name, &RangeOption::name);
  if (option == options.end()) throw nb::value_error("the setting has no ranges");
  const ensemble::ValueRange range = ensemble::parse_range(*option, name, text);
  return {range.low, range.high};
}

std::vector<Settings> sample_settings(std::size_t count, std::vector<Settings> bases,
                                      const std::map<std::string, Ends>& ranges,
                                      std::uint64_t seed) {
  ensemble::SamplingOptions options{.ranges = {}, .bases = std::move(bases), .seed = seed};
  for (const auto& [name, ends] : ranges)
    options.ranges[name] = {std::get<0>(ends), std::get<1>(ends)};
  return ensemble::sample_settings(count, options);
}

}  // namespace

void bind_sampling(nb::module_& m) {
  m.def("range_options", &range_options, "Settings that have ranges, with their default ranges.");
  m.def("parse_range", &parse_range, "name"_a, "text"_a, "The ends of '1e-4..1e-2'.");
  m.def("sample_settings", &sample_settings, "count"_a, "bases"_a, "ranges"_a, "seed"_a,
        "Settings drawn from ranges, each beginning with one of the bases.");
}

}  // namespace bootfold::python
