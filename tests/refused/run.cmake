# Compiles SOURCE twice: as it is, which must succeed, and with -DMISTAKE, which must fail with a
# message that matches PATTERN.
list(TRANSFORM INCLUDES PREPEND -I)
set(command ${COMPILER} -std=c++20 -Wall -Werror -fsyntax-only ${INCLUDES})

execute_process(COMMAND ${command} ${SOURCE} RESULT_VARIABLE code ERROR_VARIABLE text)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${SOURCE} must compile without its mistake:\n${text}")
endif()
execute_process(COMMAND ${command} -DMISTAKE ${SOURCE} RESULT_VARIABLE code ERROR_VARIABLE text)
if(code EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles with its mistake")
endif()
if(NOT text MATCHES "${PATTERN}")
  message(FATAL_ERROR "${SOURCE} was refused for another reason than '${PATTERN}':\n${text}")
endif()
