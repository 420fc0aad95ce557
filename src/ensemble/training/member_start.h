// Where the training of a member begins: at drawn weights, or where an earlier training ended.
#pragma once

#include <cstdint>
#include <vector>

#include "bootfold/ensemble/continuation.h"
#include "bootfold/ensemble/ensemble.h"
#include "ensemble/shape.h"
#include "ensemble/training/member_rows.h"
#include "ensemble/training/training_context.h"

namespace bootfold::ensemble {

struct MemberStart {
  std::vector<float> parameters;
  std::vector<float> averages;  // with Settings::average, where it goes on; empty: it begins
  OptimizerState optimizer;     // moments have the size of the parameters
  std::uint64_t steps = 0;
};

[[nodiscard]] MemberStart member_start(const TrainingContext& context, const Shape& shape,
                                       const MemberId& id, const Settings& settings);

/// Takes from Training::start what all its members share: encoding and scaling of the columns.
/// `frame` is that of the new rows. Throws InvalidArgument if the training cannot go on from there.
void continue_frame(const Training& training, Ensemble::Frame& frame);

}  // namespace bootfold::ensemble
