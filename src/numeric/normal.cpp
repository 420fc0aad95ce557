#include "numeric/normal.h"

#include <boost/math/special_functions/erf.hpp>
#include <limits>

namespace bootfold::normal {

double quantile(double p) {
  if (p <= 0) return -std::numeric_limits<double>::infinity();
  if (p >= 1) return std::numeric_limits<double>::infinity();
  return -1.41421356237309504880 * boost::math::erfc_inv(2 * p);
}

}  // namespace bootfold::normal
