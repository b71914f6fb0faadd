// What one side of a case sets itself up with: kernels and buffers of one device, kept from case to case.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/device/checksum.h"
#include "core/device/device.h"
#include "core/experiment/verified_outputs.h"
#include "core/results/schema.h"

namespace bench {

// Words of poison behind every output that no kernel may touch.
inline constexpr std::uint64_t kGuardWords = 64;

// How a case's outputs were verified.
enum class Verified : std::uint8_t {
  kNothing,   // there was none: the kernel leaves nothing that tells whether it ran
  kChecksum,  // all by their checksums, which an earlier run had noted of verified ones
  kFull,      // read back and compared, some or all
};
constexpr std::string_view to_string(Verified verified) {
  constexpr std::string_view kNames[] = {"nothing", "checksum", "full"};
  return kNames[static_cast<std::size_t>(verified)];
}

// Who allocates the pages that a buffer lies on.
enum class Memory : std::uint8_t {
  kOwn,         // each API its own
  kFromVulkan,  // both APIs use the same: the named one allocates, the other imports
  kFromCuda,
  kSparse,     // each API its own; that of a device with SparseMemory is bound by its queue (PageOrder::kInOrder)
  kScattered,  // likewise (PageOrder::kScattered)
};
constexpr std::string_view to_string(Memory memory) {
  constexpr std::string_view kNames[] = {"own", "from_vulkan", "from_cuda", "vulkan_sparse", "vulkan_scattered"};
  return kNames[static_cast<std::size_t>(memory)];
}

// What an experiment keeps with a device beside kernels and buffers, such as queues and memory of its own.
class Kept {
 public:
  virtual ~Kept() = default;
};

class Workbench {
 public:
  // `run_seed` is of what may differ from run to run, which the input may not.
  Workbench(Device& device, std::uint64_t input_seed, std::uint64_t run_seed = 1)
      : device_(device), seed_(input_seed), run_seed_(run_seed) {}

  Device& device() { return device_; }
  // Values that the kernels' clock of cycles gave: none where that clock is too short (DeviceInfo::counts_cycles).
  Values if_counted(Values cycles) const { return device_.info().counts_cycles ? std::move(cycles) : Values(); }
  std::uint64_t input_seed() const { return seed_; }
  std::uint64_t run_seed() const { return run_seed_; }

  // The other API's workbench on the same GPU, which outlives this one's use of shared memory.
  void share_with(Workbench* partner) { partner_ = partner; }  // nullptr: none any more
  Workbench* partner() { return partner_; }                    // nullptr: there is none

  // That of the device's peer, with the same seeds: the same input() there. Its buffers go with this one's. Throws Skip where
  // the device has no peer.
  Workbench& peer();

  // A CUDA image made at run time, for one device; kept as long as the kernels that are loaded from it. Its stem tells it from
  // all others.
  const KernelImages& keep(const std::string& stem, const CudaImage& image);
  // The kernel, loaded once per distinct spec, as this device has it (Device::own).
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
  // A buffer of `words` words that `produce` makes (see Device::write), filled once; `name` tells its contents from all
  // others'.
  const Buffer& made_input(const std::string& name, std::uint64_t words, const Device::Producer& produce);
  // A buffer of `words` poisoned words plus kGuardWords of guard; poisoned anew at every call. The buffer of a slot is reused.
  Buffer& output(const std::string& slot, std::uint64_t words, Memory memory = Memory::kOwn);

  // What is kept under that name, from case to case: made where there is none. It goes when the buffers do.
  template <class State, class Make>
  State& kept(const std::string& name, const Make& make) {
    std::unique_ptr<Kept>& found = kept_[name];
    if (!found) found = std::unique_ptr<State>(make());
    return dynamic_cast<State&>(*found);
  }

  // Whose outputs are verified from now on: output_name() of a case's side.
  void begin_case(std::string name);
  // By what has been noted; nullptr, or no begin_case(): every output is verified in full, and none is noted.
  void use_verified_outputs(VerifiedOutputs* outputs) { verified_outputs_ = outputs; }
  // The case's next output: its first `words` words, guard included, have a checksum that was noted of it, or
  // verify_in_full() says, by throwing Error, that it is wrong. That returns the checksum of what it has read: the device's is
  // noted if it is the same, else Error is thrown. Skip what only verify_in_full needs, e.g. a reference that takes long.
  // `reference` names all that decides what these words must be, with the input's seed: whatever case has the same reference
  // and as many words goes by its checksums. Empty: those of output_name() alone.
  void confirm(const std::string& reference, const Buffer& output, std::uint64_t words,
               const std::function<Checksum()>& verify_in_full);
  // Since begin_case().
  Verified verified() const { return verified_; }

  // An output as it was confirmed.
  struct Confirmed {
    const Buffer* output;
    std::uint64_t words;
    Checksum checksum;
  };
  // Outputs that one launch makes anew, after the last sample.
  struct Remaking {
    std::vector<Confirmed> outputs;  // are poisoned before the launch, and must have their checksums after it
    std::function<void()> restore;   // then puts back what a launch needs to find; may be empty
    std::function<void()> check;     // after the launch, of what no checksum tells: throws Error; may be empty
    std::uint32_t launches = 1;      // one after another, of one sample
  };
  // Says of the case in hand that one launch of what it times, or so many, makes all of its outputs anew once they are poisoned
  // and `restore` was called: it will be asked to, after the last sample. The outputs are those confirmed since begin_case().
  void makes_outputs_anew(std::function<void()> restore = {}, std::function<void()> check = {}, std::uint32_t launches = 1) {
    remaking_ = Remaking{.outputs = {}, .restore = std::move(restore), .check = std::move(check), .launches = launches};
  }
  // None without makes_outputs_anew().
  std::optional<Remaking> to_remake() const;
  // Throws Error where an output differs.
  void remake(const Remaking& remaking, const std::function<void()>& launch);

  // Of an output that was read back and compared without confirm(): no checksum tells what it must be.
  void compared() { verified_ = Verified::kFull; }
  // Likewise of one whose first `words` words are the same after every launch, on this device: made anew, they must have the
  // checksum that they have now.
  void compared(const Buffer& output, std::uint64_t words);
  // Of a case whose work leaves nothing that could be compared, or, without a reference, counts what it leaves.
  void nothing_to_compare() { nothing_to_compare_ = true; }
  // Since begin_case(): neither was an output verified nor is there nothing to compare; or both were said.
  bool has_forgotten_to_verify() const { return (verified_ == Verified::kNothing) != nothing_to_compare_; }

  // Seconds spent so far on making inputs and on confirm().
  double input_s() const { return input_s_; }
  double verify_s() const { return verify_s_; }

  // What input() holds: the CPU reference's view of it.
  float input_value(std::uint32_t stream, std::uint64_t index) const { return random_float(seed_, stream, index); }

  // Frees every buffer and all that is kept, e.g. after one case ran out of memory.
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
  std::uint64_t run_seed_;
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
  std::map<std::string, std::unique_ptr<Kept>> kept_;  // goes before the buffers that it may use
  VerifiedOutputs* verified_outputs_ = nullptr;
  std::string case_;
  std::uint32_t outputs_ = 0;  // of the case, so far
  Verified verified_ = Verified::kNothing;
  bool nothing_to_compare_ = false;
  std::optional<Remaking> remaking_;
  std::vector<Confirmed> confirmed_;
  double input_s_ = 0;
  double verify_s_ = 0;
};

}  // namespace bench
