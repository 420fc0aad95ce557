target_sources(bootfold PRIVATE statistic/moments.cpp statistic/regression.cpp statistic/quantiles.cpp
                                statistic/select.cpp statistic/custom.cpp statistic/parse.cpp)
