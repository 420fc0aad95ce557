// Results in files: numbers as arrays, words as JSON.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "data/safetensors.h"
#include "text/concat.h"

namespace bootfold {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "bootfold result 3";
constexpr const char* kAnyFormat = "bootfold result ";
constexpr std::size_t kInfluenceNumbers = 6;
constexpr std::size_t kCurveNumbers = 8;
constexpr std::size_t kCurveValues = AbcCurve::kValues;

Json words_of(const Plan& plan) {
  Json runs = Json::array();
  for (const Plan& run : plan.runs) runs.push_back(words_of(run));
  Json words = {{"path", name(plan.path)},
                {"runs", std::move(runs)},
                {"reason", plan.reason},
                {"scheme", plan.scheme},
                {"rows", plan.rows},
                {"draws", plan.draws},
                {"units", plan.units},
                {"fixed_units", plan.fixed_units},
                {"rescale", plan.rescale},
                {"first_replicate", plan.first_replicate},
                {"replicates", plan.replicates},
                {"fingerprint", plan.fingerprint},
                {"columns", plan.columns},
                {"outputs", plan.outputs},
                {"threads", plan.threads},
                {"level", execution::name(plan.level)},
                {"working_bytes", plan.working_bytes},
                {"memory_limit", plan.memory_limit},
                {"result_bytes", plan.result_bytes},
                {"seconds", plan.seconds},
                {"digits", plan.digits},
                {"sum_error", plan.sum_error},
                {"arithmetic", plan.arithmetic},
                {"distinct_rows", plan.distinct_rows}};
  if (!plan.weights.empty()) words["weights"] = plan.weights;
  return words;
}

Plan plan_of(const Json& words) {
  Plan plan;
  plan.path = parse_path(words.at("path").get<std::string>());
  words.at("reason").get_to(plan.reason);
  words.at("scheme").get_to(plan.scheme);
  words.at("rows").get_to(plan.rows);
  words.at("draws").get_to(plan.draws);
  words.at("units").get_to(plan.units);
  words.at("fixed_units").get_to(plan.fixed_units);
  words.at("rescale").get_to(plan.rescale);
  words.at("first_replicate").get_to(plan.first_replicate);
  words.at("replicates").get_to(plan.replicates);
  words.at("fingerprint").get_to(plan.fingerprint);
  words.at("columns").get_to(plan.columns);
  words.at("outputs").get_to(plan.outputs);
  words.at("threads").get_to(plan.threads);
  // The instruction set may be one that this build does not have: only its name is of interest.
  using enum execution::Level;
  for (const auto level : {portable, avx2, avx512, neon, dotprod})
    if (execution::name(level) == words.at("level").get<std::string>()) plan.level = level;
  words.at("working_bytes").get_to(plan.working_bytes);
  plan.memory_limit = words.value("memory_limit", std::size_t{0});
  words.at("result_bytes").get_to(plan.result_bytes);
  words.at("seconds").get_to(plan.seconds);
  words.at("digits").get_to(plan.digits);
  words.at("sum_error").get_to(plan.sum_error);
  words.at("arithmetic").get_to(plan.arithmetic);
  words.at("distinct_rows").get_to(plan.distinct_rows);
  plan.weights = words.value("weights", "");
  if (words.contains("runs"))
    for (const Json& run : words.at("runs")) plan.runs.push_back(plan_of(run));
  return plan;
}

Influence::Unit unit_of(int number, data::SafetensorsFile& file) {
  if (number < 0 || number > static_cast<int>(Influence::Unit::cluster))
    file.fail("the unit of an influence is unknown");
  return static_cast<Influence::Unit>(number);
}

/// Checks the shape and reads.
std::vector<double> array(data::SafetensorsFile& file, const std::string& name,
                          const std::vector<std::size_t>& shape) {
  if (file.entry(name).shape != shape)
    file.fail(
        text::concat("array '", name, "' does not have the shape that the other arrays imply"));
  return file.doubles(name);
}

}  // namespace

void Result::save(const std::string& path) const {
  const std::size_t count = replicates_.size() / std::max<std::size_t>(1, outputs());
  Json words{{"seed", seed_}, {"plan", words_of(plan_)}};
  std::vector<double> influences;
  for (const Influence& found : companions_.influences) {
    words["influences"].push_back({{"method", found.method},
                                   {"deleted", found.deleted},
                                   {"unit", static_cast<int>(found.unit)},
                                   {"undefined", found.undefined},
                                   {"problem", found.problem}});
    influences.insert(influences.end(), {found.rows, found.second, found.third, found.mean,
                                         found.estimate, found.shift});
  }
  std::vector<double> numbers;
  std::vector<double> curves;
  for (const AbcCurve& curve : companions_.abc_curves) {
    words["abc_problems"].push_back(curve.problem);
    numbers.insert(numbers.end(),
                   {curve.estimate, curve.deviation, curve.acceleration, curve.curvature,
                    curve.smooth.from, curve.smooth.to, curve.known.from, curve.known.to});
    std::vector<double> values = curve.values;
    values.resize(kCurveValues, std::numeric_limits<double>::quiet_NaN());
    curves.insert(curves.end(), values.begin(), values.end());
  }
  words["error_method"] = companions_.error_method;
  for (const ErrorSource source : companions_.errors_from)
    words["errors_from_replicates"].push_back(source == ErrorSource::replicates);
  if (companions_.jackknife) words["jackknife"] = true;
  if (!origin_.empty()) words["origin"] = origin_;

  std::vector<data::Tensor> tensors = {{"estimates", {outputs()}, estimates_},
                                       {"replicates", {count, outputs()}, replicates_}};
  if (!companions_.centres.empty())
    tensors.emplace_back("centres", std::vector{outputs()}, companions_.centres);
  if (!influences.empty())
    tensors.emplace_back("influences", std::vector{outputs(), kInfluenceNumbers}, influences);
  if (!numbers.empty()) {
    tensors.emplace_back("abc_numbers", std::vector{outputs(), kCurveNumbers}, numbers);
    tensors.emplace_back("abc_curves", std::vector{outputs(), kCurveValues}, curves);
  }
  if (!companions_.replicate_errors.empty()) {
    tensors.emplace_back("estimate_errors", std::vector{outputs()}, companions_.estimate_errors);
    tensors.emplace_back("replicate_errors", std::vector{count, outputs()},
                         companions_.replicate_errors);
  }
  if (!companions_.linear_parts.empty())
    tensors.emplace_back("linear_parts", std::vector{count, outputs()}, companions_.linear_parts);
  data::write_safetensors(
      path,
      {{"format", kFormat},
       {"bootfold", words.dump(-1, ' ', false, Json::error_handler_t::replace)}},
      tensors);
}

namespace {

void require_format(const data::SafetensorsFile& file) {
  const auto found = file.words().find("format");
  const std::string format = found == file.words().end() ? "" : found->second;
  if (format == kFormat && file.words().contains("bootfold")) return;
  if (format.starts_with(kAnyFormat) && format < kFormat)
    file.fail(text::concat("an earlier version of bootfold wrote it, in the format '", format,
                           "'; run the bootstrap again and save its result"));
  if (format.starts_with(kAnyFormat))
    file.fail(text::concat("its format is '", format, "' but this version of bootfold reads '",
                           kFormat, "'; a later version wrote it, so update bootfold"));
  file.fail(text::concat(
      "it does not contain a result that bootfold has saved (its format is not '", kFormat, "')"));
}

}  // namespace

Result Result::load(const std::string& path) {
  data::SafetensorsFile file(path);
  require_format(file);
  try {
    const Json words = Json::parse(file.words().at("bootfold"));
    Plan plan = plan_of(words.at("plan"));
    const std::size_t outputs = plan.outputs.size();
    const auto count = static_cast<std::size_t>(plan.replicates);
    if (outputs == 0 || count == 0) file.fail("it holds no replicates");
    Companions companions;
    if (file.has("centres")) companions.centres = array(file, "centres", {outputs});
    if (file.has("influences")) {
      const std::vector<double> numbers = array(file, "influences", {outputs, kInfluenceNumbers});
      for (std::size_t k = 0; k < outputs; ++k) {
        const Json& text = words.at("influences").at(k);
        const double* number = numbers.data() + k * kInfluenceNumbers;
        Influence found;
        text.at("method").get_to(found.method);
        text.at("deleted").get_to(found.deleted);
        found.unit = unit_of(text.at("unit").get<int>(), file);
        text.at("undefined").get_to(found.undefined);
        text.at("problem").get_to(found.problem);
        found.rows = number[0];
        found.second = number[1];
        found.third = number[2];
        found.mean = number[3];
        found.estimate = number[4];
        found.shift = number[5];
        companions.influences.push_back(std::move(found));
      }
    }
    if (file.has("abc_numbers")) {
      const std::vector<double> numbers = array(file, "abc_numbers", {outputs, kCurveNumbers});
      const std::vector<double> curves = array(file, "abc_curves", {outputs, kCurveValues});
      for (std::size_t k = 0; k < outputs; ++k) {
        const double* number = numbers.data() + k * kCurveNumbers;
        const auto first = curves.begin() + static_cast<std::ptrdiff_t>(k * kCurveValues);
        companions.abc_curves.push_back({number[0],
                                         number[1],
                                         number[2],
                                         number[3],
                                         {number[4], number[5]},
                                         {number[6], number[7]},
                                         {first, first + kCurveValues},
                                         words.at("abc_problems").at(k).get<std::string>()});
      }
    }
    if (file.has("replicate_errors")) {
      companions.estimate_errors = array(file, "estimate_errors", {outputs});
      companions.replicate_errors = array(file, "replicate_errors", {count, outputs});
      for (std::size_t k = 0; k < outputs; ++k)
        companions.errors_from.push_back(words.at("errors_from_replicates").at(k).get<bool>()
                                             ? ErrorSource::replicates
                                             : ErrorSource::data);
    }
    if (file.has("linear_parts"))
      companions.linear_parts = array(file, "linear_parts", {count, outputs});
    words.at("error_method").get_to(companions.error_method);
    companions.jackknife = words.value("jackknife", false);
    if (companions.jackknife && companions.influences.empty())
      file.fail("it is a jackknife result without influences");
    const auto seed = words.at("seed").get<std::uint64_t>();
    Result result(std::move(plan), seed, array(file, "estimates", {outputs}),
                  array(file, "replicates", {count, outputs}), std::move(companions));
    result.set_origin(words.value("origin", ""));
    return result;
  } catch (const Json::exception&) {
    file.fail("the metadata of the result are invalid");
  } catch (const InvalidArgument& error) {
    file.fail(error.what());
  }
}

}  // namespace bootfold
