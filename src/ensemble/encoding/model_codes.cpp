// The codes of a trained model.
#include <string>
#include <unordered_map>
#include <utility>

#include "bootfold/ensemble/encoding.h"
#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::ensemble {

struct EncodingCodes::State {
  Encoding encoding;
  std::size_t first;
  bool keep_missing;
  std::vector<std::unordered_map<std::string, double>> levels = {};  // of each input

  [[nodiscard]] const InputEncoding* input(std::size_t column) const {
    const bool is_input = column >= first && column - first < encoding.inputs.size();
    return is_input ? &encoding.inputs[column - first] : nullptr;
  }
};

EncodingCodes::EncodingCodes(Encoding encoding, std::size_t first, bool keep_missing)
    : state_(std::make_unique<State>(State{std::move(encoding), first, keep_missing})) {
  for (const InputEncoding& input : state_->encoding.inputs) {
    auto& codes = state_->levels.emplace_back();
    for (std::size_t l = 0; l < input.levels.size(); ++l)
      codes.emplace(input.levels[l], text_code(l));
  }
}

EncodingCodes::~EncodingCodes() = default;

data::FieldUse EncodingCodes::use(std::size_t column) const {
  const InputEncoding* input = state_->input(column);
  if (input == nullptr || input->kind == InputKind::number) return data::FieldUse::numbers;
  return input->kind == InputKind::date ? data::FieldUse::all : data::FieldUse::texts;
}

bool EncodingCodes::keeps_missing(std::size_t column) const {
  return state_->keep_missing && state_->encoding.accepts_missing &&
         state_->input(column) != nullptr;
}

double EncodingCodes::code(std::size_t column, std::string_view text,
                           std::optional<double> number) {
  const InputEncoding* input = state_->input(column);
  const auto& levels = state_->levels.at(column - state_->first);
  if (input->kind == InputKind::date) {
    if (const std::optional<double> seconds = parse_date(text)) return *seconds;
    throw InvalidArgument(text::concat(
        text::quoted(text),
        " is not a date such as 2024-01-28 or 2024-01-28 13:05:00, but the model needs one"));
  }
  const auto known = levels.find(std::string(text));
  if (known != levels.end()) return known->second;
  return input->kind == InputKind::boolean && number ? *number : unknown_text_code(text);
}

}  // namespace bootfold::ensemble
