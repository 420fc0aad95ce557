// A sample of the distinct values of a column, which tells about where its middle is and how far
// its values lie apart.
//
// Every value has a key, a hash of its bits. The sample has the values of the smallest keys, each
// with the number of rows that have it. Which values these are depends on the values alone, and
// their counts are exact: a value of the sample was among the smallest keys of every piece of the
// data. So samples of any pieces merge to the sample of the whole, wherever the pieces lie.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace bootfold::study {

class ValueSample {
 public:
  /// Distinct values that are kept.
  static constexpr std::size_t kValues = 255;

  /// Values and how many rows have each.
  struct Values {
    std::vector<double> values;
    std::vector<std::uint64_t> weights;
  };

  /// The key of a value (-0 counts as 0), as add() takes it.
  [[nodiscard]] static std::uint64_t key_of(double value) noexcept;

  void add(std::span<const double> values, std::span<const std::uint64_t> keys);
  /// The same for a value that occurs so often.
  void add(double value, std::uint64_t times) {
    if (const std::uint64_t key = key_of(value); key <= threshold_) count(key, value, times);
  }
  void merge(const ValueSample& other);

  /// By key.
  [[nodiscard]] Values values() const;

  /// Whether the counts are those of some of `rows` values, and of all if few are distinct.
  [[nodiscard]] bool suits(std::uint64_t rows) const;

  /// Roughly how many distinct values there are.
  [[nodiscard]] double distinct() const;

  /// Whether both keep the same values with the same counts.
  [[nodiscard]] bool operator==(const ValueSample& other) const;

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint64_t weight = 0;  // 0: the slot is free
    double value = 0;

    template <class Archive>
    void visit(Archive& archive) {
      archive(key, weight, value);
    }
  };
  static constexpr std::size_t kSlots = 1024;  // at most half of them are taken

 public:
  /// What a sample takes.
  static constexpr std::size_t kBytes = kSlots * sizeof(Entry);

  template <class Archive>
  void visit(Archive& archive) {
    std::vector<Entry> entries;
    if constexpr (!Archive::kReads) {
      entries = sorted();
      if (entries.size() == kValues) threshold_ = entries.back().key;
    }
    archive(threshold_, entries);
    if constexpr (Archive::kReads) {
      if (entries.size() > kValues) archive.refuse();
      slots_.clear();
      taken_ = 0;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        if (i > 0 && entry.key <= entries[i - 1].key) archive.refuse();
        if (entry.weight == 0 || entry.key != key_of(entry.value) || entry.key > threshold_)
          archive.refuse();
        count(entry.key, entry.value, entry.weight);
      }
    }
  }

 private:
  void count(std::uint64_t key, double value, std::uint64_t weight);
  /// The kept entries, by key.
  [[nodiscard]] std::vector<Entry> sorted() const;
  void prune();

  std::uint64_t threshold_ = std::numeric_limits<std::uint64_t>::max();  // keys above are ignored
  std::size_t taken_ = 0;
  std::vector<Entry> slots_;  // open addressing
};

}  // namespace bootfold::study
