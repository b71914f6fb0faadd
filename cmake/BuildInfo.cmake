# Run as a script at every build (cmake -P): writes bench_build_info.h, and touches it only when something changed.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE revision
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT revision)
  set(revision unknown)
endif()
set(text "#pragma once
#define BENCH_GIT_REVISION \"${revision}\"
#define BENCH_CUDA_TOOLKIT \"${CUDA_TOOLKIT}\"
#define BENCH_GLSL_TOOLKIT \"${GLSL_TOOLKIT}\"
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
