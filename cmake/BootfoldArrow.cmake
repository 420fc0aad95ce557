# Arrow C++, for Parquet files: BOOTFOLD_ARROW is
#   AUTO    Arrow and Parquet of the system, else those in the pyarrow package of .venv-test when the
#           tests are built, else none;
#   ON      the same, and an error if there is none;
#   OFF     none;
#   a path  the folder of a pyarrow package: python -c "import pyarrow; print(pyarrow.__path__[0])".
# Sets BOOTFOLD_HAS_ARROW, bootfold_arrow_libraries and bootfold_arrow_includes.
set(BOOTFOLD_ARROW AUTO CACHE STRING "Read Parquet files: AUTO, ON, OFF, or the folder of a pyarrow package")
set(BOOTFOLD_HAS_ARROW OFF)
set(bootfold_arrow_libraries)
set(bootfold_arrow_includes)

# The libraries of the package have their version in the name: libarrow.so.2600.
macro(bootfold_arrow_of_package folder)
  file(GLOB arrow_library ${folder}/libarrow.so.[0-9]* ${folder}/libarrow.[0-9]*.dylib)
  file(GLOB parquet_library ${folder}/libparquet.so.[0-9]* ${folder}/libparquet.[0-9]*.dylib)
  if(arrow_library AND parquet_library AND EXISTS ${folder}/include/parquet/arrow/reader.h)
    list(GET arrow_library 0 arrow_library)
    list(GET parquet_library 0 parquet_library)
    set(BOOTFOLD_HAS_ARROW ON)
    set(bootfold_arrow_libraries ${parquet_library} ${arrow_library})
    set(bootfold_arrow_includes ${folder}/include)
  endif()
endmacro()

# A wheel brings no libraries along, and sanitizers do not know what Arrow does with its containers.
if(BOOTFOLD_ARROW STREQUAL "AUTO" AND (SKBUILD OR CMAKE_CROSSCOMPILING OR BOOTFOLD_SANITIZE))
  message(STATUS "Parquet files: not in this kind of build")
elseif(BOOTFOLD_ARROW STREQUAL "AUTO" OR BOOTFOLD_ARROW STREQUAL "ON")
  find_package(Arrow CONFIG QUIET)
  if(Arrow_FOUND)
    find_package(Parquet CONFIG QUIET)
  endif()
  if(TARGET Parquet::parquet_shared AND TARGET Arrow::arrow_shared)
    set(BOOTFOLD_HAS_ARROW ON)
    set(bootfold_arrow_libraries Parquet::parquet_shared Arrow::arrow_shared)
  elseif(BOOTFOLD_TESTS)
    file(GLOB packages ${PROJECT_SOURCE_DIR}/.venv-test/lib/python3*/site-packages/pyarrow)
    foreach(package ${packages})
      bootfold_arrow_of_package(${package})
    endforeach()
  endif()
elseif(BOOTFOLD_ARROW)
  bootfold_arrow_of_package(${BOOTFOLD_ARROW})
  if(NOT BOOTFOLD_HAS_ARROW)
    message(FATAL_ERROR "BOOTFOLD_ARROW is ${BOOTFOLD_ARROW} but there is no libarrow, libparquet and "
                        "include/parquet in it; name the folder of a pyarrow package, or AUTO, ON, OFF")
  endif()
endif()
if(BOOTFOLD_ARROW STREQUAL "ON" AND NOT BOOTFOLD_HAS_ARROW)
  message(FATAL_ERROR "BOOTFOLD_ARROW is ON but Arrow C++ was not found; install libarrow-dev and "
                      "libparquet-dev, or name the folder of a pyarrow package")
endif()
if(BOOTFOLD_HAS_ARROW)
  message(STATUS "Parquet files: read with ${bootfold_arrow_libraries}")
endif()
