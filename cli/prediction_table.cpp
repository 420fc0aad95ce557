#include "prediction_table.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

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

/// The names of a set, separated by "|". In a name that and a backslash have a backslash before.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += '|';
    for (const char c : names[i]) {
      if (c == '|' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text;
}

/// The table as CSV, piece by piece. Numbers read back as the same bits.
class CsvPieces {
 public:
  explicit CsvPieces(PredictionRows& predictions) : predictions_(predictions) {}

  std::string operator()() {
    std::string text;
    if (!headed_) {
      for (const std::string& name : names_of(predictions_))
        text += (text.empty() ? "" : ",") + field(name);
      text += '\n';
      headed_ = true;
    }
    for (std::size_t row = 0; row < kRowsAtOnce && predictions_.next(); ++row) add_row(text);
    return text;
  }

 private:
  void add_row(std::string& text) const {
    for (std::size_t c = 0; c < predictions_.kept_names().size(); ++c)
      text += field(predictions_.kept(c)) + ',';
    const std::vector<double> values = predictions_.values();
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (c > 0) text += ',';
      if (predictions_.empty()) continue;
      const std::string* name = c == 0 ? predictions_.class_name() : nullptr;
      if (name != nullptr)
        text += field(*name);
      else if (predictions_.has_sets(c))
        text += field(joined(predictions_.set(c)));
      else
        fmt::format_to(std::back_inserter(text), "{}",
                       std::isnan(values[c]) ? std::abs(values[c]) : values[c]);
    }
    text += '\n';
  }

  PredictionRows& predictions_;
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

Json json_of(const PredictionRows& predictions, std::size_t kept) {
  Json text = std::string(predictions.kept(kept));
  try {
    static_cast<void>(text.dump());
  } catch (const Json::exception&) {
    throw DataError(
        fmt::format("column '{}' is not UTF-8 in row {}, which JSON needs; convert the file with "
                    "iconv, or write CSV",
                    one_line(predictions.kept_names()[kept]), predictions.row() + 1));
  }
  return text;
}

}  // namespace

std::vector<std::string> names_of(const PredictionRows& predictions) {
  std::vector<std::string> names = predictions.kept_names();
  const std::vector<std::string>& own = predictions.names();
  names.insert(names.end(), own.begin(), own.end());
  return names;
}

void write_table(PredictionRows& predictions, const std::string& path) {
  try {
    if (path.ends_with(".npy"))
      data::write_npy(path, NumberPieces(predictions),
                      std::array{predictions.rows(), predictions.names().size()});
    else
      text::write_file(path, CsvPieces(predictions));
  } catch (const DataError& error) {
    throw Failure(error.what());
  }
}

void print_table(PredictionRows& predictions) {
  CsvPieces pieces(predictions);
  for (std::string piece = pieces(); !piece.empty(); piece = pieces()) print(piece);
}

// JSON is one piece: there is no smaller way.
void check_json(const PredictionRows& predictions, std::size_t memory) {
  constexpr double kBytes = 48;  // of a number, and of its text
  const double needed = static_cast<double>(predictions.rows()) *
                        static_cast<double>(names_of(predictions).size()) * kBytes;
  if (needed > static_cast<double>(memory))
    throw InvalidArgument(fmt::format(
        "the predictions as one JSON object take about {} but the memory limit is {}; write "
        "them to a file with --output, which works in parts, or give more with --memory",
        bytes(needed), bytes(static_cast<double>(memory))));
}

Json columns_of(PredictionRows& predictions) {
  Json columns;
  const std::vector<std::string>& kept = predictions.kept_names();
  for (const std::string& name : names_of(predictions)) columns[name] = Json::array();
  while (predictions.next()) {
    for (std::size_t c = 0; c < kept.size(); ++c)
      columns[kept[c]].push_back(json_of(predictions, c));
    const std::vector<double> values = predictions.values();
    for (std::size_t c = 0; c < values.size(); ++c) {
      Json& column = columns[predictions.names()[c]];
      const std::string* name = c == 0 && !predictions.empty() ? predictions.class_name() : nullptr;
      if (predictions.empty())
        column.push_back(nullptr);
      else if (name != nullptr)
        column.push_back(*name);
      else if (predictions.has_sets(c))
        column.push_back(predictions.set(c));
      else if (c + 1 == values.size())
        column.push_back(static_cast<std::uint64_t>(values[c]));  // outside is a count
      else
        column.push_back(values[c]);
    }
  }
  return columns;
}

}  // namespace bootfold::cli
