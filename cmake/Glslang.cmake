# The versions of the two GLSL compilers, and which of them a kernel is compiled by. Reads BENCH_GLSLANG and BENCH_GLSLANG_NEWER (or
# nothing); sets BENCH_GLSL_TOOLKIT ("glslang 12.0.0", of all kernels that any version knows) and BENCH_GLSLANG_FOUND ("12.0.0 and
# 15.4.0").
function(_bench_glslang_version program out)
  execute_process(COMMAND ${program} --version OUTPUT_VARIABLE text)
  string(REGEX MATCH "Glslang Version: [0-9]*:?([0-9.]+)" _ "${text}")
  set(${out} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()
_bench_glslang_version(${BENCH_GLSLANG} _glslang_version)
set(BENCH_GLSL_TOOLKIT "glslang ${_glslang_version}")
set(BENCH_GLSLANG_FOUND ${_glslang_version})
set(_glslang_newer_version 0)
if(BENCH_GLSLANG_NEWER)
  _bench_glslang_version(${BENCH_GLSLANG_NEWER} _glslang_newer_version)
  string(APPEND BENCH_GLSLANG_FOUND " and ${_glslang_newer_version}")
endif()
# bench_glslang_since(<version> <out> <toolkit>): the compiler that knows what came with that version, and its name and version;
# "" if there is none.
function(bench_glslang_since version out toolkit)
  set(${out} "" PARENT_SCOPE)
  set(${toolkit} "" PARENT_SCOPE)
  if(NOT version OR _glslang_version VERSION_GREATER_EQUAL version)
    set(${out} ${BENCH_GLSLANG} PARENT_SCOPE)
    set(${toolkit} ${BENCH_GLSL_TOOLKIT} PARENT_SCOPE)
  elseif(_glslang_newer_version VERSION_GREATER_EQUAL version)
    set(${out} ${BENCH_GLSLANG_NEWER} PARENT_SCOPE)
    set(${toolkit} "glslang ${_glslang_newer_version}" PARENT_SCOPE)
  endif()
endfunction()
