// The labels of rows that were looked at: strata, or clusters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bootfold/labels.h"
#include "study/row_ranges.h"

namespace bootfold::shards {

/// What the labels of rows stand for.
enum class Labelled : std::uint8_t { no, strata, clusters };

/// A hash of labels and their places that adds up over pieces of the rows, as content_hash() does.
/// The first label is that of row `first`.
[[nodiscard]] std::uint64_t label_hash(const data::Labels& labels, std::uint64_t first);

/// How many rows of each stratum every piece of the rows has. The place of a row within its stratum
/// follows from the pieces before it. Of clusters nothing has to be known in advance.
struct LabelsLook {
  struct Piece {
    std::uint64_t first = 0;
    std::uint64_t rows = 0;
    std::vector<std::uint64_t> counts = {};  // by name

    [[nodiscard]] bool operator==(const Piece&) const = default;
    template <class Archive>
    void visit(Archive& archive) {
      archive(first, rows, counts);
    }
  };

  Labelled kind = Labelled::no;
  std::vector<std::string> names = {};  // of strata, rising by bytes
  std::vector<Piece> pieces = {};       // of strata, by row
  std::uint64_t content = 0;            // label_hash() of all rows

  /// Counts the rows of a piece with these labels, from row `first` of the data on.
  [[nodiscard]] static LabelsLook of(Labelled kind, const data::Labels& labels,
                                     std::uint64_t first);

  void shift(std::uint64_t rows);
  /// The same kind of labels, at other rows.
  void merge(const LabelsLook& other);
  /// The rows of each stratum before row `first`, which must begin a piece or be the end. Throws
  /// InvalidArgument.
  [[nodiscard]] std::vector<std::uint64_t> before(std::uint64_t first) const;
  /// Rows of each stratum.
  [[nodiscard]] std::vector<std::uint64_t> sizes() const;

  /// Whether these are labels of such rows.
  [[nodiscard]] bool suits(const study::RowRanges& rows) const;

  [[nodiscard]] bool operator==(const LabelsLook&) const = default;

  template <class Archive>
  void visit(Archive& archive) {
    archive(kind, names, pieces, content);
    if constexpr (Archive::kReads) {
      if (!is_possible()) archive.refuse();
    }
  }

 private:
  [[nodiscard]] bool is_possible() const;
  /// Gives counts a place for each of some more names.
  void widen(const std::vector<std::string>& all);
};

}  // namespace bootfold::shards
