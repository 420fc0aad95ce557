// Counts of many bins: a list while few of them hold values, so that looks at small shards are
// small, and an array beyond that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bootfold::study {

class BinCounts {
 public:
  static constexpr std::size_t kBins = std::size_t{1} << 20;

  /// A bin that holds values.
  struct Bin {
    std::uint64_t bin = 0;
    std::uint64_t count = 0;

    [[nodiscard]] bool operator==(const Bin&) const = default;
    template <class Archive>
    void visit(Archive& archive) {
      archive(bin, count);
    }
  };

  /// Adds bins in rising order.
  void add(const std::vector<Bin>& bins);
  /// Adds the counts of all bins.
  void add(std::span<const std::uint32_t> counts);
  void add(const BinCounts& other);

  /// Calls visit(bin, count) in rising order for bins that hold values, until it returns false.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Bin& one : few_)
      if (!visit(one.bin, one.count)) return;
    for (std::size_t bin = 0; bin < all_.size(); ++bin)
      if (all_[bin] != 0 && !visit(bin, all_[bin])) return;
  }

  /// Which of the two it is depends on the counts alone.
  [[nodiscard]] bool operator==(const BinCounts&) const = default;

  /// As Archive::sparse() of an array.
  template <class Archive>
  void visit(Archive& archive) {
    std::vector<Bin> bins;
    if constexpr (!Archive::kReads)
      for_each([&](std::uint64_t bin, std::uint64_t count) {
        bins.push_back({bin, count});
        return true;
      });
    std::uint64_t size = bins.empty() ? 0 : kBins;
    archive(size, bins);
    if constexpr (Archive::kReads) {
      if (size != (bins.empty() ? 0 : kBins)) archive.refuse();
      for (std::size_t i = 0; i < bins.size(); ++i)
        if (bins[i].bin >= kBins || bins[i].count == 0 || (i > 0 && bins[i].bin <= bins[i - 1].bin))
          archive.refuse();
      *this = BinCounts();
      add(bins);
    }
  }

 private:
  void make_array();

  std::vector<Bin> few_;            // in rising order
  std::vector<std::uint64_t> all_;  // if there are more than a list may have
};

}  // namespace bootfold::study
