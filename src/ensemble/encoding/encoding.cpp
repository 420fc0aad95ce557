#include "bootfold/ensemble/encoding.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "bootfold/error.h"
#include "data/shortest.h"
#include "ensemble/encoding/levels.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

constexpr double kTextUnit = 0x1p960;
constexpr std::size_t kMonths = 12;
constexpr std::size_t kWeekdays = 7;

constexpr std::array<std::pair<InputKind, std::string_view>, 4> kKinds{
    {{InputKind::number, "number"},
     {InputKind::boolean, "boolean"},
     {InputKind::category, "category"},
     {InputKind::date, "date"}}};

void add_names(const InputEncoding& input, const std::string& column,
               std::vector<std::string>& names) {
  static constexpr std::array<const char*, kMonths> kMonthNames = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  static constexpr std::array<const char*, kWeekdays> kDayNames = {"Mon", "Tue", "Wed", "Thu",
                                                                   "Fri", "Sat", "Sun"};
  const std::size_t first = names.size();
  switch (input.kind) {
    case InputKind::number:
    case InputKind::boolean:
      names.push_back(column);
      for (std::size_t bin = 1; bin < input.bins.size(); ++bin)
        names.push_back(text::concat(column, " bin ", bin));
      for (const char* wave : {" sine ", " cosine "})
        for (std::size_t i = 1; i <= input.periodic.size(); ++i)
          names.push_back(text::concat(column, wave, i));
      break;
    case InputKind::category:
      names.resize(first + input.own + input.shared);
      for (std::size_t l = 0; l < input.levels.size(); ++l)
        if (input.slots[l] < input.own)
          names[first + input.slots[l]] = text::concat(column, "=", input.levels[l]);
      for (std::size_t s = 0; s < input.shared; ++s)
        names[first + input.own + s] = input.shared == 1 ? text::concat(column, " other")
                                                         : text::concat(column, " other ", s + 1);
      break;
    case InputKind::date:
      names.push_back(column);
      for (const char* month : kMonthNames) names.push_back(text::concat(column, " ", month));
      for (const char* day : kDayNames) names.push_back(text::concat(column, " ", day));
      if (input.hours)
        for (const char* wave : {"sine", "cosine"})
          names.push_back(text::concat(column, " hour ", wave));
      break;
  }
  if (input.missing) names.push_back(text::concat(column, " missing"));
}

}  // namespace

std::string_view name(InputKind kind) noexcept {
  for (const auto& [each, word] : kKinds)
    if (each == kind) return word;
  return {};
}

InputKind parse_input_kind(std::string_view name) {
  for (const auto& [kind, word] : kKinds)
    if (word == name) return kind;
  throw InvalidArgument(text::concat("the kind of an input is '", name,
                                     "' but must be one of number, boolean, category, date"));
}

std::string_view name(BinEdges edges) noexcept {
  if (edges == BinEdges::automatic) return "auto";
  return edges == BinEdges::tree ? "tree" : "quantiles";
}

BinEdges parse_bin_edges(std::string_view name) {
  if (name == "quantiles") return BinEdges::quantiles;
  if (name == "tree") return BinEdges::tree;
  if (name == "auto") return BinEdges::automatic;
  throw InvalidArgument(
      text::concat("bin_edges is '", name, "' but must be one of quantiles, tree, auto"));
}

double text_code(std::uint64_t index) noexcept {
  return static_cast<double>(index + 1) * kTextUnit;
}

std::optional<std::uint64_t> text_of_code(double code) noexcept {
  // Exact, because the unit is a power of 2. Numbers of data are whole numbers of it by chance
  // only.
  constexpr auto kMost = static_cast<double>(kUnknownTexts + kHashes);
  const double place = code / kTextUnit;
  if (!(place >= 1 && place <= kMost) || place != std::floor(place)) return std::nullopt;
  return static_cast<std::uint64_t>(place) - 1;
}

double unknown_text_code(std::string_view text) noexcept {
  return text_code(kUnknownTexts + level_hash(text));
}

std::uint64_t level_hash(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3;
  }
  hash ^= hash >> 32;  // the low bits of FNV-1a are its weakest
  hash *= 0x9e3779b97f4a7c15;
  return (hash >> 40) % kHashes;
}

std::string level_name(double number) { return data::shortest(number + 0.0); }  // -0 is 0

double level_number(std::string_view level) noexcept {
  double value = 0;
  const char* const last = level.data() + level.size();
  const auto [stop, error] = std::from_chars(level.data(), last, value);
  if (error != std::errc() || stop != last || !std::isfinite(value))
    return std::numeric_limits<double>::quiet_NaN();
  return value;
}

std::size_t InputEncoding::columns() const noexcept {
  std::size_t count = missing ? 1 : 0;
  switch (kind) {
    case InputKind::number:
    case InputKind::boolean:
      return count + 1 + (bins.empty() ? 0 : bins.size() - 1) + 2 * periodic.size();
    case InputKind::category:
      return count + own + shared;
    case InputKind::date:
      return count + 1 + kMonths + kWeekdays + (hours ? 2 : 0);
  }
  return count;
}

std::size_t Encoding::columns(std::size_t inputs_given) const noexcept {
  if (empty()) return inputs_given;
  std::size_t count = 0;
  for (const InputEncoding& input : inputs) count += input.columns();
  return count;
}

std::vector<std::string> Encoding::names(const std::vector<std::string>& inputs_given) const {
  if (empty()) return inputs_given;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < inputs.size(); ++c) add_names(inputs[c], inputs_given.at(c), names);
  return names;
}

}  // namespace bootfold::ensemble
