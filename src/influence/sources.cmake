target_sources(bootfold PRIVATE influence/influence.cpp influence/sums.cpp influence/order.cpp
                                influence/evaluate.cpp influence/derivatives.cpp influence/units.cpp
                                influence/measure.cpp influence/spread.cpp influence/in_order.cpp
                                influence/clusters.cpp influence/heavy_rows.cpp)
