// Text files in a build without zlib: a compressed file is an error.
#include <unistd.h>

#include <cerrno>

#include "bootfold/error.h"
#include "data/text_input.h"
#include "text/concat.h"
#include "text/reason.h"

namespace bootfold::data {

struct TextInput::File {
  int number;
  bool started;
  std::uint64_t position;
};

TextInput::TextInput(const std::string& path, const std::string& label)
    : file_(std::make_unique<File>(File{open_text(path, label), false, 0})) {}

TextInput::~TextInput() { ::close(file_->number); }

std::size_t TextInput::read(char* out, std::size_t size, const std::string& label) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t part = ::read(file_->number, out + got, size - got);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) throw DataError(text::concat("cannot read ", label, ": ", text::reason(errno)));
    if (part == 0) break;
    got += static_cast<std::size_t>(part);
  }
  if (!file_->started && got >= 2 && out[0] == '\x1f' && out[1] == '\x8b')
    throw DataError(text::concat(label,
                                 " is compressed with gzip, which this build of bootfold cannot "
                                 "read (it was built with BOOTFOLD_ZLIB=OFF); unpack it first"));
  file_->started = true;
  file_->position += got;
  return got;
}

std::uint64_t TextInput::position() const noexcept { return file_->position; }

}  // namespace bootfold::data
