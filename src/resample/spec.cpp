// Schemes as a person describes them: which scheme the options mean, and which options belong to
// it.
#include <algorithm>
#include <cmath>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/scheme.h"
#include "resample/design.h"
#include "resample/overloaded.h"
#include "text/concat.h"

namespace bootfold {

namespace {

using scheme::Spec;

/// The schemes that have a name of their own: all but the last, scheme::Custom.
constexpr std::size_t kNamed = std::variant_size_v<Scheme> - 1;
static_assert(std::is_same_v<std::variant_alternative_t<kNamed, Scheme>, scheme::Custom>);

/// Those schemes, without labels and probabilities.
template <std::size_t... Index>
std::vector<Scheme> empty_schemes(std::index_sequence<Index...>) {
  return {Scheme(std::in_place_index<Index>)...};
}

/// Hands the options of a description to a scheme, and notes which were taken.
class SpecReader {
 public:
  using OptionName = std::function<std::string(std::string_view)>;

  SpecReader(const Spec& spec, const OptionName& option)
      : spec_(spec),
        option_(option),
        left_{{"strata", spec.strata.has_value()},
              {"clusters", spec.clusters.has_value()},
              {"two_stage", spec.two_stage},
              {"probabilities", spec.probabilities.has_value()},
              {"block_length", spec.block_length || spec.auto_block_length},
              {"size", spec.size != 0}} {}

  [[nodiscard]] Scheme read() {
    name_ = spec_.name.value_or(implied());
    Scheme scheme = empty();
    std::visit(
        overloaded{
            [&](scheme::Iid& s) { s.size = take("size", spec_.size); },
            [](scheme::Poisson&) {},
            [](scheme::Bayesian&) {},
            [](scheme::Balanced&) {},
            [&](scheme::Unequal& s) {
              s.probabilities = need("probabilities", spec_.probabilities, "the probability");
              s.size = take("size", spec_.size);
            },
            [&](scheme::Stratified& s) { s.strata = need("strata", spec_.strata, "the stratum"); },
            [&](scheme::Cluster& s) {
              s.clusters = need("clusters", spec_.clusters, "the cluster");
              s.two_stage = take("two_stage", spec_.two_stage);
              s.strata = take("strata", spec_.strata).value_or(s.strata);
            },
            [&](scheme::MovingBlocks& s) { s.length = whole_length(); },
            [&](scheme::CircularBlocks& s) { s.length = whole_length(); },
            [&](scheme::StationaryBlocks& s) { s.length = length(); },
            [&](scheme::Jackknife& s) {
              s.clusters = take("clusters", spec_.clusters).value_or(s.clusters);
            },
            [](scheme::Custom&) {},
        },
        scheme);
    for (const auto& [key, given] : left_)
      if (given)
        throw InvalidArgument(text::concat(option(key), " does not go with ", option("scheme"),
                                           " '", name_, "'; leave one of them out"));
    return scheme;
  }

 private:
  [[nodiscard]] std::string implied() const {
    if (spec_.clusters) return "cluster";
    if (spec_.strata) return "stratified";
    if (spec_.probabilities) return "unequal";
    if (spec_.block_length || spec_.auto_block_length) return "stationary";
    return "iid";
  }

  /// The scheme of that name, without options.
  [[nodiscard]] Scheme empty() const {
    std::string list;
    for (const Scheme& scheme : empty_schemes(std::make_index_sequence<kNamed>())) {
      if (bootfold::name(scheme) == name_) return scheme;
      list += (list.empty() ? "" : ", ") + bootfold::name(scheme);
    }
    throw InvalidArgument(
        text::concat(option("scheme"), " is '", name_, "' but must be one of ", list));
  }

  template <class Value>
  const Value& take(std::string_view key, const Value& value) {
    std::find_if(left_.begin(), left_.end(), [&](const auto& each) {
      return each.first == key;
    })->second = false;
    return value;
  }

  template <class Value>
  const Value& need(std::string_view key, const std::optional<Value>& value, const char* what) {
    if (!value)
      throw InvalidArgument(text::concat(option("scheme"), " '", name_, "' needs ", option(key),
                                         ": ", what, " of each row"));
    return *take(key, value);
  }

  /// 0: chosen from the data.
  double length() {
    const std::optional<double>& length = take("block_length", spec_.block_length);
    if (length && !(*length >= 1 && std::isfinite(*length)))
      throw InvalidArgument(text::concat(option("block_length"), " is ", *length,
                                         " but must be at least 1; omit it to choose it from the "
                                         "data"));
    return length.value_or(0);
  }

  std::uint64_t whole_length() {
    const double rows = length();
    if (rows != std::floor(rows) || rows >= 0x1p64)
      throw InvalidArgument(text::concat(option("block_length"), " is ", rows,
                                         " but moving and circular blocks have a whole number of "
                                         "rows"));
    return static_cast<std::uint64_t>(rows);
  }

  [[nodiscard]] std::string option(std::string_view key) const {
    return option_ ? option_(key) : std::string(key);
  }

  const Spec& spec_;
  const OptionName& option_;
  std::vector<std::pair<std::string_view, bool>> left_;  // given, and not taken yet
  std::string name_;
};

}  // namespace

std::vector<std::string_view> scheme::names() {
  std::vector<std::string_view> names;
  for (const Scheme& scheme : empty_schemes(std::make_index_sequence<kNamed>()))
    names.push_back(resample::design(scheme)->name());
  return names;
}

Scheme make_scheme(const scheme::Spec& spec,
                   const std::function<std::string(std::string_view)>& option) {
  return SpecReader(spec, option).read();
}

}  // namespace bootfold
