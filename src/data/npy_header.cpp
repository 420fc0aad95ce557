// The header is a Python dict: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
#include "data/npy_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are used as they lie in the file");

constexpr std::size_t kMagicSize = sizeof kNpyMagic - 1;
constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kMostArrayColumns = std::size_t{1} << 48;

// Reads the few kinds of Python literals that headers are made of.
class Literals {
 public:
  Literals(std::string_view text, const std::string& label) : rest_(text), label_(label) {}

  // Skips white space, then `wanted` if it comes next.
  bool accept(std::string_view wanted) {
    while (!rest_.empty() && (rest_[0] == ' ' || (rest_[0] >= '\t' && rest_[0] <= '\r')))
      rest_.remove_prefix(1);
    if (rest_.substr(0, wanted.size()) != wanted) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }

  void expect(std::string_view wanted) {
    if (!accept(wanted)) fail();
  }

  std::string_view string() {
    const char quote = accept("'") ? '\'' : '"';
    if (quote == '"') expect("\"");
    const std::size_t size = rest_.find(quote);
    if (size == std::string_view::npos) fail();
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size + 1);
    return text;
  }

  bool boolean() {
    if (accept("True")) return true;
    expect("False");
    return false;
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> sizes;
    expect("(");
    while (!accept(")")) {
      accept("");
      std::size_t size = 0;
      const char* end = rest_.data() + rest_.size();
      const auto [stop, error] = std::from_chars(rest_.data(), end, size);
      if (error == std::errc::result_out_of_range)
        throw DataError(label_ +
                        ": the header gives a shape beyond any memory; the file is damaged");
      if (error != std::errc() || sizes.size() == kMostDimensions) fail();
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      accept("L");  // Python 2
      sizes.push_back(size);
      if (!accept(",")) {
        expect(")");
        break;
      }
    }
    return sizes;
  }

  [[noreturn]] void fail() const {
    throw DataError(label_ + ": the .npy header is damaged at " +
                    text::quoted(rest_.substr(0, 20)) + "; save the array again with numpy.save");
  }

 private:
  std::string_view rest_;
  const std::string& label_;
};

Type parse_type(std::string_view descr, const std::string& label) {
  struct Known {
    std::string_view code;
    Type type;
  };
  static constexpr std::array<Known, 11> kKnown = {{{"f8", Type::float64},
                                                    {"f4", Type::float32},
                                                    {"i8", Type::int64},
                                                    {"i4", Type::int32},
                                                    {"i2", Type::int16},
                                                    {"i1", Type::int8},
                                                    {"u8", Type::uint64},
                                                    {"u4", Type::uint32},
                                                    {"u2", Type::uint16},
                                                    {"u1", Type::uint8},
                                                    {"b1", Type::boolean}}};
  const std::string_view code = descr.empty() ? descr : descr.substr(1);
  const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const Known& entry) { return entry.code == code; });
  const char order = descr.empty() ? ' ' : descr[0];
  if (known == kKnown.end() || std::string_view("<>=|").find(order) == std::string_view::npos ||
      (order == '|' && size_of(known->type) > 1))
    throw DataError(
        text::concat(label, " holds values of type ", text::quoted(descr),
                     "; only real numbers of 1 to 8 bytes (float32, float64, integers, bool) "
                     "can be read, convert with array.astype('float64')"));
  if (order == '>' && size_of(known->type) > 1)
    throw DataError(text::concat(label, " holds big-endian values (", text::quoted(descr),
                                 "); convert with array.astype('<", code, "')"));
  return known->type;
}

// Checks that `shape` values fit into `available` bytes and fills rows and columns.
void set_shape(NpyHeader& header, const std::vector<std::size_t>& shape, std::uint64_t available,
               const std::string& label) {
  if (shape.empty() || shape.size() > 2)
    throw DataError(text::concat(label, " has ", shape.size(),
                                 " dimensions but must have 1 or 2 (rows, columns); "
                                 "reshape the array before saving"));
  header.rows = shape[0];
  header.columns = shape.size() == 2 ? shape[1] : 1;
  if (header.columns == 0) throw DataError(label + " has no columns");
  if (header.columns > kMostArrayColumns)
    throw DataError(label + ": the header gives a shape beyond any memory; the file is damaged");
  const std::uint64_t fit = available / size_of(header.type);
  if (header.rows > fit / header.columns)
    throw DataError(text::concat(label, ": the header promises ", header.rows, " x ",
                                 header.columns, " ", name(header.type),
                                 " values but the file ends after ", fit, "; is it complete?"));
}

}  // namespace

void check_no_missing_words(const ReadOptions& options, const std::string& path) {
  if (options.missing)
    throw InvalidArgument(text::concat(
        "missing is given, but ", path,
        " is an array, in which missing values are NaN; write NaN there before it is saved"));
}

NpyHeader parse_npy_header(std::span<const std::byte> file_start, std::uint64_t file_size,
                           const std::string& label) {
  const std::string_view text(reinterpret_cast<const char*>(file_start.data()), file_start.size());
  if (text.substr(0, kMagicSize) != std::string_view(kNpyMagic, kMagicSize))
    throw DataError(label + " is not a .npy file: it does not start with \\x93NUMPY");
  const std::string cut = label + ": the .npy header is cut off; is the file complete?";
  if (text.size() < kMagicSize + 2) throw DataError(cut);
  const int major = static_cast<unsigned char>(text[kMagicSize]);
  if (major < 1 || major > 3)
    throw DataError(text::concat(label, " has .npy format version ", major,
                                 " but only 1 to 3 are known; save it again with numpy.save"));
  std::size_t start = kMagicSize + 2;
  const std::size_t length_size = major == 1 ? 2 : 4;
  if (text.size() - start < length_size) throw DataError(cut);
  std::uint32_t length = 0;
  std::memcpy(&length, text.data() + start, length_size);
  start += length_size;
  if (length > file_size - start) throw DataError(cut);
  if (length > text.size() - start)
    throw DataError(label + ": the .npy header is too long; save the array again with numpy.save");

  Literals literals(text.substr(start, length), label);
  bool has_type = false, has_order = false, has_shape = false;
  NpyHeader header;
  std::vector<std::size_t> shape;
  literals.expect("{");
  while (!literals.accept("}")) {
    const std::string_view key = literals.string();
    literals.expect(":");
    if (key == "descr") {
      if (literals.accept("["))
        throw DataError(label +
                        " holds records with several fields; save the field you need as "
                        "an array of its own");
      header.type = parse_type(literals.string(), label);
      has_type = true;
    } else if (key == "fortran_order") {
      header.fortran_order = literals.boolean();
      has_order = true;
    } else if (key == "shape") {
      shape = literals.tuple();
      has_shape = true;
    } else {
      literals.fail();
    }
    if (!literals.accept(",")) {
      literals.expect("}");
      break;
    }
  }
  if (!has_type || !has_order || !has_shape)
    throw DataError(label +
                    ": the .npy header lacks descr, fortran_order or shape; save the array "
                    "again with numpy.save");
  header.offset = start + length;
  set_shape(header, shape, file_size - header.offset, label);
  return header;
}

std::string make_npy_header(std::span<const std::size_t> shape) {
  std::string dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  for (const std::size_t size : shape) dict += std::to_string(size) + ", ";
  if (shape.size() > 1) dict.resize(dict.size() - 2);  // (3, 4) but (3, )
  dict += "), }";
  constexpr std::size_t kPrefix = kMagicSize + 4;
  constexpr std::size_t kAlignment = 64;
  while ((kPrefix + dict.size() + 1) % kAlignment != 0) dict += ' ';
  dict += '\n';
  const auto length = static_cast<std::uint16_t>(dict.size());
  std::string header(kNpyMagic, kMagicSize);
  header += {'\1', '\0', static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  return header + dict;
}

}  // namespace bootfold::data
