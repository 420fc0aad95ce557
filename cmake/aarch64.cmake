# Toolchain for preset aarch64: Debian's cross compiler, and qemu to run what it makes.
#
# Only what has no code of its own comes from this machine: Boost, nlohmann-json. GoogleTest is
# compiled from its sources (tests/CMakeLists.txt). QEMU_CPU names the processor: max, the default of
# qemu, has the dot product extension; cortex-a53 has not.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;/usr/aarch64-linux-gnu")
