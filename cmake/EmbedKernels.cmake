# bench_embed_kernels(<target> SET <name> [CUDA <file.cu>...] [CUDA_SM80 <file.cu>...] [CUDA_SM89 <file.cu>...]
#                     [CUDA_SM90 <file.cu>...] [CUDA_SM90A <file.cu>...] [CUDA_LINKED <file.cu>...] [GLSL <file.comp>...])
#
# Compiles every .cu to one cubin per architecture plus PTX (nvcc) and every .comp to SPIR-V (glslang), and links the bytes into
# <target>. The generated header <name>_kernels.h declares
#     namespace bench::kernels { std::span<const KernelImages> <name>(); }
# with one entry a stem: cuda/X.cu and glsl/X.comp are a twin. What is embedded is what is loaded, timed and disassembled. Beside
# the SPIR-V lies what it takes (spirv_interface.cpp).
# A .comp with the property BENCH_GLSLANG_SINCE is compiled by the system's glslang or by the one of build/tools, whichever is new
# enough; the entry names it (KernelImages::spirv_by). Where neither is, it is left out, and its stem's entry says so (KernelImages::no_spirv).
# A file of CUDA_SM80, CUDA_SM89 or CUDA_SM90 has instructions that came with that compute capability: there are no images of it below
# that, and its stem's entry says so (KernelImages::cuda_since). One of CUDA_SM90A has instructions of sm_90a alone, which no newer GPU
# has: its one image is that. One of CUDA_LINKED calls CUDA's device runtime and is linked with it: there is no PTX of it, which a
# driver would have to link. Without that library there is no image, and its stem's entry says so (KernelImages::no_cuda).
# Paths are relative to the calling directory. Editing an included file rebuilds the kernels that include it (depfiles).
function(bench_embed_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SET" "CUDA;CUDA_SM80;CUDA_SM89;CUDA_SM90;CUDA_SM90A;CUDA_LINKED;GLSL")
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${arg_SET}_kernels)
  file(MAKE_DIRECTORY ${out})
  set(images "")  # the image files, for dependencies
  set(stems "")

  foreach(source IN LISTS arg_GLSL)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET source STEM stem)
    set(image ${out}/${stem}.spv)
    list(APPEND stems ${stem})
    get_source_file_property(since ${source} BENCH_GLSLANG_SINCE)
    bench_glslang_since("${since}" glslang spirv_by_${stem})
    if(NOT glslang)
      set(no_spirv_${stem} "its GLSL wants glslang ${since}; this build had ${BENCH_GLSLANG_FOUND} (scripts/setup.sh --glslang fetches a newer one)")
      continue()
    endif()
    add_custom_command(
      OUTPUT ${image}
      COMMAND ${glslang} --quiet --target-env vulkan1.3 -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/common
              -I${CMAKE_CURRENT_SOURCE_DIR} --depfile ${image}.d -o ${image} ${source}
      DEPENDS ${source}
      DEPFILE ${image}.d
      COMMENT "GLSL ${arg_SET}/${stem}"
      VERBATIM)
    add_custom_command(
      OUTPUT ${image}.inc
      COMMAND spirv_interface ${image} ${image}.inc
      DEPENDS ${image} spirv_interface
      COMMENT "SPIR-V's interface ${arg_SET}/${stem}"
      VERBATIM)
    list(APPEND images ${image} ${image}.inc)
    set(spirv_${stem} ${image})
  endforeach()

  if(BENCH_HAVE_CUDA)
    foreach(list CUDA CUDA_SM80 CUDA_SM89 CUDA_SM90 CUDA_SM90A CUDA_LINKED)
      set(sources ${arg_${list}})
      string(REGEX REPLACE "^CUDA(_SM|_LINKED)?|A$" "" since "${list}")
      if(NOT since)
        set(since 0)
      endif()
      _bench_architectures(${since} archs lowest)
      if(list STREQUAL "CUDA_SM90A")
        list(FILTER archs INCLUDE REGEX "^90a$")
        set(lowest "")
      elseif(list STREQUAL "CUDA_LINKED")
        set(lowest "")
        if(NOT BENCH_CUDADEVRT)
          set(archs "")
        endif()
      endif()
      foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        cmake_path(GET source STEM stem)
        list(APPEND stems ${stem})
        set(since_${stem} ${since})
        set(cuda_${stem} "")
        if(list STREQUAL "CUDA_LINKED" AND NOT BENCH_CUDADEVRT)
          set(no_cuda_${stem} "it calls CUDA's device runtime; this build's toolkit has no libcudadevrt.a")
        endif()
        foreach(arch IN LISTS archs)
          string(REGEX REPLACE "[a-z]$" "" number ${arch})
          set(specific false)
          if(arch MATCHES "[a-z]$")
            set(specific true)
          endif()
          # From the PTX below where that is this architecture's own: the same code, in a fraction of the time.
          set(from ${source})
          if(arch STREQUAL lowest)
            set(from ${out}/${stem}.ptx)
          endif()
          if(list STREQUAL "CUDA_LINKED")
            _bench_link_cuda(sm_${arch} "{${number} / 10, ${number} % 10, ${specific}, false")
            continue()
          endif()
          _bench_compile_cuda(sm_${arch}.cubin ${from} "-cubin;-arch=sm_${arch}" "{${number} / 10, ${number} % 10, ${specific}, false")
        endforeach()
        if(lowest)
          # ptxas checks the PTX, and would advise 9.0a for multicasts, which no newer GPU runs.
          _bench_compile_cuda(ptx ${source} "-ptx;-arch=compute_${lowest};-Xptxas;--suppress-async-bulk-multicast-advisory-warning"
                              "{${lowest} / 10, ${lowest} % 10, false, true")
        endif()
      endforeach()
    endforeach()
  endif()

  # .incbin keeps the bytes as they are and costs no compile time. PTX is text: cudaLibraryLoadData wants its final zero.
  list(REMOVE_DUPLICATES stems)
  set(assembly "")
  set(externs "")
  set(arrays "")
  set(table "")
  foreach(stem IN LISTS stems)
    set(cuda_span "{}")
    if(cuda_${stem})
      set(records "")
      foreach(item IN LISTS cuda_${stem})
        string(REPLACE "|" ";" item "${item}")
        list(GET item 0 symbol)
        list(GET item 1 record)
        list(GET item 2 file)
        _bench_incbin(${arg_SET} ${symbol} ${file} assembly externs)
        string(APPEND records "    ${record}, bytes(${arg_SET}_${symbol}, ${arg_SET}_${symbol}_end)},\n")
      endforeach()
      string(APPEND arrays "const CudaImage kCuda_${stem}[] = {\n${records}};\n")
      set(cuda_span "kCuda_${stem}")
    endif()
    set(spirv_span "{}")
    if(spirv_${stem})
      _bench_incbin(${arg_SET} ${stem}_spirv ${spirv_${stem}} assembly externs)
      set(spirv_span "bytes(${arg_SET}_${stem}_spirv, ${arg_SET}_${stem}_spirv_end)")
    endif()
    set(takes "{}")
    if(spirv_${stem})
      string(APPEND arrays "const SpirvInterface kTakes_${stem} =\n#include \"${spirv_${stem}}.inc\"\n    ;\n")
      set(takes kTakes_${stem})
    endif()
    set(since 0)
    if(since_${stem})
      set(since ${since_${stem}})
    endif()
    string(APPEND table "      {\"${stem}\", ${cuda_span}, ${spirv_span}, ${since}, ${takes}, \"${no_spirv_${stem}}\", \"${spirv_by_${stem}}\", \"${no_cuda_${stem}}\"},\n")
  endforeach()

  set(BENCH_SET ${arg_SET})
  set(BENCH_ASSEMBLY "${assembly}")
  set(BENCH_EXTERNS "${externs}")
  set(BENCH_ARRAYS "${arrays}")
  set(BENCH_TABLE "${table}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/kernels.cpp.in ${out}/${arg_SET}_kernels.cpp @ONLY)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/kernels.h.in ${out}/${arg_SET}_kernels.h @ONLY)
  set_source_files_properties(${out}/${arg_SET}_kernels.cpp PROPERTIES OBJECT_DEPENDS "${images}")
  target_sources(${target} PRIVATE ${out}/${arg_SET}_kernels.cpp)
  target_include_directories(${target} PRIVATE ${out})
endfunction()

# The architectures to build for that are no older than `since`, and the lowest of their numbers: its PTX runs, compiled by the
# driver, on every newer GPU. Both empty if there are none.
function(_bench_architectures since archs_var lowest_var)
  set(archs "")
  set(lowest "")
  foreach(arch IN LISTS BENCH_CUDA_ARCHS_RESOLVED)
    string(REGEX REPLACE "[a-z]$" "" number ${arch})
    if(number LESS since)
      continue()
    endif()
    list(APPEND archs ${arch})
    if(NOT lowest OR number LESS lowest)
      set(lowest ${number})
    endif()
  endforeach()
  set(${archs_var} "${archs}" PARENT_SCOPE)
  set(${lowest_var} "${lowest}" PARENT_SCOPE)
endfunction()

# One image, made of the file `from`, noted in the caller's `images` and cuda_${stem}.
macro(_bench_compile_cuda extension from flags record)
  set(image ${out}/${stem}.${extension})
  set(reads "")
  set(depfile "")
  if(${from} STREQUAL ${source})
    set(reads -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/common -I${CMAKE_CURRENT_SOURCE_DIR} -MD -MF ${image}.d -MT ${image})
    set(depfile DEPFILE ${image}.d)
  endif()
  add_custom_command(
    OUTPUT ${image}
    COMMAND ${BENCH_NVCC} -std=c++17 ${flags} ${reads} -o ${image} ${from}
    DEPENDS ${from}
    ${depfile}
    COMMENT "CUDA ${arg_SET}/${stem}.${extension}"
    VERBATIM)
  list(APPEND images ${image})
  string(MAKE_C_IDENTIFIER ${stem}.${extension} symbol)
  list(APPEND cuda_${stem} "${symbol}|${record}|${image}")
endmacro()

# One image, made of the file `source` and CUDA's device runtime, noted likewise.
macro(_bench_link_cuda arch record)
  set(image ${out}/${stem}.${arch}.cubin)
  set(part ${out}/${stem}.${arch}.part.cubin)
  add_custom_command(
    OUTPUT ${image}
    COMMAND ${BENCH_NVCC} -std=c++17 -rdc=true -cubin -arch=${arch} -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/common
            -I${CMAKE_CURRENT_SOURCE_DIR} -MD -MF ${image}.d -MT ${image} -o ${part} ${source}
    COMMAND ${BENCH_NVCC} -dlink -cubin -arch=${arch} -o ${image} ${part} ${BENCH_CUDADEVRT}
    DEPENDS ${source}
    DEPFILE ${image}.d
    COMMENT "CUDA ${arg_SET}/${stem}.${arch}.cubin, linked"
    VERBATIM)
  list(APPEND images ${image})
  string(MAKE_C_IDENTIFIER ${stem}.${arch}.cubin symbol)
  list(APPEND cuda_${stem} "${symbol}|${record}|${image}")
endmacro()

function(_bench_incbin set symbol file assembly_var externs_var)
  string(APPEND ${assembly_var}
         "    \".balign 64\\n.globl ${set}_${symbol}\\n${set}_${symbol}:\\n.incbin \\\"${file}\\\"\\n\"\n"
         "    \".globl ${set}_${symbol}_end\\n${set}_${symbol}_end:\\n.byte 0\\n\"\n")
  string(APPEND ${externs_var} "extern const std::byte ${set}_${symbol}[];\nextern const std::byte ${set}_${symbol}_end[];\n")
  set(${assembly_var} "${${assembly_var}}" PARENT_SCOPE)
  set(${externs_var} "${${externs_var}}" PARENT_SCOPE)
endfunction()
