#include "sides.h"

#include <bit>

#include "core/base/parallel.h"
#include "exp08_kernels.h"
#include "params.h"

std::string_view to_string(Direction direction) { return direction == Direction::kUp ? "up" : "down"; }

std::string_view to_string(Engine engine) {
  return engine == Engine::kCopyEngine ? "copy_engine" : engine == Engine::kComputeQueue ? "compute_queue" : "kernel";
}

std::string_view to_string(HostMemory memory) {
  switch (memory) {
    case HostMemory::kPageable:
      return "pageable";
    case HostMemory::kCached:
    case HostMemory::kCachedStaging:
      return "cached";
    case HostMemory::kUncached:
    case HostMemory::kUncachedStaging:
      return "uncached";
    case HostMemory::kImported:
    case HostMemory::kImportedStaging:
      return "imported";
    case HostMemory::kOnDevice:
      return "on_device";
  }
  return "";
}

const bench::Kernel& move_kernel(bench::Workbench& bench) {
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp08(), "move_words"),
                       .entry = "move_words",
                       .block_x = EXP08_MOVE_BLOCK,
                       .buffers = 2,
                       .params_bytes = sizeof(MoveParams),
                       .vulkan = {.binding = bench::BufferBinding::kAddress}});
}

std::uint32_t move_blocks(std::uint64_t bytes) {
  constexpr std::uint64_t kBlockBytes = EXP08_MOVE_BLOCK * EXP08_MOVE_WORDS * sizeof(std::uint32_t);
  return static_cast<std::uint32_t>((bytes + kBlockBytes - 1) / kBlockBytes);
}

void fill(const bench::Workbench& bench, std::span<std::byte> memory) {
  auto* words = reinterpret_cast<std::uint32_t*>(memory.data());
  bench::parallel_for(memory.size() / sizeof(std::uint32_t), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) words[i] = std::bit_cast<std::uint32_t>(bench.input_value(0, i));
  });
}
