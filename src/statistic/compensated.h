// Sums in two doubles.
#pragma once

namespace bootfold::statistic {

/// A sum in two doubles (Knuth's two-sum): about 106 bits.
struct Compensated {
  double sum = 0;
  double lost = 0;

  void add(double value) {
    const double next = sum + value;
    const double back = next - sum;
    lost += (sum - (next - back)) + (value - back);
    sum = next;
  }
  [[nodiscard]] double value() const { return sum + lost; }
};

}  // namespace bootfold::statistic
