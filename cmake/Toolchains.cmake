# Finds what the suite is built with: the CUDA toolkit (optional), glslang, and the third-party libraries.
# Sets BENCH_HAVE_CUDA, BENCH_NVCC, BENCH_CUDA_ARCHS_RESOLVED, BENCH_CUDA_TOOLKIT ("CUDA 13.0.88"),
# BENCH_GLSLANG, BENCH_GLSL_TOOLKIT ("glslang 12.0.0") and bench_glslang_since() of Glslang.cmake; defines the targets bench_cudart, bench_fmt, bench_gbenchmark and bench_zstd.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/VulkanHeaders.cmake)
find_path(BENCH_CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(BENCH_JSON_INCLUDE nlohmann/json.hpp REQUIRED)

# zstd: NVIDIA's pipeline caches are compressed with it. Static, so that a built program runs where it is not installed.
find_path(BENCH_ZSTD_INCLUDE zstd.h REQUIRED)
find_library(BENCH_ZSTD NAMES libzstd.a zstd REQUIRED)
add_library(bench_zstd INTERFACE)
target_include_directories(bench_zstd SYSTEM INTERFACE ${BENCH_ZSTD_INCLUDE})
target_link_libraries(bench_zstd INTERFACE ${BENCH_ZSTD})

# A shared library of the distribution's is copied beside the programs, which find it by their $ORIGIN, so that a built tree can be
# carried to another machine. Programs depend on bench_libraries.
file(MAKE_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
set(CMAKE_BUILD_RPATH "\$ORIGIN;\$ORIGIN/../bin")
set(CMAKE_INSTALL_RPATH "\$ORIGIN")
add_custom_target(bench_libraries ALL)
function(bench_copy_beside library)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    set(file $<TARGET_FILE:${library}>)
    set(name $<TARGET_SONAME_FILE_NAME:${library}>)
    add_custom_command(TARGET bench_libraries POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -E copy_if_different ${file} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name})
    install(FILES ${file} DESTINATION bin RENAME ${name})
  endif()
endfunction()

# Google Benchmark: the static library where the distribution has it.
find_package(benchmark REQUIRED)
find_library(BENCH_GBENCHMARK_STATIC NAMES libbenchmark.a)
add_library(bench_gbenchmark INTERFACE)
if(BENCH_GBENCHMARK_STATIC)
  target_link_libraries(bench_gbenchmark INTERFACE ${BENCH_GBENCHMARK_STATIC} Threads::Threads)
else()
  target_link_libraries(bench_gbenchmark INTERFACE benchmark::benchmark)
  bench_copy_beside(benchmark::benchmark)
endif()
# fmt: the library, for header-only it would cost every source file two seconds; but header-only where a compiler older than the
# distribution's cannot link with that.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES fmt::fmt)
check_cxx_source_compiles("#include <fmt/format.h>\nint main() { return static_cast<int>(fmt::format(\"{}\", 1.5).size()); }" BENCH_FMT_LINKS)
unset(CMAKE_REQUIRED_LIBRARIES)
add_library(bench_fmt INTERFACE)
if(BENCH_FMT_LINKS)
  target_link_libraries(bench_fmt INTERFACE fmt::fmt)
  bench_copy_beside(fmt::fmt)
else()
  target_link_libraries(bench_fmt INTERFACE fmt::fmt-header-only)
endif()

# own_kernel reads TOML files with toml++ (headers alone) and evaluates expressions with muparser. Without them it is left out.
find_path(BENCH_TOMLPP_INCLUDE toml++/toml.h)
find_package(muparser CONFIG QUIET)
set(BENCH_HAVE_OWN_KERNEL OFF)
if(BENCH_TOMLPP_INCLUDE AND muparser_FOUND)
  set(BENCH_HAVE_OWN_KERNEL ON)
  bench_copy_beside(muparser::muparser)
else()
  message(STATUS "own_kernel: left out; it needs toml++ and muparser (packages libtomlplusplus-dev and libmuparser-dev; scripts/setup.sh installs them)")
endif()

# The system's glslang, and a newer one that scripts/setup.sh has put into build/tools, for kernels that the system's is too old
# for. All others are compiled by the system's.
find_program(BENCH_GLSLANG NAMES glslangValidator glslang REQUIRED)
find_program(BENCH_GLSLANG_NEWER NAMES glslang PATHS ${PROJECT_SOURCE_DIR}/build/tools NO_DEFAULT_PATH)
include(${CMAKE_CURRENT_LIST_DIR}/Glslang.cmake)
# What a SPIR-V module takes is read by a program of our own: SPIRV-Cross fails on modules with matrices.
add_executable(spirv_interface ${PROJECT_SOURCE_DIR}/cmake/spirv_interface.cpp ${PROJECT_SOURCE_DIR}/common/core/code/spirv_module.cpp)
target_include_directories(spirv_interface PRIVATE ${PROJECT_SOURCE_DIR}/common)
target_link_libraries(spirv_interface PRIVATE fmt::fmt-header-only)

# nvcc only turns kernels into cubins and PTX; no host code goes through it.
set(BENCH_HAVE_CUDA OFF)
if(BENCH_CUDA)
  find_program(BENCH_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(BENCH_NVCC)
    file(REAL_PATH ${BENCH_NVCC} _nvcc)
    execute_process(COMMAND ${_nvcc} --version OUTPUT_VARIABLE _nvcc_version)
    string(REGEX MATCH "V([0-9]+\\.[0-9]+\\.[0-9]+)" _ "${_nvcc_version}")
    set(_cuda_version ${CMAKE_MATCH_1})
    cmake_path(GET _nvcc PARENT_PATH _bin)
    cmake_path(GET _bin PARENT_PATH _cuda_home)
    # A toolkit's own word for the machine: on Arm servers it is sbsa.
    set(_cuda_targets ${CMAKE_HOST_SYSTEM_PROCESSOR}-linux)
    if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL aarch64)
      list(PREPEND _cuda_targets sbsa-linux)
    endif()
    list(TRANSFORM _cuda_targets PREPEND ${_cuda_home}/targets/)
    find_path(BENCH_CUDA_INCLUDE cuda_runtime_api.h HINTS ${_cuda_home}/include ${_cuda_targets} PATH_SUFFIXES include)
    find_library(BENCH_CUDART_STATIC libcudart_static.a HINTS ${_cuda_home} ${_cuda_targets} PATH_SUFFIXES lib64 lib)
    find_library(BENCH_CUDADEVRT libcudadevrt.a HINTS ${_cuda_home} ${_cuda_targets} PATH_SUFFIXES lib64 lib)  # a few kernels' own
    if(_cuda_version VERSION_LESS 12.8)
      message(STATUS "CUDA: nvcc ${_cuda_version} is older than 12.8")
    elseif(NOT BENCH_CUDA_INCLUDE OR NOT BENCH_CUDART_STATIC)
      message(STATUS "CUDA: nvcc ${_cuda_version}, but cuda_runtime_api.h or libcudart_static.a is missing")
    else()
      # Kernels are loaded by cudaLibraryLoadData, which entered the runtime API with 12.8.
      file(STRINGS ${BENCH_CUDA_INCLUDE}/cuda_runtime_api.h _library_api REGEX "cudaLibraryLoadData\\(" LIMIT_COUNT 1)
      if(_library_api)
        set(BENCH_HAVE_CUDA ON)
      else()
        message(STATUS "CUDA: the runtime of nvcc ${_cuda_version} lacks cudaLibraryLoadData")
      endif()
    endif()
  endif()
endif()

if(BENCH_HAVE_CUDA)
  set(BENCH_CUDA_TOOLKIT "CUDA ${_cuda_version}")
  add_library(bench_cudart INTERFACE)
  target_include_directories(bench_cudart SYSTEM INTERFACE ${BENCH_CUDA_INCLUDE})
  target_link_libraries(bench_cudart INTERFACE ${BENCH_CUDART_STATIC} Threads::Threads ${CMAKE_DL_LIBS} rt)
  set(BENCH_CUDA_ARCHS_RESOLVED ${BENCH_CUDA_ARCHS})
  if(BENCH_CUDA_ARCHS STREQUAL "auto")
    set(BENCH_CUDA_ARCHS_RESOLVED 80 86 90a)
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE _caps
                    ERROR_QUIET RESULT_VARIABLE _smi_failed)
    if(NOT _smi_failed)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]" _caps "${_caps}")
      list(REMOVE_DUPLICATES _caps)
      list(TRANSFORM _caps REPLACE "\\." "")
      # From 9.0 on, the arch-specific target is the one that has all of the GPU's instructions.
      list(TRANSFORM _caps REPLACE "^(90|1[0-9][0-9])$" "\\1a")
      if(_caps)
        set(BENCH_CUDA_ARCHS_RESOLVED ${_caps})
      endif()
    endif()
  endif()
  message(STATUS "CUDA: ${BENCH_CUDA_TOOLKIT} (${BENCH_NVCC}), architectures ${BENCH_CUDA_ARCHS_RESOLVED} and PTX")
else()
  set(BENCH_CUDA_TOOLKIT "")
  message(STATUS "CUDA: none; a Vulkan-only build (CUDA wants nvcc 12.8 or newer on PATH or in CUDA_HOME)")
endif()
message(STATUS "Vulkan: headers ${BENCH_VULKAN_FOUND} (${BENCH_VULKAN_INCLUDE}), glslang ${BENCH_GLSLANG_FOUND} (${BENCH_GLSLANG})")
