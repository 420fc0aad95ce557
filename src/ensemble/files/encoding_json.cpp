#include "ensemble/files/encoding_json.h"

#include <algorithm>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMostShared = 65'536;

void require(bool good, std::size_t input, const char* what) {
  if (!good)
    throw InvalidArgument(text::concat("the encoding of input ", input + 1, " is damaged: ", what));
}

Json json_of(const InputEncoding& input) {
  Json json{{"kind", name(input.kind)}, {"missing", input.missing}};
  if (input.kind != InputKind::category) json["median"] = input.median;
  if (input.kind == InputKind::date) json["hours"] = input.hours;
  if (!input.bins.empty()) json["bins"] = input.bins;
  if (!input.limits.empty()) json["limits"] = input.limits;
  if (!input.periodic.empty()) json["periodic"] = input.periodic;
  if (input.kind != InputKind::category && input.kind != InputKind::boolean) return json;
  json["levels"] = input.levels;
  json["slots"] = Json::array();
  for (const std::uint32_t slot : input.slots)
    json["slots"].push_back(slot == InputEncoding::kNoColumn ? Json(nullptr) : Json(slot));
  if (input.kind == InputKind::category) {
    json["own"] = input.own;
    json["shared"] = input.shared;
  }
  return json;
}

std::uint32_t whole(const Json& json, std::uint32_t most, std::size_t input) {
  require(json.is_number_unsigned() && json.get<std::uint64_t>() <= most, input,
          "a whole number is missing or too large");
  return json.get<std::uint32_t>();
}

InputEncoding input_from(const Json& json, std::size_t number) {
  InputEncoding input;
  input.kind = parse_input_kind(json.at("kind").get<std::string>());
  input.missing = json.at("missing").get<bool>();
  if (input.kind != InputKind::category) {
    require(json.at("median").is_number(), number, "the median is not a number");
    input.median = json.at("median").get<double>();
  }
  if (input.kind == InputKind::date) input.hours = json.at("hours").get<bool>();
  if (json.contains("bins")) {
    require(input.kind == InputKind::number, number, "only numbers have bins");
    input.bins = json.at("bins").get<std::vector<double>>();
    const auto falls = [](double a, double b) { return !(a < b); };
    require(
        input.bins.size() > 2 && std::ranges::adjacent_find(input.bins, falls) == input.bins.end(),
        number, "the edges of its bins do not rise");
  }
  if (json.contains("limits")) {
    require(input.kind == InputKind::number, number, "only numbers have limits");
    input.limits = json.at("limits").get<std::vector<double>>();
    require(input.limits.size() == 2 && input.limits[0] < input.limits[1], number,
            "its limits do not rise");
  }
  if (json.contains("periodic")) {
    require(input.kind == InputKind::number, number, "only numbers have frequencies");
    input.periodic = json.at("periodic").get<std::vector<double>>();
  }
  if (input.kind != InputKind::category && input.kind != InputKind::boolean) return input;
  const bool category = input.kind == InputKind::category;
  input.levels = json.at("levels").get<std::vector<std::string>>();
  const Json& slots = json.at("slots");
  require(slots.is_array() && slots.size() == input.levels.size(), number,
          "the number of slots is not that of the levels");
  if (category) {
    const auto levels = static_cast<std::uint32_t>(input.levels.size());
    input.own = whole(json.at("own"), levels, number);
    input.shared = whole(json.at("shared"), kMostShared, number);
  }
  const std::uint32_t columns = category ? input.own + input.shared : 2;
  for (const Json& slot : slots) {
    require(!slot.is_null() || category, number, "a word has no value");
    require(slot.is_null() || columns > 0, number, "a level has no column");
    input.slots.push_back(slot.is_null() ? InputEncoding::kNoColumn
                                         : whole(slot, columns - 1, number));
  }
  require(input.columns() > 0, number, "it has no columns");
  return input;
}

}  // namespace

Json json_of(const Encoding& encoding) {
  Json inputs = Json::array();
  for (const InputEncoding& input : encoding.inputs) inputs.push_back(json_of(input));
  return {{"accepts_missing", encoding.accepts_missing}, {"inputs", std::move(inputs)}};
}

Encoding encoding_from(const Json& json, std::size_t inputs) {
  Encoding encoding;
  encoding.accepts_missing = json.at("accepts_missing").get<bool>();
  const Json& list = json.at("inputs");
  if (!list.is_array() || list.size() != inputs)
    throw InvalidArgument(
        text::concat("the encoding is of ", list.size(), " inputs but there are ", inputs));
  for (std::size_t c = 0; c < inputs; ++c) encoding.inputs.push_back(input_from(list[c], c));
  return encoding;
}

}  // namespace bootfold::ensemble
