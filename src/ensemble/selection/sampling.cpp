#include "bootfold/ensemble/sampling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <unordered_set>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "numeric/elementary.h"
#include "text/concat.h"
#include "text/quantity.h"
#include "text/quoted.h"

namespace bootfold::ensemble {

namespace {

/// Draws of a setting that equals an earlier one.
constexpr std::uint8_t kMostAttempts = 200;

/// A setting that has ranges, and how it takes a value. Its place in the table is part of the
/// definition of its draws, so new ones go to the end.
struct DrawnSetting : RangeOption {
  void (*set)(Settings&, double) = nullptr;
};

constexpr std::array kDrawnSettings = {
    DrawnSetting{{"learning_rate", RangeLaw::log_uniform, {1e-12, 1e3}, ValueRange{1e-3, 3e-2}},
                 [](Settings& s, double value) { s.learning_rate = value; }},
    // Before hidden, which sets the units of all layers.
    DrawnSetting{{"depth", RangeLaw::whole, {1, 20}, ValueRange{1, 3}},
                 [](Settings& s, double value) {
                   s.architecture.hidden.assign(static_cast<std::size_t>(value),
                                                s.architecture.hidden[0]);
                 }},
    DrawnSetting{{"hidden", RangeLaw::doubling, {1, 65'536}, ValueRange{16, 128}},
                 [](Settings& s, double value) {
                   std::ranges::fill(s.architecture.hidden, static_cast<std::size_t>(value));
                 }},
    DrawnSetting{{"dropout", RangeLaw::uniform, {0, 0.9}, ValueRange{0, 0.3}},
                 [](Settings& s, double value) { s.dropout = value; }},
    DrawnSetting{{"weight_decay", RangeLaw::log_uniform, {1e-12, 1e3}, ValueRange{1e-6, 1e-2}},
                 [](Settings& s, double value) { s.weight_decay = value; }},
    DrawnSetting{{"warmup", RangeLaw::uniform, {0, 0.9}, {}},
                 [](Settings& s, double value) { s.warmup = value; }},
    DrawnSetting{{"momentum", RangeLaw::uniform, {0, 0.999}, {}},
                 [](Settings& s, double value) { s.momentum = value; }},
    DrawnSetting{{"clip", RangeLaw::log_uniform, {1e-6, 1e6}, {}},
                 [](Settings& s, double value) { s.clip = value; }},
    DrawnSetting{{"batch_size", RangeLaw::doubling, {1, 1 << 30}, {}},
                 [](Settings& s, double value) { s.batch_size = static_cast<std::size_t>(value); }},
    DrawnSetting{{"subsample", RangeLaw::uniform, {0.01, 0.99}, {}},
                 [](Settings& s, double value) { s.subsample = value; }},
};

constexpr auto kRangeOptions = [] {
  std::array<RangeOption, kDrawnSettings.size()> options;
  std::copy(kDrawnSettings.begin(), kDrawnSettings.end(), options.begin());
  return options;
}();

bool takes_whole_numbers(RangeLaw law) {
  return law == RangeLaw::whole || law == RangeLaw::doubling;
}

/// A range that the setting can have, for messages.
std::string example_of(const RangeOption& option) {
  const ValueRange example = option.usual.value_or(
      option.name == "batch_size"
          ? ValueRange{32, 256}
          : (option.law == RangeLaw::log_uniform ? ValueRange{0.1, 10} : ValueRange{0.1, 0.5}));
  return text::concat(text::shortest(example.low), "..", text::shortest(example.high));
}

/// `typed` is the range as text, for messages.
void check_range(const RangeOption& option, std::string_view shown, const ValueRange& range,
                 std::string_view typed) {
  const auto refuse = [&](const std::string& rule) {
    throw InvalidArgument(text::concat("the range of ", shown, " is ", typed, " but ", rule,
                                       ", such as ", example_of(option)));
  };
  if (!(range.low <= range.high)) refuse("its low end must not be above its high end");
  if (range.low <= 0 && option.law == RangeLaw::log_uniform)
    refuse("its low end must be above 0, because the logarithm is drawn");
  if (range.low < option.limits.low || range.high > option.limits.high)
    refuse(text::concat("it must lie within ", text::shortest(option.limits.low), "..",
                        text::shortest(option.limits.high)));
  if (takes_whole_numbers(option.law) &&
      (std::floor(range.low) != range.low || std::floor(range.high) != range.high))
    refuse("its ends must be whole numbers");
}

double rounded_to_four_digits(double value) {
  if (!(value > 0)) return 0;
  double scale = 1;  // exact up to 1e22
  while (value * scale < 1000) scale *= 10;
  if (scale > 1) return std::floor(value * scale + 0.5) / scale;
  while (value / scale >= 10'000) scale *= 10;
  return std::floor(value / scale + 0.5) * scale;
}

/// low, high, and the powers of two and their one-and-a-half-folds between them.
std::vector<double> doubling_values(const ValueRange& range) {
  std::vector<double> values = {range.low};
  for (double power = 1; power < range.high; power *= 2)
    for (const double value : {power, 1.5 * power})
      if (value > range.low && value < range.high && std::floor(value) == value)
        values.push_back(value);
  if (range.high > range.low) values.push_back(range.high);
  return values;
}

/// A whole number below `count`, from 64 random bits.
std::size_t place_of(std::uint64_t bits, std::size_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>(Wide{bits} * count >> 64);
}

double value_of(const RangeOption& option, const ValueRange& range, std::uint64_t bits) {
  const double share = static_cast<double>(bits >> 11) * 0x1p-53;
  switch (option.law) {
    case RangeLaw::uniform: {
      const double drawn = range.low + share * (range.high - range.low);
      return std::clamp(rounded_to_four_digits(drawn), range.low, range.high);
    }
    case RangeLaw::log_uniform: {
      const double drawn = range.low * numeric::exp(share * numeric::log(range.high / range.low));
      return std::clamp(rounded_to_four_digits(drawn), range.low, range.high);
    }
    case RangeLaw::whole:
      return range.low + static_cast<double>(
                             place_of(bits, static_cast<std::size_t>(range.high - range.low) + 1));
    case RangeLaw::doubling: {
      const std::vector<double> values = doubling_values(range);
      return values[place_of(bits, values.size())];
    }
  }
  return range.low;
}

/// One setting.
Settings drawn_settings(const SamplingOptions& options, std::uint64_t number,
                        std::uint8_t attempt) {
  const auto bits = [&](std::uint64_t position) {
    const auto words =
        random::block({options.seed, number, random::Purpose::settings, attempt}, position);
    return std::uint64_t{words[1]} << 32 | words[0];
  };
  Settings settings = options.bases[place_of(bits(0), options.bases.size())];
  for (std::size_t i = 0; i < kDrawnSettings.size(); ++i) {
    const DrawnSetting& drawn = kDrawnSettings[i];
    const auto range = options.ranges.find(std::string(drawn.name));
    if (range != options.ranges.end())
      drawn.set(settings, value_of(drawn, range->second, bits(i + 1)));
  }
  return settings;
}

/// Of what can be drawn; settings that differ elsewhere come from few bases.
struct SettingsHash {
  std::size_t operator()(const Settings& settings) const noexcept {
    std::size_t hash = settings.batch_size;
    const auto add = [&](auto value) {
      hash = hash * 0x9E3779B97F4A7C15 + std::hash<decltype(value)>()(value);
    };
    for (const std::size_t units : settings.architecture.hidden) add(units);
    for (const double value :
         {settings.learning_rate, settings.dropout, settings.weight_decay, settings.warmup,
          settings.momentum, settings.clip, settings.subsample})
      add(value);
    return hash;
  }
};

void check_bases(const SamplingOptions& options) {
  if (options.bases.empty())
    throw InvalidArgument("there are no settings to draw from; give at least one in bases");
  for (const Settings& base : options.bases) {
    const auto& hidden = base.architecture.hidden;
    for (const char* name : {"hidden", "depth"})
      if (options.ranges.contains(name) && hidden.empty())
        throw InvalidArgument(text::concat(name,
                                           " has a range but the networks have no hidden "
                                           "layer; give them one, or omit the range"));
    if (options.ranges.contains("depth") && !options.ranges.contains("hidden") &&
        std::ranges::count(hidden, hidden[0]) != std::ssize(hidden))
      throw InvalidArgument(
          "depth has a range but hidden has layers of different widths; give the units of one "
          "layer, which all layers then have");
  }
}

}  // namespace

std::span<const RangeOption> range_options() noexcept { return kRangeOptions; }

std::map<std::string, ValueRange> usual_ranges() {
  std::map<std::string, ValueRange> ranges;
  for (const RangeOption& option : kRangeOptions)
    if (option.usual) ranges.emplace(option.name, *option.usual);
  return ranges;
}

bool is_range(std::string_view text) noexcept { return text.find("..") != text.npos; }

ValueRange parse_range(const RangeOption& option, std::string_view shown, std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto number = [&](std::string_view part) {
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || !std::isfinite(value))
      throw InvalidArgument(text::concat(shown, " is ", text::quoted(text),
                                         " but a range must be two numbers, such as ",
                                         example_of(option)));
    return value;
  };
  const ValueRange range{number(text.substr(0, dots)),
                         number(dots == text.npos ? std::string_view() : text.substr(dots + 2))};
  check_range(option, shown, range, text);
  return range;
}

std::vector<Settings> sample_settings(std::size_t count, const SamplingOptions& options) {
  for (const auto& [name, range] : options.ranges) {
    const auto* const known = std::ranges::find(kRangeOptions, name, &RangeOption::name);
    if (known == kRangeOptions.end()) {
      std::string names;
      for (const RangeOption& option : kRangeOptions)
        names += text::concat(names.empty() ? "" : ", ", option.name);
      throw InvalidArgument(
          text::concat(text::quoted(name), " has no ranges; the settings that have are ", names));
    }
    check_range(*known, name, range,
                text::concat(text::shortest(range.low), "..", text::shortest(range.high)));
  }
  check_bases(options);
  std::vector<Settings> found;
  std::unordered_set<Settings, SettingsHash> known;
  for (std::uint64_t number = 0; number < count; ++number) {
    std::uint8_t attempt = 0;
    Settings settings = drawn_settings(options, number, attempt);
    while (!known.insert(settings).second) {
      if (++attempt == kMostAttempts)
        throw InvalidArgument(text::concat(
            "sample is ", count, " but ", int{kMostAttempts}, " draws after ", found.size(),
            " different settings gave no other, because the ranges and lists hold few; draw fewer, "
            "widen a range, or train all values of the lists without a sample"));
      settings = drawn_settings(options, number, attempt);
    }
    found.push_back(std::move(settings));
  }
  return found;
}

}  // namespace bootfold::ensemble
