target_sources(bootfold PRIVATE resample/poisson.cpp resample/counts.cpp resample/rows.cpp
                                resample/iid.cpp)
