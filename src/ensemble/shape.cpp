#include "ensemble/shape.h"

#include <algorithm>

namespace bootfold::ensemble {

Shape::Shape(std::size_t inputs, const Architecture& architecture, std::size_t outputs)
    : widest(inputs), activation(architecture.activation) {
  std::vector<std::size_t> sizes = architecture.hidden;
  sizes.push_back(outputs);
  for (const std::size_t size : sizes) {
    layers.push_back({inputs, size, parameters, parameters + inputs * size});
    parameters += (inputs + 1) * size;
    units += size;
    widest = std::max(widest, size);
    inputs = size;
  }
}

}  // namespace bootfold::ensemble
