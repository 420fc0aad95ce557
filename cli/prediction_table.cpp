#include "prediction_table.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "console.h"
#include "failure.h"
#include "report.h"
#include "text.h"
#include "text/output_file.h"

namespace bootfold::cli {
namespace {

constexpr std::size_t kRowsAtOnce = 4096;  // of text

// As RFC 4180 wants it.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

/// The table as CSV, piece by piece. Numbers read back as the same bits.
class CsvPieces {
 public:
  explicit CsvPieces(const PredictionTable& table) : table_(table) {}

  std::string operator()() {
    std::string text;
    if (!headed_) {
      for (const std::string& name : names_of(table_))
        text += (text.empty() ? "" : ",") + field(name);
      text += '\n';
      headed_ = true;
    }
    for (std::size_t row = 0; row < kRowsAtOnce && table_.predictions.next(); ++row) add_row(text);
    return text;
  }

 private:
  void add_row(std::string& text) const {
    const PredictionRows& predictions = table_.predictions;
    for (const data::Texts* kept : table_.kept) text += field((*kept)[predictions.row()]) + ',';
    const std::vector<double> values = predictions.values();
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (c > 0) text += ',';
      if (predictions.empty()) continue;
      const std::string* name = c == 0 ? predictions.class_name() : nullptr;
      if (name != nullptr)
        text += field(*name);
      else
        fmt::format_to(std::back_inserter(text), "{}", values[c]);
    }
    text += '\n';
  }

  const PredictionTable& table_;
  bool headed_ = false;
};

/// The predictions as numbers, piece by piece.
class NumberPieces {
 public:
  explicit NumberPieces(PredictionRows& predictions) : predictions_(predictions) {}

  std::vector<double> operator()() {
    std::vector<double> values;
    for (std::size_t row = 0; row < kRowsAtOnce && predictions_.next(); ++row) {
      const std::vector<double> own = predictions_.values();
      values.insert(values.end(), own.begin(), own.end());
    }
    return values;
  }

 private:
  PredictionRows& predictions_;
};

Json json_of(const data::Texts& kept, std::size_t row) {
  Json text = std::string(kept[row]);
  try {
    static_cast<void>(text.dump());
  } catch (const Json::exception&) {
    throw DataError(
        fmt::format("column '{}' is not UTF-8 in row {}, which JSON needs; convert the file with "
                    "iconv, or write CSV",
                    one_line(kept.column()), row + 1));
  }
  return text;
}

}  // namespace

std::vector<std::string> names_of(const PredictionTable& table) {
  std::vector<std::string> names;
  for (const data::Texts* kept : table.kept) names.push_back(kept->column());
  const std::vector<std::string>& own = table.predictions.names();
  names.insert(names.end(), own.begin(), own.end());
  return names;
}

void write_table(const PredictionTable& table, const std::string& path) {
  try {
    if (path.ends_with(".npy"))
      data::write_npy(path, NumberPieces(table.predictions),
                      std::array{table.predictions.rows(), table.predictions.names().size()});
    else
      text::write_file(path, CsvPieces(table));
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

void print_table(const PredictionTable& table) {
  CsvPieces pieces(table);
  for (std::string piece = pieces(); !piece.empty(); piece = pieces()) print(piece);
}

// JSON is one piece: there is no smaller way.
void check_json(const PredictionTable& table, std::size_t memory) {
  constexpr double kBytes = 48;  // of a number, and of its text
  const double needed = static_cast<double>(table.predictions.rows()) *
                        static_cast<double>(names_of(table).size()) * kBytes;
  if (needed > static_cast<double>(memory))
    throw InvalidArgument(fmt::format(
        "the predictions as one JSON object take about {} but the memory limit is {}; write "
        "them to a file with --output, which works in parts, or give more with --memory",
        bytes(needed), bytes(static_cast<double>(memory))));
}

Json columns_of(const PredictionTable& table) {
  PredictionRows& predictions = table.predictions;
  Json columns;
  for (const std::string& name : names_of(table)) columns[name] = Json::array();
  while (predictions.next()) {
    for (const data::Texts* kept : table.kept)
      columns[kept->column()].push_back(json_of(*kept, predictions.row()));
    const std::vector<double> values = predictions.values();
    for (std::size_t c = 0; c < values.size(); ++c) {
      Json& column = columns[predictions.names()[c]];
      const std::string* name = c == 0 && !predictions.empty() ? predictions.class_name() : nullptr;
      if (predictions.empty())
        column.push_back(nullptr);
      else if (name != nullptr)
        column.push_back(*name);
      else if (c + 1 == values.size())
        column.push_back(static_cast<std::uint64_t>(values[c]));  // outside is a count
      else
        column.push_back(values[c]);
    }
  }
  return columns;
}

}  // namespace bootfold::cli
