#include "batch_source.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "columns.h"
#include "modules.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

/// One iterator of Python. The thread that reads has no lock of the interpreter, so it takes it for
/// each batch, and where the arrays of a batch are given up.
class IteratorPass final : public data::Pass {
 public:
  explicit IteratorPass(nb::object iterator) : iterator_(std::move(iterator)) {}
  ~IteratorPass() override {
    const nb::gil_scoped_acquire locked;
    iterator_.reset();
  }

  [[nodiscard]] std::optional<data::Chunk> next() override {
    const nb::gil_scoped_acquire locked;
    const nb::object batch = nb::steal(PyIter_Next(iterator_.ptr()));
    if (!batch.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return std::nullopt;
    }
    std::shared_ptr<const Columns> columns(
        new Columns(nb::cast<std::vector<std::vector<Array>>>(batch), {}),
        [](const Columns* owned) {
          const nb::gil_scoped_acquire again;
          delete owned;
        });
    return data::Chunk{columns->view(), columns};
  }

 private:
  nb::object iterator_;
};

}  // namespace

std::unique_ptr<data::Pass> BatchSource::open() const {
  const nb::gil_scoped_acquire locked;
  return std::make_unique<IteratorPass>(nb::iter(open_()));
}

void bind_batch_source(nb::module_& m) {
  nb::class_<BatchSource>(m, "BatchSource", "Batches that a function makes anew for each pass.")
      .def(nb::init<std::vector<std::string>, std::optional<std::uint64_t>, nb::object>(),
           "names"_a, "rows"_a.none(), "open"_a);
}

}  // namespace bootfold::python
