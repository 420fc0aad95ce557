// What a user's first program looks like; exits with 0 only if the numbers are right.
#include <bootfold/bootfold.h>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const std::vector<double> treatment = {94, 197, 16, 38, 99, 141, 23};
  const auto result =
      bootfold::bootstrap(treatment, bootfold::statistic::mean(), {.replicates = 1000, .seed = 7});
  std::cout << "mean " << result.estimate() << ", standard error " << result.standard_error()
            << '\n';

  // The mean is 608 / 7. With infinitely many replicates its standard error is 23.3635; 1000 give
  // it with a relative error of about 2 %, so 10 % off means that something else was computed.
  const bool mean_is_right = std::abs(result.estimate() - 608.0 / 7.0) < 1e-9;
  const bool error_is_right = std::abs(result.standard_error() / 23.3635 - 1) < 0.1;
  return mean_is_right && error_is_right ? 0 : 1;
}
