// Groups of processes in a build without MPI.
#include "bootfold/error.h"
#include "distributed/link.h"
#include "text/concat.h"

namespace bootfold::distributed {

std::shared_ptr<Link> connect(const Launch& launch) {
  throw DistributedError(
      text::concat("a launcher (mpirun, srun) started ", launch.size,
                   " processes, but this bootfold was built without MPI; configure it with "
                   "-DBOOTFOLD_MPI=ON, or "
                   "set the variable BOOTFOLD_MPI=off to let each process work for itself"),
      DistributedError::Cause::argument);
}

}  // namespace bootfold::distributed
