#include "data/number_forms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/number.h"

namespace bootfold::data {

std::optional<double> parse_truth(std::string_view field) {
  static constexpr std::array<std::string_view, 4> kTrue = {"true", "yes", "t", "y"};
  static constexpr std::array<std::string_view, 4> kFalse = {"false", "no", "f", "n"};
  field = trimmed(field);
  const auto is = [&](std::string_view word) {
    const auto same = [](char a, char b) {
      return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b);
    };
    return std::equal(field.begin(), field.end(), word.begin(), word.end(), same);
  };
  if (std::any_of(kTrue.begin(), kTrue.end(), is)) return 1;
  if (std::any_of(kFalse.begin(), kFalse.end(), is)) return 0;
  return std::nullopt;
}

bool parse_rarely(std::string_view field, Dialect& dialect, Kind& kind, double& value) {
  if (dialect.is_missing(trimmed(field))) {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const auto is = [&](Kind wanted) { return kind == Kind::unknown || kind == wanted; };
  if (dialect.parse(field, value)) {
    if (std::isnan(value)) return true;
    if (!is(Kind::number)) return false;
    kind = Kind::number;
    return true;
  }
  if (is(Kind::percentage) && dialect.parse_percentage(field, value)) {
    kind = Kind::percentage;
    return true;
  }
  const std::optional<double> truth = is(Kind::truth) ? parse_truth(field) : std::nullopt;
  if (!truth) return false;
  kind = Kind::truth;
  value = *truth;
  return true;
}

NumberForms::NumberForms(const ReadOptions& options, char delimiter) {
  for (const Spelling& spelling : known_spellings()) {
    if (!allows(options, spelling) || spelling.decimal == delimiter) continue;
    forms_.push_back({spelling, Dialect(options)});
    forms_.back().dialect.set_spelling(spelling);
  }
  if (forms_.empty()) {  // thousands=underscore
    forms_.push_back({{}, Dialect(options)});
    forms_.back().spelling = forms_.back().dialect.spelling();
  }
  for (std::size_t i = 0; i < forms_.size(); ++i) forms_[i].agrees.assign(i, true);
}

bool NumberForms::parse(Dialect& dialect, std::string_view field, double& value) {
  return dialect.parse(field, value) || dialect.parse_percentage(field, value);
}

bool NumberForms::is_number(std::string_view field) {
  double value = 0;
  return std::any_of(forms_.begin(), forms_.end(),
                     [&](Form& form) { return parse(form.dialect, field, value); });
}

void NumberForms::add(std::string_view field) {
  bool any = false;
  for (Form& form : forms_) {
    form.read = parse(form.dialect, field, form.value);
    any = any || form.read;
  }
  if (!any) return;
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    Form& form = forms_[i];
    form.reads_all = form.reads_all && form.read;
    for (std::size_t other = 0; other < i; ++other) {
      const double value = forms_[other].value;
      const bool same = value == form.value || (std::isnan(value) && std::isnan(form.value));
      form.agrees[other] = form.agrees[other] && same;
    }
  }
}

Spelling NumberForms::found() const {
  const Spelling usual = forms_[0].spelling;
  if (forms_[0].reads_all) return usual;
  std::size_t first = 1;
  while (first < forms_.size() && !forms_[first].reads_all) ++first;
  if (first == forms_.size()) return usual;
  for (std::size_t other = first + 1; other < forms_.size(); ++other)
    if (forms_[other].reads_all && !forms_[other].agrees[first]) return usual;
  return forms_[first].spelling;
}

}  // namespace bootfold::data
