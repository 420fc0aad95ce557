target_sources(bootfold PRIVATE bootstrap/bootstrap.cpp bootstrap/companions.cpp bootstrap/stored.cpp
                                bootstrap/batches.cpp bootstrap/result.cpp bootstrap/jackknife.cpp bootstrap/samples.cpp
                                bootstrap/stream.cpp
                                bootstrap/accumulate.cpp bootstrap/gather.cpp bootstrap/resampled.cpp
                                bootstrap/distinct.cpp bootstrap/order.cpp
                                bootstrap/blocks.cpp bootstrap/weights.cpp bootstrap/estimates.cpp)
