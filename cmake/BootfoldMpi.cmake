# MPI, for groups of processes (bootfold/distributed): BOOTFOLD_MPI is
#   AUTO    with MPI if CMake finds it;
#   ON      the same, and an error if it does not;
#   OFF     without.
# Sets BOOTFOLD_HAS_MPI, and makes the target MPI::MPI_CXX. CMake finds the MPI whose mpicxx is in the
# path; MPI_HOME names another.
set(BOOTFOLD_MPI AUTO CACHE STRING "Groups of processes that mpirun starts: AUTO, ON or OFF")
set(BOOTFOLD_HAS_MPI OFF)
# A wheel brings no libraries along, and sanitizers do not know what MPI does with its memory.
if(BOOTFOLD_MPI STREQUAL "AUTO" AND (SKBUILD OR CMAKE_CROSSCOMPILING OR BOOTFOLD_SANITIZE))
  message(STATUS "MPI: not in this kind of build")
elseif(BOOTFOLD_MPI)
  set(MPI_CXX_SKIP_MPICXX ON) # the C interface is all that is used
  find_package(MPI QUIET COMPONENTS CXX)
  if(TARGET MPI::MPI_CXX)
    set(BOOTFOLD_HAS_MPI ON)
    message(STATUS "MPI: ${MPI_CXX_LIBRARIES}")
  elseif(BOOTFOLD_MPI STREQUAL "ON")
    message(FATAL_ERROR "BOOTFOLD_MPI is ON but MPI was not found; install libopenmpi-dev and openmpi-bin, "
                        "or set MPI_HOME")
  endif()
endif()
