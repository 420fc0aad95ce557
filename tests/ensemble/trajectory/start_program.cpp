// Writes where the runs of training start that make_trajectory.py makes again.
#include <iostream>

#include "ensemble/trajectory/cases.h"

int main() { bootfold::ensemble::trajectory::write_start(std::cout); }
