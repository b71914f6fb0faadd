#include "vulkan/launch/imported_kernel.h"

#include "core/code/machine_code.h"

namespace bench::vulkan {
namespace {

const CudaImage& cubin_of(const Context& context, const KernelSpec& spec) {
  if (!context.features().binary_import) {
    throw Skip("kernel {}: CUDA's machine code in a Vulkan launch wants VK_NVX_binary_import, which {} lacks", spec.entry,
               context.info().name);
  }
  if (spec.images == nullptr || spec.images->cuda.size() != 1 || spec.images->cuda.front().is_ptx || spec.block_x == 0) {
    throw Error("kernel {}: an imported kernel wants one cubin and a block of threads", spec.entry);
  }
  return spec.images->cuda.front();
}

vk::raii::CuModuleNVX make_module(const Context& context, const KernelSpec& spec) {
  const std::span<const std::byte> cubin = cubin_of(context, spec).bytes;
  return BENCH_VK(context.device().createCuModuleNVX({.dataSize = cubin.size(), .pData = cubin.data()}), "the cubin of {}",
                  spec.entry);
}

}  // namespace

std::vector<const void*> imported_arguments(const std::vector<std::uint64_t>& addresses, const std::vector<std::byte>& params) {
  std::vector<const void*> pointers;
  for (const std::uint64_t& address : addresses) pointers.push_back(&address);
  if (!params.empty()) pointers.push_back(params.data());
  return pointers;
}

ImportedKernel::ImportedKernel(const Context& context, const KernelSpec& spec)
    : Kernel(spec),
      module_(make_module(context, spec)),
      function_(BENCH_VK(context.device().createCuFunctionNVX({.module = *module_, .pName = spec.entry.c_str()}), "entry {}",
                         spec.entry)) {}

KernelCode ImportedKernel::code() const {
  KernelCode result;
  take_cubin(spec().images->cuda.front().bytes, spec().entry, result);
  return result;
}

void ImportedKernel::launch(const vk::raii::CommandBuffer& commands, const std::array<std::uint32_t, 3>& grid,
                            const std::vector<const void*>& arguments) const {
  commands.cuLaunchKernelNVX({.function = *function_,
                              .gridDimX = grid[0],
                              .gridDimY = grid[1],
                              .gridDimZ = grid[2],
                              .blockDimX = spec().block_x,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .sharedMemBytes = spec().shared_bytes,
                              .paramCount = arguments.size(),
                              .pParams = arguments.data()});
}

}  // namespace bench::vulkan
