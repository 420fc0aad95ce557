// Compiled functions (numba, Cython, C) as statistics: called on all threads, without the GIL.
#include "native.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "bootfold/statistic.h"
#include "modules.h"
#include "request.h"

namespace bootfold::python {

namespace {

using statistic::Resample;

using OfColumn = double (*)(const double*, std::intptr_t);
using OfColumnAnd = double (*)(const double*, std::intptr_t, void*);
using OfColumns = double (*)(const double* const*, std::intptr_t, std::intptr_t);
using OfColumnsAnd = double (*)(const double* const*, std::intptr_t, std::intptr_t, void*);

template <class Function>
Function at(std::uintptr_t address) {
  return reinterpret_cast<Function>(address);
}

double call(std::uintptr_t address, bool columns, bool takes_user_data, void* user_data,
            const Resample& resample) {
  const auto rows = static_cast<std::intptr_t>(resample.rows);
  const auto count = static_cast<std::intptr_t>(resample.columns.size());
  if (!columns)
    return takes_user_data ? at<OfColumnAnd>(address)(resample.columns[0], rows, user_data)
                           : at<OfColumn>(address)(resample.columns[0], rows);
  return takes_user_data
             ? at<OfColumnsAnd>(address)(resample.columns.data(), count, rows, user_data)
             : at<OfColumns>(address)(resample.columns.data(), count, rows);
}

/// What a capsule of scipy.LowLevelCallable holds: address, signature, user data.
std::tuple<std::uintptr_t, std::string, std::uintptr_t> capsule_parts(nb::handle capsule) {
  const char* const signature = PyCapsule_GetName(capsule.ptr());
  if (signature == nullptr) throw nb::python_error();
  void* const address = PyCapsule_GetPointer(capsule.ptr(), signature);
  if (address == nullptr) throw nb::python_error();
  void* const user_data = PyCapsule_GetContext(capsule.ptr());
  if (user_data == nullptr) PyErr_Clear();
  return {reinterpret_cast<std::uintptr_t>(address), signature,
          reinterpret_cast<std::uintptr_t>(user_data)};
}

}  // namespace

Statistic native_statistic(std::uintptr_t address, bool columns, bool takes_user_data,
                           std::uintptr_t user_data, const std::string& name) {
  const std::size_t most = columns ? Statistic::kAnyNumber : 1;
  return Statistic(name, 1, most, [=](std::size_t) {
    return statistic::Bound{
        {columns ? name : name + "({1})"},
        statistic::Call{[=](const Resample& resample, std::span<double> values) {
          values[0] =
              call(address, columns, takes_user_data, reinterpret_cast<void*>(user_data), resample);
        }}};
  });
}

void bind_native(nb::module_& m) { m.def("capsule_parts", &capsule_parts); }

}  // namespace bootfold::python
