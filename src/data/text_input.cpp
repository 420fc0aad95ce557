#include "data/text_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/reason.h"

namespace bootfold::data {

int open_text(const std::string& path, const std::string& label) {
  const int number = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) throw DataError(text::concat("cannot open ", label, ": ", text::reason(errno)));
  struct stat info {};
  if (::fstat(number, &info) == 0 && S_ISDIR(info.st_mode)) {
    ::close(number);
    throw DataError(text::concat(label, " is a directory, not a file"));
  }
  return number;
}

}  // namespace bootfold::data
