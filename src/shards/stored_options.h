// The options that define replicates, as they travel with a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "bootfold/plan.h"

namespace bootfold::shards {

/// Schemes are iid or poisson.
struct StoredOptions {
  std::uint64_t replicates = 0;
  std::uint64_t first_replicate = 0;
  std::uint64_t seed = 0;
  bool poisson = false;
  std::uint64_t size = 0;  // of scheme iid
  std::optional<std::int32_t> path = std::nullopt;
  double tolerance = 0;
  double rescale = 0;

  StoredOptions() = default;
  explicit StoredOptions(const Options& options)
      : replicates(options.replicates),
        first_replicate(options.first_replicate),
        seed(options.seed),
        poisson(std::holds_alternative<scheme::Poisson>(options.scheme)),
        tolerance(options.tolerance),
        rescale(options.rescale) {
    if (const auto* iid = std::get_if<scheme::Iid>(&options.scheme)) size = iid->size;
    if (options.path) path = static_cast<std::int32_t>(*options.path);
  }

  [[nodiscard]] Options options() const {
    Options found;
    found.replicates = replicates;
    found.first_replicate = first_replicate;
    found.seed = seed;
    if (poisson)
      found.scheme = scheme::Poisson{};
    else
      found.scheme = scheme::Iid{.size = size};
    if (path) found.path = static_cast<Path>(*path);
    found.tolerance = tolerance;
    found.rescale = rescale;
    return found;
  }

  template <class Archive>
  void visit(Archive& archive) {
    archive(replicates, first_replicate, seed, poisson, size, path, tolerance, rescale);
    if constexpr (Archive::kReads) {
      if (path && (*path < 0 || *path > static_cast<std::int32_t>(Path::deletion)))
        archive.refuse();
    }
  }
};

}  // namespace bootfold::shards
