// Compensated addition (Neumaier): the second number carries what rounding loses in the first.
#pragma once

#include <cmath>

namespace bootfold::exact {

class Sum {
 public:
  void add(double value) {
    const double next = sum_ + value;
    lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }
  void merge(const Sum& part) {
    add(part.sum_);
    lost_ += part.lost_;
  }
  [[nodiscard]] double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace bootfold::exact
