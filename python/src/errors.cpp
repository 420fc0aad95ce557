// Errors of the library: options and data that cannot be used are a ValueError.
//
// The library names options by key; messages get the words of Python: nan='omit'.
#include <array>
#include <exception>
#include <string>

#include "bootfold/error.h"
#include "modules.h"
#include "text/option_names.h"

namespace bootfold::python {

std::string in_words_of_python(std::string_view message) {
  static constexpr auto kNames = std::to_array<text::OptionName>({
      {"difference", "difference"},
      {"groups", "groups"},
      {"interval", "interval"},
      {"nan", "nan"},
      {"replicates", "replicates"},
  });
  return text::with_option_names(
      message, kNames, [](std::string_view name, std::string_view value) {
        const bool number = value.find_first_not_of("0123456789") == value.npos;
        const bool list = name == "groups";
        return std::string(name) +
               (number ? "="
                : list ? "=['"
                       : "='") +
               std::string(value) +
               (number ? ""
                : list ? "']"
                       : "'");
      });
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const InvalidArgument& bad) {
      PyErr_SetString(PyExc_ValueError, in_words_of_python(bad.what()).c_str());
    } catch (const DataError& bad) {
      PyErr_SetString(PyExc_ValueError, in_words_of_python(bad.what()).c_str());
    } catch (const Cancelled&) {
      // Only the end of the interpreter stops work without an error of its own.
      PyErr_SetString(PyExc_SystemExit, "bootfold stopped: the interpreter ends");
    }
  });
}

}  // namespace bootfold::python
