// From a step's file to code, and what that code takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/cuda_code.h"
#include "compile/cuda_source.h"
#include "core/code/spirv_module.h"
#include "description/description.h"

namespace bench::own {

// What code is made for, and by which compilers.
struct Target {
  std::string cuda_arch = "sm_90";        // of the GPU: "sm_90a". The default is for a check without one
  std::string vulkan = "vulkan1.3";       // glslang's --target-env
  std::filesystem::path log_folder = {};  // where a compiler's whole words are left; empty: the folder for temporary files
  double limit_s = 300;                   // of one compilation
  // Empty: BENCH_NVCC of the environment, else CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda. "none": NVRTC.
  std::string nvcc = {};
  // Empty: BENCH_GLSLANG of the environment, else the newest of those beside the program, on PATH and of the build.
  std::string glslang = {};
};

struct Compiled {
  enum class Kind : std::uint8_t { kCubin, kPtx, kSpirv };
  Kind kind = Kind::kSpirv;
  std::vector<std::byte> bytes = {};
  std::string by = {};                           // "nvcc 13.0.88", "NVRTC 13.0", "glslang 12.0.0"; "" of code that came made
  std::string entry = {};                        // as the code calls it: a C++ function's is mangled
  CudaKernel cuda = {};                          // what the entry takes
  std::vector<DeclaredParameter> declared = {};  // its parameters by the source; empty: that cannot be told
  SpirvEntry spirv = {};                         // what the entry takes, with the constants' defaults
  std::string source = {};                       // of compile_all, and a .cu: what declares its kernels
};

// Compiles, or reads what is code already, and reads what its entry takes. Compilers are child processes with a time limit.
// Throws Error of one line: the compiler's first error and where its log is, an entry that there is not and those there are, or
// what is refused (textures, images, samplers, arrays of buffers, addresses in buffers, device globals that nothing fills,
// cooperative launches). Of a .cubin device globals alone are seen. Throws Skip where there is no compiler. Call it before a
// GPU is opened: NVRTC runs in a copy of this process.
Compiled compile(const Step& step, const Target& target);

// Throws the Error of what is refused.
void refuse(const Compiled& compiled, const Step& step);

// All kernels of a step's file, whatever its entry: for a first look. As compile(), with `source` in place of `declared`, and
// refuses nothing.
std::vector<Compiled> compile_all(const Step& step, const Target& target);

// What declares the kernels of a .cu file, with its headers and macros, for declared_kernels(); of a file without a kernel,
// too.
std::string declaring_text(const Step& step, const Target& target);

// Of SPIR-V: what the entry takes with the step's specialization constants.
SpirvEntry interface_of(const Compiled& compiled, const Step& step, const Sizes& sizes);

// The bits of a constant's value, as specialization data hold it.
std::uint64_t bits_of(const Constant& constant, const Sizes& sizes);

}  // namespace bench::own
