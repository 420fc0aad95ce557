// Samplings made of a function that draws one replicate.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "resample/sampler.h"

namespace bootfold::resample {

using RowList = std::vector<std::uint32_t>;

/// `Draw` is called as draw(replicate, room) and returns a view of the rows drawn, usually of
/// `room`, which keeps its memory from call to call. Every sampler has its own copy.
template <class Draw>
class SamplingBy final : public Sampling {
 public:
  explicit SamplingBy(Draw draw) : draw_(std::move(draw)) {}

  [[nodiscard]] std::unique_ptr<Sampler> sampler() const override {
    return std::make_unique<Own>(draw_);
  }

 private:
  class Own final : public Sampler {
   public:
    explicit Own(const Draw& draw) : draw_(draw) {}
    std::span<const std::uint32_t> draw(std::uint64_t replicate) override {
      return draw_(replicate, rows_);
    }

   private:
    Draw draw_;
    RowList rows_;
  };

  Draw draw_;
};

template <class Draw>
[[nodiscard]] std::shared_ptr<const Sampling> sampling_by(Draw draw) {
  return std::make_shared<SamplingBy<Draw>>(std::move(draw));
}

}  // namespace bootfold::resample
