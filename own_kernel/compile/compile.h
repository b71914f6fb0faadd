// From a step's file to code, and what that code takes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/code/spirv_module.h"
#include "description/description.h"

namespace bench::own {

// What code is made for.
struct Target {
  std::string cuda_arch = {};             // "sm_90a"; empty: sm_90, for a check without a GPU
  std::string vulkan = "vulkan1.3";       // glslang's --target-env
  std::filesystem::path log_folder = {};  // where a compiler's whole words are left; empty: a temporary folder
};

// A parameter as the code's own records give it, in bytes.
struct CudaParameter {
  std::uint32_t index = 0;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

struct Compiled {
  enum class Kind : std::uint8_t { kCubin, kPtx, kSpirv };
  Kind kind = Kind::kSpirv;
  std::vector<std::byte> bytes = {};
  std::string by = {};     // "nvcc 13.0.88", "NVRTC 13.0", "glslang 12.0.0"; of code that came made: "as it is"
  std::string entry = {};  // as the code calls it: a template instance's is mangled
  std::vector<CudaParameter> parameters = {};  // CUDA, by index
  std::uint32_t static_shared_bytes = 0;       // CUDA, where the cubin tells
  SpirvEntry spirv = {};                       // SPIR-V: what its entry point takes
};

// Compiles, or reads what is code already, and reads what the code takes. Compilers are child processes with a time limit.
// Throws Error of one line: the compiler's first error and where its log is, an entry that there is not and those there are, or
// what is refused (textures, images, samplers, device globals, cooperative launches). Throws Skip where there is no compiler.
Compiled compile(const Step& step, const Target& target);

}  // namespace bench::own
