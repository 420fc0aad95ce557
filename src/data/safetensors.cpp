#include "data/safetensors.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/output_file.h"
#include "text/quoted.h"

namespace bootfold::data {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeader = 100'000'000;  // the limit of the format's own reader

const std::map<std::string, std::uint64_t>& type_sizes() {
  static const std::map<std::string, std::uint64_t> kSizes = {
      {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"I32", 4}, {"I16", 2},
      {"I8", 1},  {"U64", 8}, {"U32", 4}, {"U16", 2},  {"U8", 1},  {"BOOL", 1}};
  return kSizes;
}

/// Bytes of an array, or nothing where the product is too large for one.
bool byte_count(const std::string& type, std::span<const std::size_t> shape, std::uint64_t& bytes) {
  const auto size = type_sizes().find(type);
  if (size == type_sizes().end()) return false;
  bytes = size->second;
  for (const std::size_t length : shape)
    if (__builtin_mul_overflow(bytes, std::uint64_t{length}, &bytes)) return false;
  return true;
}

bool is_size(const Json& value) { return value.is_number_unsigned(); }

}  // namespace

void write_safetensors(const std::string& path, const std::map<std::string, std::string>& words,
                       std::span<const Tensor> tensors) {
  text::OutputFile output(path);
  write_safetensors(output, path, words, tensors);
  output.commit();
}

void write_safetensors(text::OutputFile& output, const std::string& path,
                       const std::map<std::string, std::string>& words,
                       std::span<const Tensor> tensors) {
  nlohmann::ordered_json header;
  header["__metadata__"] = words;
  std::uint64_t at = 0;
  for (const Tensor& tensor : tensors) {
    std::uint64_t bytes = 0;
    std::uint64_t given = tensor.bytes.size();
    for (const auto& piece : tensor.more) given += piece.size();
    if (!byte_count(tensor.type, tensor.shape, bytes) || bytes != given)
      throw InvalidArgument(text::concat("array '", tensor.name, "' has ", given,
                                         " bytes, which does not match its type and shape"));
    header[tensor.name] = {
        {"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  // Text that is not UTF-8 (a column's name) must not keep a result from being written.
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');  // so that the arrays are aligned
  if (text.size() > kMostHeader)
    throw InvalidArgument(text::concat("the header of ", path, " takes ", text.size(),
                                       " bytes but the format allows at most ", kMostHeader));
  const std::uint64_t length = text.size();
  output.write(&length, sizeof length);
  output.write(text.data(), text.size());
  for (const Tensor& tensor : tensors) {
    output.write(tensor.bytes.data(), tensor.bytes.size());
    for (const auto& piece : tensor.more) output.write(piece.data(), piece.size());
  }
}

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    throw DataError(text::concat("cannot read ", path, ": No such file"));
  if (!std::filesystem::is_regular_file(status))
    throw DataError(text::concat("cannot read ", path, ": it is not a file"));
  const std::uint64_t size = std::filesystem::file_size(path, error);
  file_.open(path, std::ios::binary);
  if (error || !file_) throw DataError(text::concat("cannot read ", path, ": it cannot be opened"));
  std::uint64_t length = 0;
  file_.read(reinterpret_cast<char*>(&length), sizeof length);
  if (size < kLengthBytes || !file_) fail("it is too short");
  if (length > size - kLengthBytes || length > kMostHeader)
    fail("its header is longer than the file");
  std::string text(length, '\0');
  file_.read(text.data(), static_cast<std::streamsize>(length));
  if (!file_) fail("it cannot be read to its end");
  start_ = kLengthBytes + length;
  const std::uint64_t room = size - start_;

  const Json header = Json::parse(text, nullptr, false);
  if (!header.is_object()) fail("its header is not a JSON object");
  for (const auto& [name, value] : header.items()) {
    if (!value.is_object())
      fail(text::concat("entry ", text::quoted(name), " is not a JSON object"));
    if (name == "__metadata__") {
      for (const auto& [word, meaning] : value.items()) {
        if (!meaning.is_string())
          fail(text::concat("metadata ", text::quoted(word), " is not text"));
        words_[word] = meaning.get<std::string>();
      }
      continue;
    }
    const auto type = value.find("dtype");
    const auto shape = value.find("shape");
    const auto place = value.find("data_offsets");
    if (type == value.end() || shape == value.end() || place == value.end() || !type->is_string() ||
        !shape->is_array() || !place->is_array() || place->size() != 2 ||
        !std::all_of(shape->begin(), shape->end(), is_size) ||
        !std::all_of(place->begin(), place->end(), is_size))
      fail(text::concat("entry ", text::quoted(name), " has no dtype, shape or data_offsets"));
    Entry entry{type->get<std::string>(), shape->get<std::vector<std::size_t>>(),
                (*place)[0].get<std::uint64_t>(), (*place)[1].get<std::uint64_t>()};
    std::uint64_t bytes = 0;
    if (!byte_count(entry.type, entry.shape, bytes) || entry.first > entry.last ||
        entry.last - entry.first != bytes)
      fail(text::concat("the place of array ", text::quoted(name),
                        " does not fit its type and shape"));
    if (entry.last > room)
      fail(text::concat("array ", text::quoted(name),
                        " ends behind the end of the file; was it cut?"));
    entries_[name] = std::move(entry);
  }
  check_places(room);
}

const SafetensorsFile::Entry& SafetensorsFile::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) fail(text::concat("there is no array ", text::quoted(name)));
  return found->second;
}

// Gaps may hide bytes, and arrays that lie over each other could take more memory than the file.
void SafetensorsFile::check_places(std::uint64_t room) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  places.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) places.emplace_back(entry.first, entry.last);
  std::sort(places.begin(), places.end());
  std::uint64_t end = 0;
  for (const auto& [first, last] : places) {
    if (first != end) fail("its arrays are not contiguous");
    end = last;
  }
  if (end != room) fail("its arrays do not fill the file");
}

template <class Number>
std::vector<Number> SafetensorsFile::values(const std::string& name, const char* type) {
  const Entry& place = entry(name);
  if (place.type != type)
    fail(text::concat("array ", text::quoted(name), " is not of type ", type));
  std::vector<Number> values((place.last - place.first) / sizeof(Number));
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(start_ + place.first));
  file_.read(reinterpret_cast<char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(Number)));
  if (!file_) fail(text::concat("array ", text::quoted(name), " cannot be read"));
  return values;
}

std::vector<double> SafetensorsFile::doubles(const std::string& name) {
  return values<double>(name, "F64");
}

std::vector<float> SafetensorsFile::floats(const std::string& name) {
  return values<float>(name, "F32");
}

std::vector<std::byte> SafetensorsFile::bytes(const std::string& name) {
  return values<std::byte>(name, "U8");
}

void SafetensorsFile::read_all(const std::function<void(std::span<const std::byte>)>& see) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<std::byte> piece(kPiece);
  std::uint64_t left = 0;
  for (const auto& [name, entry] : entries_) left = std::max(left, entry.last);
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(start_));
  while (left > 0) {
    const std::size_t size = std::min<std::uint64_t>(left, kPiece);
    file_.read(reinterpret_cast<char*>(piece.data()), static_cast<std::streamsize>(size));
    if (!file_) fail("its arrays cannot be read");
    see({piece.data(), size});
    left -= size;
  }
}

void SafetensorsFile::fail(const std::string& why) const {
  throw DataError(text::concat("cannot read ", path_, " as safetensors: ", why));
}

}  // namespace bootfold::data
