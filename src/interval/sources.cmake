target_sources(bootfold PRIVATE interval/interval.cpp interval/limits.cpp interval/ordered.cpp
                                interval/abc.cpp interval/precision.cpp)
