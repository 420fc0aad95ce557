#include "resample/scheme.h"

#include "resample/design.h"

namespace bootfold {

std::string name(const Scheme& scheme) { return std::string(resample::design(scheme)->name()); }

scheme::Facts facts(const Scheme& scheme) {
  const resample::Traits traits = resample::design(scheme)->traits(0);
  return {traits.deletes, traits.together, traits.formula,
          traits.studentized != resample::Studentized::no};
}

namespace resample {

Scheme resolve(const Scheme& scheme, const DataView& data) {
  if (std::holds_alternative<scheme::Custom>(scheme)) return scheme::Custom{design(scheme, data)};
  if (block_length_of(scheme) != 0.0) return scheme;
  const double length = design(scheme, data)->block_length();
  Scheme resolved = scheme;
  if (auto* s = std::get_if<scheme::MovingBlocks>(&resolved))
    s->length = static_cast<std::uint64_t>(length);
  if (auto* s = std::get_if<scheme::CircularBlocks>(&resolved))
    s->length = static_cast<std::uint64_t>(length);
  if (auto* s = std::get_if<scheme::StationaryBlocks>(&resolved)) s->length = length;
  return resolved;
}

std::string describe(const Scheme& scheme, std::uint64_t rows) {
  return design(scheme)->describe(rows);
}

void check(const Scheme& scheme, std::uint64_t rows) { design(scheme)->check(rows); }

std::optional<std::uint64_t> jackknife_units(const Scheme& scheme, std::uint64_t rows) {
  return design(scheme)->replicates(rows);
}

std::optional<double> block_length_of(const Scheme& scheme) {
  if (const auto* s = std::get_if<scheme::MovingBlocks>(&scheme))
    return static_cast<double>(s->length);
  if (const auto* s = std::get_if<scheme::CircularBlocks>(&scheme))
    return static_cast<double>(s->length);
  if (const auto* s = std::get_if<scheme::StationaryBlocks>(&scheme)) return s->length;
  return std::nullopt;
}

std::uint64_t draws_of(const Scheme& scheme, std::uint64_t rows) {
  return design(scheme)->draws(rows);
}

}  // namespace resample
}  // namespace bootfold
