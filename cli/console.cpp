#include "console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <string>

#include "failure.h"
#include "text.h"

namespace bootfold::cli {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

void occupy_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    // The wrong direction on purpose: reading input or writing output reports a bad descriptor.
    const int opened = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    if (opened != -1 && opened != descriptor) {
      dup2(opened, descriptor);
      close(opened);
    }
  }
}

bool is_terminal(int descriptor) {
  const std::string_view terminal = variable("TERM");
  return isatty(descriptor) != 0 && !terminal.empty() && terminal != "dumb";
}

std::size_t width(int descriptor) {
  constexpr std::size_t kLeast = 40;
  constexpr std::size_t kMost = 120;
  winsize size{};
  if (isatty(descriptor) != 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<std::size_t>(size.ws_col, kLeast, kMost);
  const long columns = std::strtol(std::string(variable("COLUMNS")).c_str(), nullptr, 10);
  return columns > 0 ? std::clamp<std::size_t>(columns, kLeast, kMost) : 80;
}

bool has_utf8() {
  static const bool kAnswer = [] {
    if (variable("TERM") == "dumb" && isatty(STDOUT_FILENO) != 0) return false;
    const locale_t locale = newlocale(LC_CTYPE_MASK, "", nullptr);  // the rest of the program
    if (locale == nullptr) return false;                            // stays in the C locale
    const std::string_view codeset = nl_langinfo_l(CODESET, locale);
    const bool utf8 = codeset == "UTF-8" || codeset == "utf8";
    freelocale(locale);
    return utf8;
  }();
  return kAnswer;
}

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      throw Failure(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
}

namespace {

/// "\n  a = 1\n    ^": the lines of a message that mark a place in an expression; empty if there
/// are none.
std::string_view marks_of(std::string_view text) {
  const std::size_t first = text.find("\n  ");
  const std::size_t second = first == text.npos ? first : text.find("\n  ", first + 1);
  if (second == text.npos || text.find('\n', second + 1) != text.npos) return {};
  const std::string_view mark = text.substr(second + 1);
  return mark.find_first_not_of(" ^~") == mark.npos ? text.substr(first) : std::string_view();
}

}  // namespace

void complain(std::string_view text) noexcept {
  try {
    const std::string_view marks = marks_of(text);
    text.remove_suffix(marks.size());
    const std::string line = "bootfold: " + one_line(text) + std::string(marks) + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {  // no memory even for the message
  }
}

}  // namespace bootfold::cli
