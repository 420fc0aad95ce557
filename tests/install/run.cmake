# Installs a build tree into an empty prefix, then configures, builds and runs the project of this
# folder against that prefix alone:
#
#   cmake -D BUILD_DIR=build/dev -D WORK_DIR=build/consumer [-D CONFIG=Release] -P tests/install/run.cmake
cmake_minimum_required(VERSION 3.25)

foreach(variable BUILD_DIR WORK_DIR)
  if(NOT ${variable})
    message(FATAL_ERROR "${variable} is not given: cmake -D ${variable}=... -P run.cmake")
  endif()
endforeach()
if(NOT CONFIG)
  set(CONFIG Release)
endif()
get_filename_component(build ${BUILD_DIR} ABSOLUTE)
get_filename_component(work ${WORK_DIR} ABSOLUTE)
set(prefix ${work}/prefix)

# The consumer is built as bootfold was.
load_cache(${build} READ_WITH_PREFIX built_ CMAKE_GENERATOR CMAKE_CXX_COMPILER CMAKE_MAKE_PROGRAM)

# Files of an earlier run must not stand in for files that are no longer installed.
file(REMOVE_RECURSE ${prefix} ${work}/build)
file(MAKE_DIRECTORY ${work})

macro(step)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endmacro()

step(${CMAKE_COMMAND} --install ${build} --prefix ${prefix} --config ${CONFIG})
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G ${built_CMAKE_GENERATOR}
     -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_COMPILER=${built_CMAKE_CXX_COMPILER}
     -D CMAKE_MAKE_PROGRAM=${built_CMAKE_MAKE_PROGRAM} -D CMAKE_PREFIX_PATH=${prefix}
     -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
step(${CMAKE_COMMAND} --build ${work}/build --config ${CONFIG})

# The package must be the one just installed, not another one of this machine.
load_cache(${work}/build READ_WITH_PREFIX found_ bootfold_DIR)
string(FIND "${found_bootfold_DIR}" "${prefix}/" at)
if(NOT at EQUAL 0)
  message(FATAL_ERROR "find_package took ${found_bootfold_DIR}, which is not below ${prefix}")
endif()

find_program(consumer consumer PATHS ${work}/build ${work}/build/${CONFIG} NO_DEFAULT_PATH REQUIRED)
step(${consumer})
