target_sources(bootfold PRIVATE interval/percentile.cpp)
