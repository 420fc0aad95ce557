// Who is at fault decides the type: InvalidArgument (a std::invalid_argument) is a ValueError by
// itself, and so are data that cannot be used.
#include <exception>

#include "bootfold/error.h"
#include "modules.h"

namespace bootfold::python {

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const DataError& bad) {
      PyErr_SetString(PyExc_ValueError, bad.what());
    } catch (const Cancelled&) {
      // Only the end of the interpreter stops work without an error of its own.
      PyErr_SetString(PyExc_SystemExit, "bootfold stopped: the interpreter ends");
    }
  });
}

}  // namespace bootfold::python
