// cli/shard_words.h: what a look and a plan say in words, so that later commands need not be told
// again how files are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "bootfold/data.h"
#include "bootfold/shards.h"

namespace bootfold::cli {

/// Names of statistics, their columns, and how files are read, as words.
[[nodiscard]] shards::Words words_of(const Request& request);

/// The statistics of a look or plan. Throws DataError if it does not name them.
[[nodiscard]] std::vector<Statistic> statistics_of(const shards::Words& words);
/// Whether it tells how its files are read. Looks and plans that were made in Python do not.
[[nodiscard]] bool tells_reading(const shards::Words& words);
/// How its files are read.
[[nodiscard]] data::ReadOptions read_options_of(const shards::Words& words);

/// A file, or files read together, and where its rows lie.
struct Shard {
  std::string file;
  std::uint64_t first = 0;
  std::uint64_t rows = 0;
};

/// The shards of a plan, in the order of their rows.
[[nodiscard]] std::vector<Shard> shards_of(const shards::Words& words);
void set_shards(shards::Words& words, const std::vector<Shard>& shards);

/// Rows that were left out when shards were looked at.
struct LeftOut {
  std::uint64_t omitted = 0;   ///< rows with missing values
  std::uint64_t filtered = 0;  ///< rows that --where left out
};
/// How many rows were left out; nothing if that is not known, as of looks of Python.
[[nodiscard]] std::optional<LeftOut> left_out_of(const shards::Words& words);
void set_left_out(shards::Words& words, const std::optional<LeftOut>& rows);

/// "a.csv" or "a.csv, b.csv": what a shard is called.
[[nodiscard]] std::string shard_name(const std::vector<std::string>& files);

}  // namespace bootfold::cli
