target_sources(
  bootfold
  PRIVATE text/nearest.cpp text/quantity.cpp
          text/quoted.cpp
          data/columns.cpp
          data/csv.cpp
          data/labels.cpp
          data/npy.cpp
          data/npy_header.cpp
          data/npy_writer.cpp
          data/number.cpp
          data/output.cpp
          data/records.cpp
          data/safetensors.cpp
          data/storage.cpp
          data/table.cpp
          data/view.cpp)
