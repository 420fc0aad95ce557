// The initial weights of a member.
#pragma once

#include <span>

#include "ensemble/shape.h"
#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

/// Draws the initial weights, a pure function of `id`; biases are 0.
void initialize(const Shape& shape, Initializer initializer, const MemberId& id,
                std::span<float> parameters);

}  // namespace bootfold::ensemble
