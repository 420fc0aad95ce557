// Sums of doubles without any rounding, in any order.
//
// A double is an integer times a power of two, so a sum of doubles is an integer of about 2,200
// bits. It is kept here as digits of 32 bits in words of 64 (a "small superaccumulator", Radford
// Neal, 2015): integers are associative, so every order of work, and every cut of the rows into
// pieces, gives the same sum. value() rounds once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bootfold::numeric {

class ExactSum {
 public:
  /// Adds a number; infinities and NaN are counted and otherwise ignored.
  void add(double value);

  /// Adds many numbers, none of them larger than `largest` without its sign. Much faster.
  void add(std::span<const double> values, double largest);

  /// Adds the other sum.
  void merge(const ExactSum& other);

  /// The sum, rounded to the nearest double (to even on a tie); infinite if it is too large.
  [[nodiscard]] double value() const;

  /// How many of the numbers were infinite or NaN.
  [[nodiscard]] std::uint64_t not_finite() const noexcept { return not_finite_; }

  /// Whether both are the same number.
  [[nodiscard]] bool operator==(const ExactSum& other) const;

  template <class Archive>
  void visit(Archive& archive) {
    carry();
    archive(digits_, not_finite_);
    if constexpr (Archive::kReads) {
      if (!is_carried()) archive.refuse();
    }
  }

 private:
  static constexpr std::size_t kDigits = 70;       // 2^-1074 to 2^1024, and 2^64 times that
  static constexpr std::uint32_t kMostAdds = 512;  // before a word could overflow

  void add_finite(double value);
  /// Brings all digits but the last into [0, 2^32), which makes them unique.
  void carry();
  /// Whether the digits are as carry() leaves those of a sum of up to 2^64 numbers.
  [[nodiscard]] bool is_carried() const;

  std::array<std::int64_t, kDigits> digits_{};  // of weight 2^(32 i - 1088)
  std::uint32_t adds_ = 0;                      // since the last carry
  std::uint64_t not_finite_ = 0;
};

}  // namespace bootfold::numeric
