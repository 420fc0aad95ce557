#include "data/first_line.h"

#include <algorithm>
#include <cmath>

#include "data/number.h"
#include "data/number_forms.h"

namespace bootfold::data {

void FirstLine::add(std::string_view field, NumberForms& forms) {
  if (numbers_.empty()) first_empty_ = field.empty();
  const bool number = forms.is_number(field);
  has_text_ = !number || has_text_;
  has_other_text_ = (!number && !parse_truth(field)) || has_other_text_;
  double value = 0;
  const bool digits = !field.empty() && field.find_first_not_of("0123456789") == field.npos &&
                      parse_spelled(field, value);
  numbers_.push_back(digits ? value : std::numeric_limits<double>::quiet_NaN());
}

bool FirstLine::looks_like_header() const {
  const std::size_t first = first_empty_ ? 1 : 0;
  const std::size_t count = numbers_.size() - first;
  if (numbers_.size() < 2 || std::isnan(numbers_[first])) return false;
  if (count == 1) return true;
  const double step = numbers_[first + 1] - numbers_[first];
  if (!(step > 0) || (count == 2 && step != 1)) return false;
  for (std::size_t i = first + 2; i < numbers_.size(); ++i)
    if (numbers_[i] - numbers_[i - 1] != step) return false;  // also for NaN
  return true;
}

}  // namespace bootfold::data
