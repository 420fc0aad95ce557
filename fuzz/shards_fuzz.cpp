// Fuzzer of the readers of shards: any bytes give a look, a plan or a part, or a DataError, and
// what was read can be used or is refused.
//
// The first byte is what the others are: a whole file, or the contents of a look, a plan or a part
// that get their frame here, because no fuzzer finds a checksum.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "data/archive.h"

namespace {

using namespace bootfold;

constexpr std::uint64_t kMostReplicates = 64;

const std::vector<std::vector<Statistic>>& questions() {
  static const std::vector<std::vector<Statistic>> all = {
      {statistic::mean()},
      {statistic::correlation()},
      {statistic::median(), statistic::quantile(0.9)},
  };
  return all;
}

/// Bytes that were read are written again as they are read.
template <class Thing>
void check_again(const Thing& thing) {
  const std::string bytes = thing.to_bytes();
  if (Thing::from_bytes(bytes).to_bytes() != bytes) std::abort();
}

void use_look(const shards::Look& look) {
  check_again(look);
  for (const auto& statistics : questions()) try {
      const shards::Plan plan(look, statistics, {.replicates = 3, .execution = {.threads = 1}});
      static_cast<void>(plan.finish());
    } catch (const InvalidArgument&) {
    } catch (const DataError&) {
    }
  shards::Look moved = look;
  try {
    moved.shift(look.rows());
    static_cast<void>(look | moved);
    static_cast<void>(look | look);
  } catch (const InvalidArgument&) {
  }
}

void use_plan(const std::string& bytes) {
  static_cast<void>(shards::Plan::words_of(bytes));
  for (const auto& statistics : questions()) try {
      const shards::Plan plan =
          shards::Plan::from_bytes(bytes, statistics, 64 << 20, {.threads = 1});
      if (plan.to_bytes() != shards::Plan::from_bytes(plan.to_bytes(), statistics).to_bytes())
        std::abort();
      if (plan.plan().replicates <= kMostReplicates) static_cast<void>(plan.finish());
    } catch (const InvalidArgument&) {
    } catch (const DataError&) {
    }
}

/// Plans that need parts: of too many rows to be kept. tools/fuzz.py has the same rows.
const std::vector<shards::Plan>& plans() {
  static const std::vector<shards::Plan> all = [] {
    std::vector<double> x(5000);
    std::vector<double> y(5000);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<double>(i * 7919 % 5000) / 8;
      y[i] = static_cast<double>(i * 104729 % 5003) / 3;
    }
    const DataView one(x);
    const DataView two({ColumnView(x), ColumnView(y)});
    std::vector<shards::Plan> made;
    for (const auto& statistics : questions())
      made.emplace_back(shards::look(made.size() == 1 ? two : one, statistics), statistics,
                        Options{.replicates = 4, .execution = {.threads = 1}});
    return made;
  }();
  return all;
}

/// The part as if it belonged to the plan, which it must not trust all the same.
void use_part(const shards::Part& part, std::string_view contents) {
  check_again(part);
  static_cast<void>(part.describe());
  for (const shards::Plan& plan : plans()) try {
      std::string own(contents);
      const std::uint64_t fingerprint = plan.plan().fingerprint;
      if (own.size() < sizeof fingerprint) return;
      std::memcpy(own.data(), &fingerprint, sizeof fingerprint);
      const shards::Part forged = shards::Part::from_bytes(data::framed("part", own));
      shards::Part sum = plan.empty();
      try {
        sum += forged;
        sum += forged;
      } catch (const InvalidArgument&) {
      }
      static_cast<void>(plan.finish(forged));
    } catch (const InvalidArgument&) {
    } catch (const DataError&) {
    }
}

void use(std::uint8_t kind, std::string_view bytes) {
  using data::framed;
  const std::string contents(bytes);
  switch (kind % 4) {
    case 0:
      use_look(shards::Look::from_bytes(framed("look", contents)));
      break;
    case 1:
      use_plan(framed("plan", contents));
      break;
    case 2:
      use_part(shards::Part::from_bytes(framed("part", contents)), bytes);
      break;
    default:
      static_cast<void>(data::kind_of_frame(bytes));
      try {
        use_look(shards::Look::from_bytes(bytes));
      } catch (const DataError&) {
      }
      try {
        use_plan(contents);
      } catch (const DataError&) {
      }
      static_cast<void>(shards::Part::from_bytes(bytes));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  try {
    use(bytes[0], {reinterpret_cast<const char*>(bytes) + 1, size - 1});
  } catch (const DataError&) {
  }
  return 0;
}
