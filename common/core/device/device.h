// What the two APIs have in common: a device, its buffers and kernels, and a Subject that can be timed.
//
// Everything above this line of abstraction (the experiments, the sampler, verification) treats CUDA and Vulkan alike; the
// implementations in common/cuda and common/vulkan keep the API calls in plain sight.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/device/checksum.h"
#include "core/device/kernel_images.h"

namespace bench {

// An API, as its backend introduces it. The texts are literals.
struct Api {
  std::string_view csv;   // the spelling of the CSV's api column: "cuda"
  std::string_view name;  // within a sentence: "CUDA"
  int order = 0;          // of the sides of a case
  // What its programs call launches that are submitted anew for every sample, and those that are only replayed.
  std::string_view submitted = "submitted";
  std::string_view replayed = "replayed";

  friend constexpr bool operator==(const Api& a, const Api& b) { return a.csv == b.csv; }
  friend constexpr auto operator<=>(const Api& a, const Api& b) {
    return std::pair(a.order, a.csv) <=> std::pair(b.order, b.csv);
  }
};
constexpr std::string_view to_string(const Api& api) { return api.csv; }

using Uuid = std::array<std::uint8_t, 16>;
// "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi and vulkaninfo print it; "" for none.
std::string uuid_text(const std::optional<Uuid>& uuid);

inline constexpr std::uint32_t kNvidia = 0x10de;
inline constexpr std::uint32_t kAmd = 0x1002;

// One device as one API shows it. A figure the API does not give is 0 (numbers) or empty (text, uuid).
struct DeviceInfo {
  Api api{};
  int index = 0;  // in that API's own enumeration
  std::string name;
  std::optional<Uuid> uuid;     // cudaDeviceProp::uuid, VkPhysicalDeviceIDProperties::deviceUUID
  bool is_cpu = false;          // a software implementation (VK_PHYSICAL_DEVICE_TYPE_CPU)
  bool is_integrated = false;   // a GPU that shares the host's memory
  bool is_translated = false;   // its driver stands on another API (Dozen on Direct3D 12, MoltenVK on Metal)
  std::uint32_t vendor_id = 0;  // of PCI: kNvidia, ...
  std::uint32_t device_id = 0;  // the vendor's; only Vulkan tells
  std::string driver;           // e.g. "580.159.04"
  std::string toolkit;          // what built the kernels: "CUDA 13.0.88", "glslang 12.0.0"
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;          // only CUDA tells; select_devices() hands it to the same GPU's Vulkan device
  double peak_gbps = 0;                // theoretical: 2 x memory clock x bus width, GB = 10^9 bytes
  std::uint64_t max_buffer_bytes = 0;  // the largest range one kernel argument may cover
  std::uint64_t max_grid_x = 0;        // blocks / workgroups in x
  std::uint32_t max_block_x = 0;       // threads / invocations in x
  std::uint32_t subgroup_size = 0;     // warp / subgroup
  // SMs or compute units; CUDA tells, and Vulkan through VK_NV_shader_sm_builtins and VK_AMD_shader_core_properties2.
  std::uint32_t multiprocessors = 0;
  std::uint32_t resident_threads = 0;  // that an SM holds; likewise
  double realtime_tick_ns = 0;         // of the clock that kernels read: CUDA's %globaltimer, Vulkan's clockRealtimeEXT
  // Of the clock of cycles that kernels read, CUDA's clock64(), Vulkan's clockARB: it passes 2^32 before it begins anew.
  bool counts_cycles = true;
  std::string arch;  // "sm_90"; only CUDA tells
  // What stands between the program and the driver and was not asked for: Vulkan's layers that see what is submitted.
  std::vector<std::string> layers = {};
};

// What kind of device it is, as rows and lists say it: "cpu" is no GPU, and its times say nothing of GPUs.
constexpr std::string_view device_type(const DeviceInfo& device) {
  return device.is_cpu ? "cpu" : device.is_integrated ? "integrated" : "gpu";
}

// How a Vulkan kernel gets at its buffers.
enum class BufferBinding : std::uint8_t {
  kDescriptors,       // storage buffers at bindings 0, 1, ... of set 0
  kUniform,           // likewise, all but the last as uniform buffers: at most maxUniformBufferRange bytes of each are seen
  kPushDescriptors,   // as kDescriptors, but written into the command buffer (VK_KHR_push_descriptor)
  kDescriptorBuffer,  // as kDescriptors, but in memory that the program writes itself (VK_EXT_descriptor_buffer)
  kBindless,          // descriptor indexing: elements of one array of storage buffers, binding 0 of set 0; push constants:
                      // each buffer's 32-bit index into it, then the params struct
  kAddress,           // push constants: each buffer's 64-bit device address, then the params struct
  kDynamicOffsets,    // as kDescriptors, but each buffer's offset is said when the set is bound
};
constexpr std::string_view to_string(BufferBinding binding) {
  constexpr std::string_view kNames[] = {"descriptors", "uniform", "push_descriptors", "descriptor_buffer",
                                         "bindless",    "address", "dynamic_offsets"};
  return kNames[static_cast<std::size_t>(binding)];
}

// What a Vulkan kernel's accesses out of a buffer's bounds do (VK_EXT_pipeline_robustness).
enum class Robustness : std::uint8_t {
  kDefault,             // what the driver does on its own, no robustness feature being enabled
  kDisabled,            // out-of-bounds accesses are the program's promise not to happen
  kRobustBufferAccess,  // as with the feature robustBufferAccess
  kRobustness2,         // as with VK_EXT_robustness2's robustBufferAccess2
};
constexpr std::string_view to_string(Robustness robustness) {
  constexpr std::string_view kNames[] = {"default", "disabled", "robustBufferAccess", "robustness2"};
  return kNames[static_cast<std::size_t>(robustness)];
}

// What happens to a launch's buffers between the launches of a submission.
enum class SetUse : std::uint8_t {
  kBoundOnce,           // bound before the first launch, and left
  kBoundPerDispatch,    // bound again for each: the set, its offset, the pushed descriptors, indices or addresses
  kUpdatedPerDispatch,  // a fresh set allocated, written and bound for each (kDescriptors, kUniform; else Skip). Not with
                        // kReplay
};
constexpr std::string_view to_string(SetUse use) {
  constexpr std::string_view kNames[] = {"once", "per_dispatch", "updated"};
  return kNames[static_cast<std::size_t>(use)];
}

// What an API's kernel has otherwise than the common part of its KernelSpec says; what is left empty is common.
struct OwnKernel {
  std::span<const KernelImages> from = {};  // with `stem`: KernelSpec::images, looked for where this API wants them
  std::string stem = {};
  std::string entry = {};
  std::vector<std::uint32_t> constants = {};
  std::uint32_t shared_bytes = 0;
};

// A part of Launch::params, in bytes.
struct ParamsPart {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

// Where in Launch::params the 64-bit device address of a buffer is to stand.
struct AddressInParams {
  std::uint32_t offset = 0;  // in bytes
  std::uint32_t buffer = 0;  // of Launch::buffers
};

// What CUDA alone is told of a kernel and its launches. Every other API ignores it.
struct CudaLaunch {
  OwnKernel own = {};
  // The kernel's arguments in its own order, each a part of Launch::params, where KernelSpec::addresses puts the buffers.
  // Empty: a pointer to each buffer, then the params struct.
  std::vector<ParamsPart> arguments = {};
  std::uint32_t cluster_x = 0;  // consecutive blocks in x that share a cluster; 0: no clusters. Vulkan has none: Skip
  bool most_l1 = false;         // an SM's memory is L1 as far as it goes, not as the kernel before had it
};

// What a SPIR-V module takes that follows none of this suite's conventions. Launch::params are all of its push constants, where
// KernelSpec::addresses puts the buffers that it reaches by address.
struct VulkanInterface {
  struct Descriptor {
    std::uint32_t set = 0;
    std::uint32_t binding = 0;
    std::uint32_t buffer = 0;  // of Launch::buffers
    bool is_uniform = false;   // a uniform buffer; else a storage buffer
    std::uint64_t bytes = 0;   // of the buffer, from its begin; 0: all
  };
  struct Constant {  // a specialization constant
    std::uint32_t id = 0;
    std::vector<std::byte> value = {};  // as wide as the module has it: 4 bytes of a bool, 1, 2, 4 or 8 of a number
  };
  std::vector<Descriptor> descriptors = {};
  std::vector<Constant> constants = {};  // the workgroup's size among them, where it is one
  std::uint32_t subgroup_size = 0;       // 0: the driver's choice. Skip where the device has no such size
};

// What a SPIR-V module declares of where its invocations meet again.
enum class Reconvergence : std::uint8_t {
  kNone,
  kUniform,  // SubgroupUniformControlFlowKHR (VK_KHR_shader_subgroup_uniform_control_flow)
  kMaximal,  // MaximallyReconvergesKHR (VK_KHR_shader_maximal_reconvergence)
};

// The same of Vulkan.
struct VulkanLaunch {
  OwnKernel own = {};
  // In place of the conventions: bindings as `binding` says, constants by KernelSpec::block_x and ::constants, the entry main.
  // The entry is then KernelSpec::entry.
  std::optional<VulkanInterface> interface = {};
  BufferBinding binding = BufferBinding::kDescriptors;
  Robustness robustness = Robustness::kDefault;
  SetUse set_use = SetUse::kBoundOnce;
  // "16x16x16 f16 f32", a cooperative matrix's rows, columns and depth, the type of its elements and that of its sums, which
  // the device must list for a subgroup (VkCooperativeMatrixPropertiesKHR); empty: the kernel has none.
  std::string matrix = {};
  // Where the device lists no such matrix, and this one: the kernel that does the same work with it, in its images and entry.
  struct OtherMatrix {
    std::string matrix = {};  // empty: there is no other kernel
    OwnKernel kernel = {};
  };
  OtherMatrix other_matrix = {};
  // A cooperative matrix of the whole workgroup, likewise: the device must list that as many invocations multiply such matrices
  // (VK_NV_cooperative_matrix2's flexible dimensions). No rows: the kernel has none.
  struct WorkgroupMatrix {
    std::uint32_t rows = 0, columns = 0, depth = 0;
    std::string types = {};  // "f16 f32"

    friend bool operator==(const WorkgroupMatrix&, const WorkgroupMatrix&) = default;
  };
  WorkgroupMatrix workgroup_matrix = {};
  Reconvergence reconvergence = Reconvergence::kNone;  // with VulkanChoice::reconvergence
  bool full_subgroups = false;                         // the pipeline asks for workgroups of full subgroups alone
  bool takes_less = false;  // on purpose, the GLSL declares but some of the buffers and push constants
  // CUDA's machine code in place of the SPIR-V (VK_NVX_binary_import): `entry` of the one cubin in images->cuda. It gets what a
  // CUDA launch would hand it, and no `binding`.
  bool imported = false;
};

// What to load and how: twins have the same buffers in the same order.
struct KernelSpec {
  const KernelImages* images = nullptr;
  std::string entry = {};       // the `extern "C" __global__` function; GLSL's is main
  std::uint32_t block_x = 256;  // CUDA: launch parameter. GLSL: specialization constant 0
  std::uint32_t block_y = 1;    // likewise; GLSL has its own
  std::uint32_t block_z = 1;
  std::vector<std::uint32_t> constants = {};  // GLSL's specialization constants 1, 2, ...; in CUDA `entry` chooses the instance
  std::uint32_t buffers = 0;                  // pointer arguments / storage-buffer bindings 0 ... buffers-1
  std::uint32_t params_bytes = 0;             // the struct of params.h: last CUDA argument / push constants
  std::uint32_t shared_bytes = 0;             // a block's: CUDA's is dynamic; GLSL sizes its own by its constants
  std::vector<AddressInParams> addresses = {};  // with cuda.arguments or vulkan.interface
  CudaLaunch cuda = {};
  VulkanLaunch vulkan = {};

  std::uint64_t block_threads() const { return std::uint64_t{block_x} * block_y * block_z; }
  // What an API makes of it whose part `own` is: nothing of any API's own is left in it. Throws Error where own.from lacks
  // own.stem.
  KernelSpec with(const OwnKernel& own) const;
};

// BENCH_MEMORY_LIMIT_MIB: how much memory all buffers of both APIs may take together, for trying how a program does on a
// smaller card. In bytes; ~0: no limit. Throws UsageError.
std::uint64_t memory_limit();

class Buffer {
 public:
  virtual ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::uint64_t bytes() const { return bytes_; }
  // No other buffer's, not even of one that has been freed.
  std::uint64_t id() const { return id_; }
  const std::string& label() const { return label_; }
  // Throws Error unless [offset, offset + bytes) lies inside the buffer; check_words() also unless both are multiples of 4.
  void check_range(std::uint64_t offset, std::uint64_t bytes) const;
  void check_words(std::uint64_t offset, std::uint64_t bytes) const;

 protected:
  // Throws OutOfMemory where memory_limit() has no room left.
  Buffer(std::uint64_t bytes, std::string_view label);

 private:
  inline static std::atomic<std::uint64_t> next_id = 0;
  std::uint64_t bytes_;
  std::uint64_t id_;
  std::string label_;
};

// What a driver gives out about the code that it runs for one kernel.
struct KernelCode {
  std::string arch = {};                                        // of the code: "sm_90a"; empty where the API does not tell
  std::vector<std::byte> code = {};                             // instructions; empty if there are none to be had
  std::vector<std::byte> container = {};                        // the file they lie in: a cubin, an NVuc object; may be empty
  std::string_view container_type = "bin";                      // what ends that file's name: "cubin"
  std::span<const std::byte> source = {};                       // PTX or SPIR-V, embedded in the program; may be empty
  std::string_view source_type = "source";                      // likewise: "ptx"
  std::vector<std::pair<std::string, double>> statistics = {};  // every number the API gives, by the API's name for it
  std::string text = {};                                        // the driver's own listing, where it makes one (Mesa)
  std::string reason = {};  // why there is no code, or what is doubtful about it; empty if all is well
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  const KernelSpec& spec() const { return spec_; }
  // Asks the driver anew at every call: milliseconds. Never throws for what a driver's data look like: that is a reason.
  virtual KernelCode code() const = 0;
  // What compiled it; "": what compiles all kernels of its device (DeviceInfo::toolkit).
  virtual std::string_view toolkit() const { return ""; }

 protected:
  explicit Kernel(KernelSpec spec) : spec_(std::move(spec)) {}

 private:
  KernelSpec spec_;
};

// One kernel launch / dispatch. Non-owning: kernel and buffers outlive it.
struct Launch {
  const Kernel* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1};  // blocks / workgroups
  std::vector<const Buffer*> buffers = {};
  std::vector<std::byte> params = {};  // copied bytes of the params.h struct, may be empty
};

// The bytes of a params.h struct, for Launch::params.
template <class T>
std::vector<std::byte> params_bytes(const T& params) {
  const auto bytes = std::as_bytes(std::span(&params, 1));
  return {bytes.begin(), bytes.end()};
}

// The API's own device-to-device copy: cudaMemcpyAsync / vkCmdCopyBuffer.
struct Copy {
  const Buffer* source = nullptr;
  const Buffer* destination = nullptr;
  std::uint64_t bytes = 0;
};

// Launches of one algorithm, one after another: each begins when the one before is complete, and sees its writes. Counted and
// timed as one launch. One at least.
struct Passes {
  std::vector<Launch> launches;
  // Of each whether it may begin before the one before it is complete: no barrier between them in Vulkan. CUDA launches in one
  // stream are ordered all the same. Empty: none may.
  std::vector<bool> overlaps = {};
};

// No work at all: what a pair of stamps with nothing between them costs.
struct Nothing {};

using Work = std::variant<Launch, Copy, Nothing, Passes>;

// What the work launches, of several passes the last one; nullptr for anything else.
const Kernel* kernel_of(const Work& work);

// How the launches of a sample reach the GPU.
enum class SubmitMode : std::uint8_t {
  kEach,    // CUDA: one stream launch each. Vulkan: the command buffer is recorded anew for every submission
  kReplay,  // CUDA: an instantiated graph. Vulkan: a command buffer recorded once
};

constexpr std::string_view word_of(SubmitMode mode, const Api& api) {
  return mode == SubmitMode::kReplay ? api.replayed : api.submitted;
}

struct SubjectOptions {
  // What device timing uses. Host times (time_host) use the same mode.
  SubmitMode mode = SubmitMode::kEach;
  // Order consecutive launches, as a CUDA stream does. false: Vulkan dispatches may overlap (CUDA: not supported, throws Skip).
  bool ordered = true;
  // For launches that must all start from the same state: run one after another before every sample, in front of its stamps and
  // of its host times, and in front of the eviction where there is one. A sample is then one launch; time_device and time_host
  // throw Error for any other. Not for buffers that another API uses too.
  std::vector<Work> before = {};
};

// Of a subject with SubjectOptions::before: throws Error if its samples cannot be of so many launches.
void check_with_before(std::uint32_t batch);

// State of the data when a timed launch starts.
enum class Cache : std::uint8_t {
  kCold,  // L2 evicted before every sample; one launch a sample
  kWarm,  // back-to-back launches over the same data, after untimed ones
};
constexpr std::string_view to_string(Cache cache) { return cache == Cache::kCold ? "cold" : "warm"; }

// Between the two device stamps of one sample: `batch` launches and nothing else. Before the first stamp, in the same
// submission: SubjectOptions::before and then the L2 eviction sweep, or `lead_in` untimed launches and then
// SubjectOptions::before.
struct DeviceSampleSpec {
  std::uint32_t batch = 1;
  std::uint32_t lead_in = 0;
  bool evict_l2 = false;

  bool operator==(const DeviceSampleSpec&) const = default;
};

// Of a sample whose launches find their data so. Untimed launches precede a warm one: the partner's sample may have taken the
// L2, and one launch brings the data back.
constexpr DeviceSampleSpec sample_spec(Cache cache, std::uint32_t batch) {
  const bool cold = cache == Cache::kCold;
  return {.batch = batch, .lead_in = cold ? 0U : 2U, .evict_l2 = cold};
}

// One device sample.
struct DeviceTime {
  double ns = 0;  // between its two stamps
  // Held whole: all of its launches were queued before the first one began. If not, the host's pace may be in `ns`.
  bool gated = true;
};

// In both APIs the GPU is busy for so long before a sample, from when all of the sample is queued: no sample meets an idle GPU.
inline constexpr double kGateNs = 25'000;

// Host clock, one submission of `batch` launches without stamps, from an idle GPU.
struct HostTimes {
  double roundtrip_ns = 0;  // submit to completed, whole submission
  double submit_ns = 0;     // submit only, whole submission (recording included where the mode records)
};

// Something that can be timed: one Work prepared on one device.
class Subject {
 public:
  virtual ~Subject() = default;
  // What it launches; nullptr for anything but a Launch.
  virtual const Kernel* kernel() const { return nullptr; }
  // spec.batch launches between two device stamps. Blocks until the GPU is done.
  virtual DeviceTime time_device(const DeviceSampleSpec& spec) = 0;
  virtual HostTimes time_host(std::uint32_t batch) = 0;
  // The largest batch that is held whole: see DeviceTime::gated.
  virtual std::uint32_t most_held() const { return std::numeric_limits<std::uint32_t>::max(); }
  // Whether every launch of it has to start from the same state.
  virtual bool restores() const { return false; }
  // Makes that state now, for the next time_host().
  virtual void restore() {}
  // Its samples are host times, submit to completed, in columns of their own: what it asks about is the host's doing, a way of
  // waiting or a copy. The sampler then never calls time_device(). Both sides of a case, or none.
  virtual bool timed_by_host() const { return false; }
};

// While it lives, what the device does belongs to one named range of a profiler's view, which `end` ends.
class ProfiledRange {
 public:
  explicit ProfiledRange(std::function<void()> end) : end_(std::move(end)) {}
  ProfiledRange(const ProfiledRange&) = delete;
  ProfiledRange& operator=(const ProfiledRange&) = delete;
  ~ProfiledRange() noexcept { end_(); }

 private:
  std::function<void()> end_;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;

  // Whether work can run on it. A device that is there for its compiler alone throws Skip where work would.
  virtual bool runs() const { return true; }
  // What not every device does: an interface of core/device/offers.h. as(): nullptr where this device does not offer it;
  // offer(): Skip.
  template <class Offer>
  Offer* as() {
    return dynamic_cast<Offer*>(this);
  }
  template <class Offer>
  Offer& offer() {
    if (Offer* const offered = as<Offer>()) return *offered;
    lacks(Offer::kLack);
  }

  // A dedicated device-local allocation. Throws OutOfMemory.
  virtual std::unique_ptr<Buffer> allocate(std::uint64_t bytes, std::string_view label) = 0;
  // Blocking transfers through staging memory, a chunk at a time, while the next chunk is on its way. Offset and size in bytes,
  // multiples of 4, inside the buffer; the callbacks' offsets count from `offset`.
  using Producer = std::function<void(std::uint64_t done, std::span<std::byte> chunk)>;
  using Consumer = std::function<void(std::uint64_t done, std::span<const std::byte> chunk)>;
  virtual void write(Buffer& to, std::uint64_t offset, std::uint64_t bytes, const Producer& produce) = 0;
  virtual void read(const Buffer& from, std::uint64_t offset, std::uint64_t bytes, const Consumer& consume) = 0;
  // The same from and to memory of the caller's.
  void upload(Buffer& to, std::uint64_t offset, std::span<const std::byte> from);
  void download(const Buffer& from, std::uint64_t offset, std::span<std::byte> to);
  // Sets every 32-bit word of [offset, offset + bytes). Blocking.
  virtual void fill(Buffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) = 0;
  // Word i of [first, first + words) becomes the bits of the random float that belongs to `key` (see random_key) and i.
  // Blocking.
  virtual void fill_random(Buffer& to, std::uint64_t first, std::uint64_t words, std::uint64_t key) = 0;
  // Of the first `words` words. Blocking.
  virtual Checksum checksum(const Buffer& from, std::uint64_t words) = 0;

  // The spec as load() takes it: with this API's own part in place of the common one.
  virtual KernelSpec own(const KernelSpec& spec) const { return spec.with({}); }
  // What of the spec this API builds otherwise than by default, as a part of a name: "push_descriptors"; "": nothing.
  virtual std::string build_of(const KernelSpec& /*spec*/) const { return ""; }
  // Throws Skip when the twin does not exist in this API or the device lacks what it needs.
  virtual std::unique_ptr<Kernel> load(const KernelSpec& spec) = 0;
  // One block of a kernel that does nothing: what every launch takes. Nothing{} where a device has none.
  virtual Work empty_launch() { return Nothing{}; }
  // A chain of loads through 64 KiB that no other kernel reads: see core/timing/eviction.h. Nothing{} likewise.
  virtual Work cache_probe() { return Nothing{}; }
  // Runs the work once and waits.
  virtual void run(const Work& work) = 0;
  virtual std::unique_ptr<Subject> prepare(const Work& work, const SubjectOptions& options) = 0;

  // Sizes the L2 evictor's read sweep: at least twice the L2. Called once, before the first cold sample; allocates.
  virtual void set_evict_bytes(std::uint64_t bytes) = 0;
  // One such sweep: exactly one. Blocking. Throws Error before set_evict_bytes.
  virtual void evict_l2() = 0;
  // CUDA: an NVTX range inside cudaProfilerStart and -Stop. Vulkan: a debug-utils label on the queue, with
  // DeviceOptions::labels. nullptr: no profiler could see it.
  virtual std::unique_ptr<ProfiledRange> profile(std::string_view /*name*/) { return nullptr; }
  // What the device complained about since the start (Vulkan validation messages); empty if nothing.
  virtual std::vector<std::string> complaints() const { return {}; }

 private:
  // Throws Skip: what the API of this device does not do.
  [[noreturn]] void lacks(std::string_view what) const;
};

// A Vulkan queue's family. CUDA has one kind of stream and ignores this.
enum class QueueKind : std::uint8_t {
  kCompute,   // without graphics where there is such a family with timestamps: CUDA's work does not go through that engine
              // either
  kGraphics,  // with graphics; Skip where that is what kCompute takes
};

// The priority of a Vulkan queue among all processes' (VK_KHR_global_priority). CUDA ignores this.
enum class QueuePriority : std::uint8_t {
  kDefault,  // the driver's
  kLow,
  kHigh,  // Skip where the driver does not permit it
};

// What one Vulkan device cannot be at once.
struct VulkanChoice {
  QueueKind queue = QueueKind::kCompute;  // the one queue that a device gets
  QueuePriority priority = QueuePriority::kDefault;
  bool sparse_binding = false;  // for Device::allocate_sparse
  bool companion = false;       // a second VkDevice of the same GPU stays open beside it, and does nothing
  // VK_EXT_pipeline_robustness where present, for KernelSpec::robustness. Not for everyone: NVIDIA's driver 580 compiles bounds
  // checks into every kernel of a device without it, and none by default on a device with it.
  bool pipeline_robustness = false;
  // Queues beside the one that a device gets; Skip where the GPU lacks them. A device with them is another device: even a queue
  // that nothing uses may change how fast workgroups start.
  std::uint32_t compute_queues = 1;    // of the compute queue's family
  bool transfer_queue = false;         // of a family with transfers alone
  bool graphics_queue = false;         // of a family with graphics that is not the compute queue's
  bool timeline = false;               // timeline semaphores
  bool conditional_rendering = false;  // VK_EXT_conditional_rendering where present
  bool generated_commands = false;     // VK_EXT_device_generated_commands where present
  bool host_pointers = false;          // VK_EXT_external_memory_host where present
  bool reconvergence = false;          // what Reconvergence names, each where present
  bool ranked_queues = false;  // the last compute queue has the greatest priority within the device, the others the least
  // Cooperative matrices, narrow and wide numbers and dot products where present. Not for everyone likewise: what a driver
  // makes of other kernels must not depend on them.
  bool matrix_units = false;
  // Numbers of 64 and of 16 bits in kernels, and atomics on them and on 32-bit floats, each where present. Not for everyone
  // either: what is enabled for a device may be in the code of all of its kernels.
  bool atomics = false;
  // SPIR-V's capabilities that the kernels of a case declare: what they need is enabled where present.
  std::vector<std::uint32_t> capabilities = {};

  bool operator==(const VulkanChoice&) const = default;
};

// A lot of options that concern opening a device.
struct DeviceOptions {
  bool validate = false;  // Vulkan: the Khronos validation layer with synchronization checks; its absence is an Error
  VulkanChoice vulkan = {};
  bool labels = false;   // Vulkan: VK_EXT_debug_utils where present, for Device::profile
  bool inspect = false;  // Vulkan: Kernel::code() gives statistics and listings too, at the price of a second compilation
  // With `inspect`. Vulkan: nothing runs (Device::runs), so that a driver without a GPU will do.
  bool compile_only = false;
  std::uint32_t subgroup_size = 0;  // Vulkan, with `inspect`: of what is compiled; 0: choose_subgroup_size()'s
};

// The devices that an API offers, usable or not, in its own order.
struct DeviceListing {
  std::vector<DeviceInfo> devices;
  std::string reason;        // why there are none, and what would help; empty where there are
  std::string missing = {};  // what would help where one GPU is missing that another API shows
};

// One API on this machine. Never throws from the constructor or list(): a missing driver or loader is a reason, not an error.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Api api() const = 0;
  virtual DeviceListing list() = 0;
  // Throws Skip with every unmet requirement (wanted and found).
  virtual std::unique_ptr<Device> open(const DeviceInfo& info, const DeviceOptions& options) = 0;
  // A second device of the same GPU, which compiles alone: its kernels have what the driver lists of them (KernelCode::text).
  // nullptr where it lists nothing. Throws as open() does.
  virtual std::unique_ptr<Device> open_compiler(const DeviceInfo& /*info*/, const DeviceOptions& /*options*/) {
    return nullptr;
  }
  // Whether a device that was opened with one choice is another than one opened with the other.
  virtual bool is_another(const VulkanChoice& /*one*/, const VulkanChoice& /*other*/) const { return false; }
};

}  // namespace bench
