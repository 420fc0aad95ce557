// Writes the start of the trainings that make_trajectory.py repeats.
#include <iostream>

#include "ensemble/trajectory/cases.h"

int main() { bootfold::ensemble::trajectory::write_start(std::cout); }
