#include "shard_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "bootfold/error.h"

namespace bootfold::cli {
namespace {

// Lists are lines. Names may hold line breaks, so these are written as \n, and \ as \\.
std::string lines(const std::vector<std::string>& items) {
  std::string all;
  for (const std::string& item : items) {
    for (const char letter : item) {
      if (letter == '\\') {
        all += "\\\\";
      } else if (letter == '\n') {
        all += "\\n";
      } else {
        all += letter;
      }
    }
    all += '\n';
  }
  return all;
}

std::vector<std::string> items(std::string_view lines) {
  std::vector<std::string> all;
  std::string item;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] == '\n') {
      all.push_back(std::exchange(item, {}));
    } else if (lines[i] == '\\' && i + 1 < lines.size()) {
      item += lines[++i] == 'n' ? '\n' : lines[i];
    } else {
      item += lines[i];
    }
  }
  return all;
}

std::string word(const shards::Words& words, const std::string& name) {
  const auto found = words.find(name);
  return found == words.end() ? std::string() : found->second;
}

/// Lines without a break at the end, as Python writes its statistics.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "\n") + name;
  return text;
}

constexpr const char* kNone = "none";
constexpr const char* kOmitted = "omitted rows";
constexpr const char* kFiltered = "filtered rows";
/// Which columns each statistic is of, if they are not all columns.
constexpr const char* kColumnsOfStatistics = "columns of statistics";

bool has_columns(const Statistic& statistic) { return !statistic.columns().empty(); }

std::uint64_t whole(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

shards::Words words_of(const Request& request) {
  const data::ReadOptions& read = request.read;
  shards::Words words{{"statistics", listed(request.statistic_texts)},
                      {"columns", lines(read.columns)},
                      {"nan", read.nan == data::NanPolicy::omit ? "omit" : "error"},
                      {"where", read.where}};
  if (read.decimal) words["decimal"] = std::string(1, *read.decimal);
  if (read.header) words["header"] = *read.header ? "yes" : "no";
  if (read.delimiter) words["delimiter"] = std::string(1, *read.delimiter);
  if (read.thousands)
    words["thousands"] =
        *read.thousands == data::kNoSeparator ? kNone : std::string(1, *read.thousands);
  if (read.missing) words["missing"] = lines(*read.missing);
  if (!read.labels.empty()) words["labels"] = listed(read.labels);
  if (std::ranges::any_of(request.statistics, &has_columns)) {
    std::vector<std::string> columns;
    for (const Statistic& statistic : request.statistics)
      columns.push_back(lines(statistic.columns()));
    words[kColumnsOfStatistics] = lines(columns);
  }
  return words;
}

std::vector<Statistic> statistics_of(const shards::Words& words) {
  std::vector<Statistic> statistics;
  for (const std::string& name : items(word(words, "statistics") + "\n"))
    if (!name.empty()) statistics.push_back(statistic::parse(name));
  const std::vector<std::string> columns = items(word(words, kColumnsOfStatistics));
  for (std::size_t i = 0; i < std::min(columns.size(), statistics.size()); ++i)
    if (!has_columns(statistics[i]) && !columns[i].empty())
      statistics[i] = statistics[i].with_columns(items(columns[i]));
  if (statistics.empty())
    throw DataError("it does not name its statistics; make it with bootfold look");
  return statistics;
}

bool tells_reading(const shards::Words& words) { return words.contains("columns"); }

data::ReadOptions read_options_of(const shards::Words& words) {
  data::ReadOptions read;
  read.columns = items(word(words, "columns"));
  if (word(words, "nan") == "omit") read.nan = data::NanPolicy::omit;
  read.where = word(words, "where");
  if (const std::string decimal = word(words, "decimal"); !decimal.empty())
    read.decimal = decimal[0];
  if (const std::string header = word(words, "header"); !header.empty())
    read.header = header == "yes";
  if (const std::string delimiter = word(words, "delimiter"); !delimiter.empty())
    read.delimiter = delimiter[0];
  if (const std::string thousands = word(words, "thousands"); !thousands.empty())
    read.thousands = thousands == kNone ? data::kNoSeparator : thousands[0];
  if (words.contains("missing")) read.missing = items(word(words, "missing"));
  if (words.contains("labels")) read.labels = items(word(words, "labels") + "\n");
  return read;
}

std::vector<Shard> shards_of(const shards::Words& words) {
  std::vector<Shard> shards;
  const std::vector<std::string> fields = items(word(words, "shards"));
  for (std::size_t i = 0; i + 2 < fields.size(); i += 3)
    shards.push_back({fields[i], whole(fields[i + 1]), whole(fields[i + 2])});
  return shards;
}

void set_shards(shards::Words& words, const std::vector<Shard>& shards) {
  std::vector<std::string> fields;
  for (const Shard& shard : shards) {
    fields.push_back(shard.file);
    fields.push_back(std::to_string(shard.first));
    fields.push_back(std::to_string(shard.rows));
  }
  words["shards"] = lines(fields);
}

std::optional<LeftOut> left_out_of(const shards::Words& words) {
  if (!words.contains(kOmitted) || !words.contains(kFiltered)) return std::nullopt;
  return LeftOut{whole(word(words, kOmitted)), whole(word(words, kFiltered))};
}

void set_left_out(shards::Words& words, const std::optional<LeftOut>& rows) {
  words.erase(kOmitted);
  words.erase(kFiltered);
  if (!rows) return;
  words[kOmitted] = std::to_string(rows->omitted);
  words[kFiltered] = std::to_string(rows->filtered);
}

std::string shard_name(const std::vector<std::string>& files) {
  return fmt::format("{}", fmt::join(files, ", "));
}

}  // namespace bootfold::cli
