// A statistic that cannot be merged cannot be computed in pieces, so it is no accumulator.
#include "bootfold/statistic.h"

struct Sum {
  double sum = 0;
  void accumulate(double value, double weight) { sum += value * weight; }
#ifndef MISTAKE
  void merge(const Sum& part) { sum += part.sum; }
#endif
  [[nodiscard]] double finish() const { return sum; }
};

bootfold::Statistic statistic() { return bootfold::statistic::accumulator(Sum{}); }
