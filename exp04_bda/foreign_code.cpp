#include "foreign_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "code_transplant.h"
#include "core/base/error.h"
#include "params.h"

namespace {

// Constant bank 0 of a Vulkan kernel, as NVIDIA's driver 580 lays it out: the grid's size, from 0x30 on a buffer's address and
// size every 16 bytes, from 0x630 on the push constants.
constexpr std::uint32_t kGridBytes = 12;
constexpr std::uint32_t kDescriptors = 0x30;
constexpr std::uint32_t kPush = 0x630;

// Of CUDA's, as ptxas 13.0 reads it for sm_90a: the block's size, the grid's, and from `parameters` on the buffers' addresses,
// then BdaParams.
constexpr std::uint32_t kCudaGrid = 0xc;

std::optional<std::uint32_t> moved_constant(std::uint32_t offset, bool addresses, std::uint32_t buffers,
                                            std::uint32_t parameters) {
  if (offset < kGridBytes) return kCudaGrid + offset;
  const std::uint32_t own = 8 * buffers;
  if (offset >= kPush) {
    const std::uint32_t at = offset - kPush;
    if (addresses) return at < own + sizeof(BdaParams) ? std::optional(parameters + at) : std::nullopt;
    return at < sizeof(BdaParams) ? std::optional(parameters + own + at) : std::nullopt;
  }
  if (addresses || offset < kDescriptors || offset >= kDescriptors + 16 * buffers) return std::nullopt;
  const std::uint32_t buffer = (offset - kDescriptors) / 16;
  const std::uint32_t part = (offset - kDescriptors) % 16;
  if (part < 8) return parameters + 8 * buffer + part;
  const std::size_t size = buffer + 1 == buffers ? offsetof(BdaParams, out_bytes) : offsetof(BdaParams, in_bytes);
  return part == 8 ? std::optional(parameters + own + static_cast<std::uint32_t>(size)) : std::nullopt;
}

// What every kernel here reads if that is the layout: each buffer's address, and the count. Two buffers that had changed places
// would show in the output, before anything is timed.
std::vector<std::uint32_t> read_constants(bool addresses, std::uint32_t buffers) {
  std::vector<std::uint32_t> read = {kPush + (addresses ? 8 * buffers : 0)};
  for (std::uint32_t i = 0; i < buffers; ++i) read.push_back(addresses ? kPush + 8 * i : kDescriptors + 16 * i);
  return read;
}

}  // namespace

const bench::Kernel& vulkan_code(bench::Workbench& bench, const bench::KernelSpec& both) {
  constexpr std::uint32_t kRegisters = 16;  // allocated for what each *_code_host uses: 9 to 16
  if (bench.partner() == nullptr) throw bench::Skip("Vulkan's machine code wants both APIs on one GPU");
  const bench::KernelSpec vulkan = bench.partner()->device().own(both);
  bench::KernelSpec host = bench.device().own(both);
  const bench::KernelCode code = bench.partner()->kernel(vulkan).code();
  if (code.code.empty()) throw bench::Skip("{}", code.reason);
  const bench::KernelCode room = bench.device().load(host)->code();
  const auto parameters = bench::parameter_offset(room.container, host.entry);
  if (!parameters) throw bench::Skip("{}: no cubin that tells where its parameters lie", host.entry);
  const bool addresses = vulkan.vulkan.binding == bench::BufferBinding::kAddress;
  const bench::ConstantLayout layout = {
      [&](std::uint32_t offset) { return moved_constant(offset, addresses, host.buffers, *parameters); },
      read_constants(addresses, host.buffers)};
  const bench::Transplant done = bench::transplant(room.arch, room.container, host.entry, code.code, kRegisters, layout);
  if (done.cubin.empty()) throw bench::Skip("Vulkan's machine code cannot run in a CUDA launch: {}", done.reason);
  // The same architecture as the room's: what choose_image() took for this device fits it under any name.
  bench::CudaImage image = *std::find_if(host.images->cuda.begin(), host.images->cuda.end(), [&](const bench::CudaImage& one) {
    return one.bytes.size() == room.container.size() && std::equal(one.bytes.begin(), one.bytes.end(), room.container.begin());
  });
  image.bytes = done.cubin;
  const std::string_view unchecked = vulkan.vulkan.robustness == bench::Robustness::kDisabled ? "_unchecked" : "";
  host.images = &bench.keep(fmt::format("{}{}_vulkan_code_{}", vulkan.images->stem, unchecked, host.block_x), image);
  return bench.kernel(host);
}

const bench::Kernel& cuda_code(bench::Workbench& bench, const bench::KernelSpec& both) {
  if (bench.partner() == nullptr) throw bench::Skip("CUDA's machine code wants both APIs on one GPU");
  bench::KernelSpec cuda = bench.partner()->device().own(both);
  const bench::KernelCode code = bench.partner()->kernel(cuda).code();
  if (code.container.empty()) throw bench::Skip("{}", code.reason);
  cuda.images = &bench.keep(fmt::format("{}_cuda_code", cuda.entry), {.bytes = code.container});
  cuda.vulkan.imported = true;
  return bench.kernel(cuda);
}
