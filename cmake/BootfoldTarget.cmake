# bootfold_target(name): what every target of this project is compiled with.
#
# Results are the same bits on every instruction set, so the compiler may neither fuse a multiply
# with an add on its own (-ffp-contract=off) nor keep errno for math functions it could vectorise.
function(bootfold_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                         -ffp-contract=off -fno-math-errno)
  if(BOOTFOLD_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(BOOTFOLD_SANITIZE)
    list(JOIN BOOTFOLD_SANITIZE "," sanitizers)
    target_compile_options(${name} PRIVATE -fsanitize=${sanitizers} -fno-omit-frame-pointer
                                           -fno-sanitize-recover=all)
    target_link_options(${name} PUBLIC -fsanitize=${sanitizers})
  endif()
endfunction()
