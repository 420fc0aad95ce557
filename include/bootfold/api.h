// bootfold/api.h: what a shared library exports.
#pragma once

#if defined(BOOTFOLD_SHARED) && defined(__GNUC__)
#define BOOTFOLD_API __attribute__((visibility("default")))
#else
#define BOOTFOLD_API
#endif
