// bootfold/api.h: what a shared library exports. The library is compiled with hidden symbols, so
// that only what is declared with BOOTFOLD_API can be used from outside.
#pragma once

#if defined(__GNUC__)
#define BOOTFOLD_API __attribute__((visibility("default")))
#else
#define BOOTFOLD_API
#endif
