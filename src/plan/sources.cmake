target_sources(bootfold PRIVATE plan/columns.cpp plan/features.cpp plan/fixed_point.cpp plan/distinct.cpp
                                plan/problem.cpp plan/cost.cpp plan/clusters.cpp plan/ways.cpp plan/choose.cpp
                                plan/plan.cpp plan/accompany.cpp)
