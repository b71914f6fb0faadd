# bench_embed_kernels(<target> SET <name> [CUDA <file.cu>...] [GLSL <file.comp>...])
#
# Compiles every .cu to one cubin per architecture plus PTX (nvcc) and every .comp to SPIR-V (glslang), and links the bytes into
# <target>. The generated header <name>_kernels.h declares
#     namespace bench::kernels { std::span<const KernelImages> <name>(); }
# with one entry a stem: cuda/X.cu and glsl/X.comp are a twin. What is embedded is what is loaded, timed and disassembled.
# Paths are relative to the calling directory. Editing an included file rebuilds the kernels that include it (depfiles).
function(bench_embed_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SET" "CUDA;GLSL")
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${arg_SET}_kernels)
  file(MAKE_DIRECTORY ${out})
  set(images "")  # the image files, for dependencies
  set(stems "")

  foreach(source IN LISTS arg_GLSL)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET source STEM stem)
    set(image ${out}/${stem}.spv)
    add_custom_command(
      OUTPUT ${image}
      COMMAND ${BENCH_GLSLANG} --quiet --target-env vulkan1.3 -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/common
              -I${CMAKE_CURRENT_SOURCE_DIR} --depfile ${image}.d -o ${image} ${source}
      DEPENDS ${source}
      DEPFILE ${image}.d
      COMMENT "GLSL ${arg_SET}/${stem}"
      VERBATIM)
    list(APPEND images ${image})
    list(APPEND stems ${stem})
    set(spirv_${stem} ${image})
  endforeach()

  if(BENCH_HAVE_CUDA)
    # The lowest architecture's PTX runs, compiled by the driver, on every newer GPU.
    list(GET BENCH_CUDA_ARCHS_RESOLVED 0 lowest)
    string(REGEX REPLACE "[a-z]$" "" lowest ${lowest})
    foreach(source IN LISTS arg_CUDA)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
      cmake_path(GET source STEM stem)
      list(APPEND stems ${stem})
      set(cuda_${stem} "")
      foreach(arch IN LISTS BENCH_CUDA_ARCHS_RESOLVED ITEMS ptx)
        if(arch STREQUAL "ptx")
          set(image ${out}/${stem}.ptx)
          set(flags -ptx -arch=compute_${lowest})
          set(record "{${lowest} / 10, ${lowest} % 10, false, true")
        else()
          set(image ${out}/${stem}.sm_${arch}.cubin)
          set(flags -cubin -arch=sm_${arch})
          string(REGEX REPLACE "[a-z]$" "" number ${arch})
          set(specific false)
          if(arch MATCHES "[a-z]$")
            set(specific true)
          endif()
          set(record "{${number} / 10, ${number} % 10, ${specific}, false")
        endif()
        add_custom_command(
          OUTPUT ${image}
          COMMAND ${BENCH_NVCC} -std=c++17 ${flags} -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/common
                  -I${CMAKE_CURRENT_SOURCE_DIR} -MD -MF ${image}.d -MT ${image} -o ${image} ${source}
          DEPENDS ${source}
          DEPFILE ${image}.d
          COMMENT "CUDA ${arg_SET}/${stem} ${arch}"
          VERBATIM)
        list(APPEND images ${image})
        string(MAKE_C_IDENTIFIER ${stem}_${arch} symbol)
        list(APPEND cuda_${stem} "${symbol}|${record}|${image}")
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
    string(APPEND table "      {\"${stem}\", ${cuda_span}, ${spirv_span}},\n")
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

function(_bench_incbin set symbol file assembly_var externs_var)
  string(APPEND ${assembly_var}
         "    \".balign 64\\n.globl ${set}_${symbol}\\n${set}_${symbol}:\\n.incbin \\\"${file}\\\"\\n\"\n"
         "    \".globl ${set}_${symbol}_end\\n${set}_${symbol}_end:\\n.byte 0\\n\"\n")
  string(APPEND ${externs_var} "extern const std::byte ${set}_${symbol}[];\nextern const std::byte ${set}_${symbol}_end[];\n")
  set(${assembly_var} "${${assembly_var}}" PARENT_SCOPE)
  set(${externs_var} "${${externs_var}}" PARENT_SCOPE)
endfunction()
