// What one side of a case sets itself up with: kernels and buffers of one device, kept from case to case.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/device.h"
#include "core/random.h"

namespace bench {

// Words of poison behind every output that no kernel may touch.
inline constexpr std::uint64_t kGuardWords = 64;

// Who allocates the pages that a buffer lies on.
enum class Memory : std::uint8_t {
  kOwn,         // each API its own
  kFromVulkan,  // both APIs use the same: Vulkan allocates, CUDA imports
  kFromCuda,    // the other way round
};
// "own", "from_vulkan", "from_cuda".
std::string_view to_string(Memory memory);

class Workbench {
 public:
  Workbench(Device& device, std::uint64_t seed) : device_(device), seed_(seed) {}

  Device& device() { return device_; }
  std::uint64_t seed() const { return seed_; }

  // The other API's workbench on the same GPU, which outlives this one's use of shared memory.
  void share_with(Workbench* partner) { partner_ = partner; }  // nullptr: none any more
  Workbench* partner() { return partner_; }                    // nullptr: there is none

  // That of the device's peer, with the same seed: the same input() there. Its buffers go with this one's. Throws Skip where
  // the device has no peer.
  Workbench& peer();

  // A CUDA image made at run time, for one device; kept as long as the kernels that are loaded from it. Its stem tells it from
  // all others.
  const KernelImages& keep(const std::string& stem, const CudaImage& image);
  // The kernel, loaded once per distinct spec.
  const Kernel& kernel(const KernelSpec& spec);
  // Everything kernel() was asked for, in the order of stem, entry and block size.
  struct Asked {
    KernelSpec spec;
    std::unique_ptr<Kernel> kernel;
    std::string reason;  // why `kernel` is null: what the device's Skip said
  };
  using Kernels = std::map<std::string, Asked>;
  const Kernels& kernels() const { return kernels_; }

  // A buffer of at least `words` 32-bit words whose word i is random_float(seed, stream, i), filled once.
  // Shared memory: throws Skip without a partner, or if the devices cannot share; each side fills it with the same words.
  const Buffer& input(std::uint32_t stream, std::uint64_t words, Memory memory = Memory::kOwn);
  // A buffer of `words` poisoned words plus kGuardWords of guard; poisoned anew at every call. The buffer of a slot is reused.
  Buffer& output(const std::string& slot, std::uint64_t words, Memory memory = Memory::kOwn);

  // What input() holds: the CPU reference's view of it.
  float input_value(std::uint32_t stream, std::uint64_t index) const { return random_float(seed_, stream, index); }

  // Frees every buffer, e.g. after one case ran out of memory.
  void release_buffers();

 private:
  struct Slot {
    std::unique_ptr<Buffer> buffer;
    std::uint64_t filled_words = 0;
  };
  Slot& slot(const std::string& name, std::uint64_t bytes, Memory memory);
  std::unique_ptr<Buffer> allocate(const std::string& name, std::uint64_t bytes, Memory memory);

  Device& device_;
  std::uint64_t seed_;
  Workbench* partner_ = nullptr;
  std::unique_ptr<Workbench> peer_;
  struct Made {
    std::string stem;
    std::vector<std::byte> bytes;
    CudaImage image;
    KernelImages images;
  };
  std::map<std::string, Made> made_;
  Kernels kernels_;
  std::map<std::string, Slot> slots_;
};

// The bytes of a params.h struct, for Launch::params.
template <class T>
std::vector<std::byte> params_bytes(const T& params) {
  const auto bytes = std::as_bytes(std::span(&params, 1));
  return {bytes.begin(), bytes.end()};
}

}  // namespace bench
