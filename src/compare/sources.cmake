target_sources(bootfold PRIVATE compare/compare.cpp compare/contrast.cpp compare/groups.cpp
                                compare/max_t.cpp compare/names.cpp compare/rows.cpp)
