target_sources(
  bootfold
  PRIVATE exact/binomial.cpp
          exact/cover.cpp
          exact/discrete.cpp
          exact/distribution.cpp
          exact/enumerate.cpp
          exact/interval.cpp
          exact/lattice.cpp
          exact/means.cpp
          exact/nodes.cpp
          exact/order.cpp
          exact/series.cpp
          exact/spread.cpp)
# Loops over rows and over pairs, written for compilers to vectorise.
set_source_files_properties(exact/cover.cpp exact/nodes.cpp PROPERTIES COMPILE_OPTIONS "${kernel_options}")
