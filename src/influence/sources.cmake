target_sources(bootfold PRIVATE influence/influence.cpp influence/sums.cpp influence/order.cpp
                                influence/evaluate.cpp influence/derivatives.cpp)
