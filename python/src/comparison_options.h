// What a comparison is asked for, in the words of Python.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/compare.h"

namespace bootfold::python {

/// Groups and methods of a comparison by name. Throws InvalidArgument for a name that is none.
inline comparison::Options comparison_options(
    std::optional<std::string> control, std::vector<std::string> groups,
    const std::string& difference, const std::string& interval, const std::string& correction,
    double confidence, const std::string& alternative, std::uint64_t replicates) {
  comparison::Options options;
  options.control = std::move(control);
  options.groups = std::move(groups);
  options.difference = comparison::parse_difference(difference);
  options.interval = interval::parse_method(interval);
  options.correction = comparison::parse_correction(correction);
  options.confidence = confidence;
  options.alternative = interval::parse_alternative(alternative);
  options.replicates = replicates;
  return options;
}

}  // namespace bootfold::python
