// Sums in two doubles.
#pragma once

namespace bootfold::numeric {

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
  void merge(const Compensated& part) {
    add(part.sum);
    lost += part.lost;
  }
  [[nodiscard]] double value() const { return sum + lost; }
};

}  // namespace bootfold::numeric
