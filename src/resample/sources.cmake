target_sources(bootfold PRIVATE resample/poisson.cpp resample/counts.cpp resample/rows.cpp
                                resample/iid.cpp resample/scheme.cpp resample/groups.cpp
                                resample/alias.cpp resample/blocks.cpp resample/block_length.cpp resample/permutation.cpp
                                resample/sampler.cpp resample/strata.cpp)
