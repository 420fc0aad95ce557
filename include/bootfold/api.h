// bootfold/api.h: the export macro. The library is compiled with hidden symbols; a shared library
// exports only the functions and classes that are declared with BOOTFOLD_API.
#pragma once

#if defined(__GNUC__)
#define BOOTFOLD_API __attribute__((visibility("default")))
#else
#define BOOTFOLD_API
#endif
