// A bootstrap whose result nobody takes is a mistake.
#include "bootfold/bootstrap.h"

void run(const bootfold::DataView& data) {
#ifdef MISTAKE
  bootfold::bootstrap(data, bootfold::statistic::mean());
#else
  static_cast<void>(bootfold::bootstrap(data, bootfold::statistic::mean()));
#endif
}
