// What looks and parts consist of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bootfold/shards.h"
#include "bootstrap/families.h"
#include "planning/partial_sums.h"
#include "shards/labels_look.h"
#include "study/column_look.h"

namespace bootfold::shards {

/// Rows of so few that a look keeps them all. [column][row]
struct KeptRows {
  static constexpr std::uint64_t kMost = 4096;

  struct Piece {
    std::uint64_t first = 0;
    std::vector<std::vector<double>> columns = {};
    std::vector<std::string> labels = {};  // of strata or clusters

    [[nodiscard]] bool operator==(const Piece&) const = default;
    [[nodiscard]] std::uint64_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
    template <class Archive>
    void visit(Archive& archive) {
      archive(first, columns, labels);
      if constexpr (Archive::kReads) {
        for (const auto& column : columns)
          if (column.size() != columns[0].size()) archive.refuse();
        if (!labels.empty() && labels.size() != rows()) archive.refuse();
      }
    }
  };

  std::vector<Piece> pieces = {};  // by row

  void merge(const KeptRows& other);
  [[nodiscard]] bool operator==(const KeptRows&) const = default;
  template <class Archive>
  void visit(Archive& archive) {
    archive(pieces);
  }
};

/// A list of contents as one level, however deep a file says they are: number of items, items.
template <class Archive, class Contents>
void visit_kinds(Archive& archive, std::vector<Contents>& kinds) {
  std::uint64_t size = kinds.size();
  archive(size);
  if constexpr (Archive::kReads) {
    kinds.clear();
    for (; size > 0; --size) kinds.emplace_back().visit_one(archive);  // ends where bytes do
  } else {
    for (Contents& kind : kinds) kind.visit_one(archive);
  }
}

struct Look::Contents {
  std::vector<std::string> names = {};       // of the columns
  std::vector<std::string> statistics = {};  // described
  Words words = {};
  study::ColumnsLook look = {};
  LabelsLook labels = {};
  std::optional<KeptRows> kept = std::nullopt;  // of few rows
  /// If statistics are of different kinds: a look at the columns of each kind.
  std::vector<Contents> kinds = {};

  [[nodiscard]] bool operator==(const Contents& other) const;

  template <class Archive>
  void visit(Archive& archive) {
    visit_one(archive);
    visit_kinds(archive, kinds);
    if constexpr (Archive::kReads)
      for (const Contents& kind : kinds)
        if (kind.kept || kind.labels.kind != Labelled::no ||
            kind.look.seen().ranges() != look.seen().ranges())
          archive.refuse();
  }
  /// All but the kinds, which have no kinds themselves.
  template <class Archive>
  void visit_one(Archive& archive) {
    archive(names, statistics, words, look, labels, kept);
    if constexpr (Archive::kReads) {
      if (names.empty() || look.columns().size() != names.size() || !labels.suits(look.seen()))
        archive.refuse();
      if (kept) {
        std::vector<study::RowRange> there;
        for (const KeptRows::Piece& piece : kept->pieces) {
          if (piece.columns.size() != names.size() ||
              piece.labels.empty() != (labels.kind == Labelled::no))
            archive.refuse();
          there.push_back({piece.first, piece.first + piece.rows()});
        }
        if (there != look.seen().ranges() || look.seen().count() > KeptRows::kMost)
          archive.refuse();
      }
    }
  }
};

struct Part::Contents {
  std::uint64_t fingerprint = 0;  // of the plan
  std::vector<planning::PartialSums> sums = {};
  std::vector<Contents> kinds = {};  // of statistics of different kinds

  template <class Archive>
  void visit(Archive& archive) {
    visit_one(archive);
    visit_kinds(archive, kinds);
  }
  /// All but the kinds, which have no kinds themselves.
  template <class Archive>
  void visit_one(Archive& archive) {
    archive(fingerprint, sums);
  }
};

/// The statistics by kind, each with its columns; one family if all are of one kind or rows have
/// labels. The same for a look, its plan and its parts.
[[nodiscard]] std::vector<Family> kinds_of(const std::vector<std::string>& names,
                                           std::span<const Statistic> statistics,
                                           Labelled labelled);

/// A look at no row yet.
[[nodiscard]] Look::Contents empty_look(std::vector<std::string> names,
                                        std::span<const Statistic> statistics);
/// Looks at rows first, first + 1, ... of the data too; they are not kept.
void see(Look::Contents& look, std::span<const Statistic> statistics, const DataView& rows,
         std::uint64_t first, std::size_t memory, const Execution& execution);

/// Throws InvalidArgument unless there is a label for each row.
void check_labels(const data::Labels& labels, std::uint64_t rows);

/// Throws InvalidArgument for a statistic that rows in pieces do not give, unless a look kept them.
void check_added(std::span<const Statistic> statistics);

/// A statistic in words, with its parameters.
[[nodiscard]] std::string describe(const Statistic& statistic);

}  // namespace bootfold::shards
