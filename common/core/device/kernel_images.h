// Kernels are data: what the build embedded (cmake/EmbedKernels.cmake), and which of it a device loads.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace bench {

// One machine-code image of a .cu file, embedded in the program by the build.
struct CudaImage {
  int major = 0;
  int minor = 0;
  bool arch_specific = false;  // sm_90a: runs on 9.0 only
  bool is_ptx = false;
  std::span<const std::byte> bytes;
};

// What a SPIR-V module takes, as cmake/spirv_interface.cpp reads it when the module is built.
struct SpirvInterface {
  struct Binding {
    unsigned set = 0;
    unsigned binding = 0;
    bool is_uniform = false;  // a uniform buffer; else a storage buffer
    bool is_array = false;
  };
  std::vector<Binding> buffers;
  unsigned push_bytes = 0;          // to the end of the last push constant
  std::vector<unsigned> constants;  // the specialization constants' ids, in order
};

// A twin: the same stem in cuda/ and glsl/. Either side may be missing.
struct KernelImages {
  std::string_view stem;
  std::span<const CudaImage> cuda;
  std::span<const std::byte> spirv;
  int cuda_since = 0;  // CUDA: 90 where the kernels have instructions of compute capability 9.0, and no older image exists
  SpirvInterface takes = {};       // of `spirv`
  std::string_view no_spirv = {};  // why the build left `spirv` out; empty: it did not, or there is no GLSL
  std::string_view spirv_by = {};  // what compiled `spirv`: "glslang 15.4.0"
  std::string_view cuda_by = {};   // what compiled `cuda`; empty: what the device's own kernels are compiled by
  std::string_view no_cuda = {};   // why the build left `cuda` out; empty: it did not, or there is no CUDA
};

// The twin with this stem. Throws Error that lists the stems there are.
const KernelImages& find_kernel(std::span<const KernelImages> images, std::string_view stem);

// The image of `images` that a device of compute capability major.minor should load: an exact arch-specific cubin first, else
// the newest cubin of the same major and no newer minor, else the newest PTX no newer than the device; nullptr if none fits.
// Source: CUDA C++ Programming Guide, "Application Compatibility".
const CudaImage* choose_image(std::span<const CudaImage> images, int major, int minor);

}  // namespace bench
