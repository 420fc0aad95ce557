// Text files, plain or compressed with gzip: zlib reads both through the same call.
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "bootfold/error.h"
#include "data/records.h"
#include "data/text_input.h"
#include "text/concat.h"
#include "text/reason.h"

namespace bootfold::data {

struct TextInput::File {
  gzFile zlib;
};

TextInput::TextInput(const std::string& path, const std::string& label)
    : file_(std::make_unique<File>()) {
  const int number = open_text(path, label);
  file_->zlib = ::gzdopen(number, "rb");
  if (file_->zlib == nullptr) {
    ::close(number);
    throw std::bad_alloc();
  }
  // Under half a block: plain text then skips zlib's own buffer.
  ::gzbuffer(file_->zlib, Records::kBlock / 4);
}

TextInput::~TextInput() { ::gzclose_r(file_->zlib); }

std::size_t TextInput::read(char* out, std::size_t size, const std::string& label) {
  errno = 0;
  const int got = ::gzread(file_->zlib, out, static_cast<unsigned>(size));
  const int system_error = errno;
  int code = Z_OK;
  if (got < static_cast<int>(size)) ::gzerror(file_->zlib, &code);
  if (code == Z_BUF_ERROR)
    throw DataError(text::concat(label, ": the gzip data end too early; is the file complete?"));
  if (code == Z_ERRNO)
    throw DataError(text::concat("cannot read ", label, ": ", text::reason(system_error)));
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
    throw DataError(text::concat(label, ": the gzip data are damaged"));
  return static_cast<std::size_t>(got);
}

std::uint64_t TextInput::position() const noexcept {
  return static_cast<std::uint64_t>(std::max<z_off_t>(0, ::gzoffset(file_->zlib)));
}

}  // namespace bootfold::data
