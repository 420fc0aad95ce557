#include "origin.h"

#include <fmt/format.h>

#include <filesystem>

#include "bootfold/error.h"
#include "bootfold/version.h"
#include "json.h"
#include "text.h"

namespace bootfold::cli {
namespace {

// One list for both directions: what is written is what is read.
template <class See>
void for_each_argument(auto& arguments, See&& see) {
  see("files", arguments.files);
  see("column", arguments.columns);
  see("statistic", arguments.statistics);
  see("seed", arguments.seed);
  see("interval", arguments.intervals);
  see("confidence", arguments.confidence);
  see("alternative", arguments.alternative);
  see("convention", arguments.convention);
  see("strict", arguments.strict);
  see("nested_replicates", arguments.nested_replicates);
  see("joint", arguments.joint);
  see("tolerance", arguments.tolerance);
  see("nan", arguments.nan);
  see("where", arguments.where);
  see("header", arguments.header);
  see("delimiter", arguments.dialect.delimiter);
  see("decimal", arguments.dialect.decimal);
  see("thousands", arguments.dialect.thousands);
  see("missing", arguments.dialect.missing);
  see("scheme", arguments.scheme.scheme);
  see("size", arguments.scheme.size);
  see("rescale", arguments.scheme.rescale);
  see("strata", arguments.scheme.strata);
  see("cluster", arguments.scheme.cluster);
  see("two_stage", arguments.scheme.two_stage);
  see("block_length", arguments.scheme.block_length);
  see("weights", arguments.scheme.weights);
  see("frequencies", arguments.scheme.frequencies);
  see("probabilities", arguments.scheme.probabilities);
}

}  // namespace

std::string origin_of(const Arguments& arguments) {
  Arguments whole = arguments;
  std::error_code ignored;
  for (std::string& file : whole.files)
    if (file != "-") file = std::filesystem::absolute(file, ignored).lexically_normal().string();
  Json json{{"program", "bootfold bootstrap"}, {"version", kVersion}};
  for_each_argument(whole, [&](const char* name, const auto& value) { json[name] = value; });
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Arguments arguments_of(const std::string& origin, const std::string& path) {
  if (origin.empty())
    throw DataError(fmt::format(
        "{} does not tell which data it was made from, so it cannot be extended; only files that "
        "bootfold bootstrap ... --save has written do (in Python: Result.extend)",
        one_line(path)));
  Arguments arguments;
  try {
    const Json json = Json::parse(origin);
    for_each_argument(arguments,
                      [&](const char* name, auto& value) { json.at(name).get_to(value); });
  } catch (const Json::exception&) {
    throw DataError(
        fmt::format("{} was not saved by bootfold bootstrap, or by another version that stores "
                    "other options, so it cannot be extended",
                    one_line(path)));
  }
  return arguments;
}

}  // namespace bootfold::cli
