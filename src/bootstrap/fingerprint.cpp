#include "bootstrap/fingerprint.h"

#include <bit>
#include <span>
#include <string_view>

#include "bootfold/random.h"
#include "resample/overloaded.h"

namespace bootfold {

namespace {

/// Hashes a sequence of numbers and texts, one after the other.
class Hash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15U;
    state_ ^= state_ >> 32;
    state_ *= 0xD6E8FEB86659FD93U;
    state_ ^= state_ >> 29;
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number + 0.0)); }
  void add(std::string_view text) {
    add(text.size());
    for (const char letter : text)
      add(static_cast<std::uint64_t>(static_cast<unsigned char>(letter)));
  }
  template <class Number>
  void add_all(std::span<const Number> numbers) {
    add(numbers.size());
    for (const Number number : numbers) {
      if constexpr (std::is_floating_point_v<Number>)
        add(number);
      else
        add(std::uint64_t{number});
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3U;
};

/// The statistic, as far as it can be told: its name, its family and the numbers in it.
void add(Hash& hash, const study::Part& part) {
  hash.add(part.name);
  hash.add_all(std::span<const double>(part.parameters));
  hash.add(part.bound.body.index());
  hash.add_all(std::span<const std::uint32_t>(part.columns));
  for (const std::string& output : part.bound.outputs) hash.add(output);
  std::visit(
      overloaded{
          [&](const statistic::Sums& sums) {
            hash.add(sums.filled);
            for (const statistic::Product& product : sums.products)
              hash.add_all(std::span<const std::uint32_t>(product));
          },
          [&](const statistic::Order& order) {
            hash.add_all(std::span<const double>(order.probabilities));
          },
          [](const statistic::Fold&) {},  // code has no identity of its own
          [&](const statistic::Call& call) { hash.add(static_cast<std::uint64_t>(call.order)); },
      },
      part.bound.body);
}

}  // namespace

std::uint64_t fingerprint(const planning::Question& question, const study::Formulas& formulas,
                          std::uint64_t data, std::uint64_t nested_replicates, Path path) {
  Hash hash;
  hash.add(std::uint64_t{random::kStreamVersion});
  hash.add(data);
  hash.add(question.rows);
  for (const study::Part& part : question.problem().parts) add(hash, part);
  for (const Statistic& statistic : formulas.statistics())
    if (statistic.formula() != nullptr) hash.add(statistic.name());
  hash.add(question.design.name());
  hash.add(question.design.describe(question.rows));
  hash.add(question.design.block_length());
  hash.add_all(question.design.labels());
  hash.add_all(question.design.weights());
  if (!question.design.cluster_strata().empty()) hash.add_all(question.design.cluster_strata());
  if (!question.traits.endless) hash.add(question.replicates);
  hash.add(nested_replicates);
  hash.add(question.seed);
  hash.add(question.tolerance);
  hash.add(static_cast<std::uint64_t>(path));
  return hash.value();
}

}  // namespace bootfold
