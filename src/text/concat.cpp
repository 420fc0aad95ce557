#include "text/concat.h"

#include <charconv>
#include <cmath>

namespace bootfold::text {

void Piece::append_to(std::string& message) const {
  char buffer[32];
  const auto append = [&](std::to_chars_result written) { message.append(buffer, written.ptr); };
  char* const end = buffer + sizeof buffer;
  switch (kind_) {
    case Kind::text:
      message += text_;
      break;
    case Kind::real:
      if (std::isnan(real_)) {  // its sign means nothing
        message += "nan";
        break;
      }
      append(std::to_chars(buffer, end, real_, std::chars_format::general, 6));
      break;
    case Kind::whole:
      append(std::to_chars(buffer, end, whole_));
      break;
    case Kind::natural:
      append(std::to_chars(buffer, end, natural_));
      break;
  }
}

std::string join(std::initializer_list<Piece> pieces) {
  std::string message;
  for (const Piece& piece : pieces) piece.append_to(message);
  return message;
}

}  // namespace bootfold::text
