// Making what a kernel's launch needs: code, memory, descriptors. As each API has it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "../host_timed.h"
#include "core/experiment/workbench.h"

// Where a kernel's machine code comes from.
enum class From : std::uint8_t {
  kCompiler,  // CUDA: the driver compiles PTX. Vulkan: SPIR-V, with an empty pipeline cache. No cache has this code
  kOwnCache,  // CUDA: the build's cubin. Vulkan: a pipeline cache from data that the application kept
  kNvrtc,     // CUDA: NVRTC compiles C++, and the driver loads the cubin
};

enum class Allocation : std::uint8_t {
  kDedicated,  // CUDA: cudaMalloc. Vulkan: a buffer and a dedicated allocation
  kFromBlock,  // CUDA: cudaMallocAsync from a pool that keeps its memory. Vulkan: a buffer bound in memory that is there
};

enum class Sets : std::uint8_t {
  kPool,      // a pool for all sets, and its end
  kAtOnce,    // all sets by one call, from a pool that was reset
  kOneByOne,  // a call a set
  kWritten,   // four buffers into each set
};

// One API's. It goes before its device does.
class Factory : public bench::Kept {
 public:
  // Makes the kernel `stem` with `mark` in its code, ready for a launch, in place of the one made before. Nanoseconds. Of
  // kOwnCache the mark is EXP08_MARK. Throws Skip.
  virtual double make(From from, std::string_view stem, std::uint32_t mark) = 0;
  // Runs what was made last: `blocks` blocks of EXP08_MADE_BLOCK threads. Blocking.
  virtual void run(const bench::Buffer& words, std::uint32_t blocks) = 0;

  // Allocates `bytes` on the GPU and frees them; submit_ns: the allocation alone. Throws Skip, OutOfMemory.
  virtual bench::HostTimes allocate(Allocation how, std::uint64_t bytes) = 0;
  // Allocates likewise, and throws Error unless the first and the last word hold what is written there.
  virtual void check_allocation(Allocation how, std::uint64_t bytes) = 0;

  // Of `count` descriptor sets. Throws Skip where there are none.
  virtual bench::HostTimes descriptor_sets(Sets what, std::uint32_t count) = 0;
};

std::unique_ptr<Factory> cuda_factory(bench::Device& device);
std::unique_ptr<Factory> vulkan_factory(bench::Device& device);
// The one of the device's API. Throws Skip where there is none.
std::unique_ptr<Factory> make_factory(bench::Device& device);
Factory& factory(bench::Workbench& bench);

// What word i must be.
std::uint32_t made_word(std::string_view stem, std::uint32_t mark, std::uint32_t i);
// The next mark that no kernel of this machine has had: a number of ten digits.
std::uint32_t fresh_mark();

// The disk caches of the drivers and the JIT compiler: off in this process. Before any driver is loaded.
void turn_caches_off();
