// cli/console.h: the terminal, or what stands in its place.
//
// Results go to standard output by print(), which checks every byte; everything else goes to
// standard error.
#pragma once

#include <cstddef>
#include <string_view>

namespace bootfold::cli {

/// Makes sure that descriptors 0 to 2 are taken, so that no file we open can become standard output
/// when the caller closed it; using a closed one still fails. Call it first.
void occupy_standard_descriptors();

/// Whether a person watches this descriptor (1: output, 2: errors) on a terminal that can move its
/// cursor.
[[nodiscard]] bool is_terminal(int descriptor);

/// Columns of that terminal, 40 to 120; elsewhere the variable COLUMNS, else 80.
[[nodiscard]] std::size_t width(int descriptor);

/// Whether block and line characters can be shown: a UTF-8 locale and no dumb terminal.
[[nodiscard]] bool has_utf8();

/// Writes all of `text` to standard output. Throws Failure when it cannot (full disk, closed).
void print(std::string_view text);

/// Writes "bootfold: text" as one line to standard error.
void complain(std::string_view text) noexcept;

}  // namespace bootfold::cli
