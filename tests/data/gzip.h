// Compressed files for the tests of readers.
#pragma once

#include <zlib.h>

#include <string>

#include "data/temp_file.h"

namespace bootfold::testing_data {

/// `text` as gzip data.
inline std::string gzipped(const std::string& text) {
  const TempFile file("packed.gz");
  gzFile out = ::gzopen(file.path().c_str(), "wb");
  ::gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  ::gzclose(out);
  return contents_of(file.path());
}

}  // namespace bootfold::testing_data
