// text/reason.h: errno in words.
#pragma once

#include <string>
#include <system_error>

namespace bootfold::text {

/// "No such file or directory" for ENOENT, and so on. Safe with threads, unlike strerror.
inline std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace bootfold::text
