target_sources(bootfold PRIVATE random/stream.cpp random/draws.cpp)
