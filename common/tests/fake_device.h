// Stand-ins for the GPU: devices in host memory, backends that list what a test says, and a folder that cleans up after itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/durable_file.h"
#include "core/base/environment.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/device/offers.h"
#include "core/device/selection.h"
#include "cuda/device/backend.h"
#include "host_device.h"
#include "temp_dir.h"
#include "vulkan/device/backend.h"

namespace bench {

// Test programs that run at once measure on GPUs of one UUID, and do not keep each other away.
inline const TempDir& own_locks() {
  static const TempDir folder;
  static const int is_set = setenv("BENCH_LOCK_DIR", folder.path().c_str(), 1);
  static_cast<void>(is_set);
  return folder;
}
inline const bool kHasOwnLocks = !own_locks().path().empty();

class FakeKernel final : public Kernel {
 public:
  enum class Tells : std::uint8_t { kBytes, kNothing, kListing };

  explicit FakeKernel(const KernelSpec& spec, const Api& api = {}, Tells tells = Tells::kBytes)
      : Kernel(spec), api_(api), tells_(tells) {}

  std::string_view toolkit() const override {
    return api_ == vulkan::kApi && spec().images != nullptr ? spec().images->spirv_by : "";
  }

  // Other code at every call: who asks a driver twice for one kernel's is found out.
  KernelCode code() const override {
    KernelCode result;
    if (tells_ == Tells::kListing) result.text = "==== Assembly\n" + spec().entry + '\n';
    if (tells_ != Tells::kBytes) return result;
    const std::string text = spec().entry + std::string(++calls_, '.');
    const auto bytes = std::as_bytes(std::span(text));
    result.code.assign(bytes.begin(), bytes.end());
    return result;
  }

 private:
  Api api_;
  Tells tells_;
  mutable std::size_t calls_ = 0;
};

// How a fake device behaves; what a test leaves out is harmless.
struct FakeBehaviour {
  std::function<void(const Launch&)> execute = [](const Launch&) {};  // what a kernel does when it runs
  std::uint64_t memory_bytes = ~0ULL;                                 // allocations beyond this throw OutOfMemory
  double launch_ns = 1000;                                            // a launch takes this, give or take 0.1 %
  double graphics_launch_ns = 0;                                      // likewise with QueueKind::kGraphics; 0: there is none
  double unchecked_launch_ns = 0;  // likewise with VulkanChoice::pipeline_robustness; 0: no other than without
  std::vector<std::string> complaints = {};
  std::string refused_entry = {};                                     // a kernel that this device lacks
  std::function<std::string(const VulkanChoice&)> refused_with = {};  // likewise, where it was opened so; empty: none
  std::function<void()> sampled = [] {};                              // before every sample
  std::function<bool(std::string_view)> no_room_for = [](std::string_view) { return false; };  // allocations, by their label
  bool gated = true;                                                                           // its device samples
  std::function<void(std::uint32_t)> launched = [](std::uint32_t) {};                          // so often, by a Subject
  std::function<void(std::uint64_t)> evicted = [](std::uint64_t) {};                           // so many bytes were read
  bool executes_samples = false;                                                               // the launches of a Subject
  std::uint32_t left_out = 0;                                      // of the launches of a submission that executes_samples
  bool graphics_fails = false;                                     // to open: an Error
  std::function<std::unique_ptr<DeviceCounters>()> counters = {};  // empty: it has none
  FakeKernel::Tells tells = FakeKernel::Tells::kBytes;             // of a kernel's code
  bool has_compiler = false;                                       // Backend::open_compiler()'s, which lists
  double swept_probe_ns = 0;                                       // the cache probe after a sweep; 0: it has no probe
};

class FakeDevice final : public HostDevice, public Peers, public Counting {
 public:
  explicit FakeDevice(DeviceInfo info = {}, FakeBehaviour behaviour = {})
      : HostDevice(std::move(info)), behaviour_(std::move(behaviour)) {}

  std::unique_ptr<Buffer> allocate(std::uint64_t bytes, std::string_view label) override {
    std::uint64_t used = bytes;
    for (const Buffer* buffer : live) used += buffer->bytes();
    if (used > behaviour_.memory_bytes || behaviour_.no_room_for(label))
      throw OutOfMemory("{}: no room for {} bytes", label, bytes);
    ++allocations;
    return HostDevice::allocate(bytes, label);
  }
  std::unique_ptr<Kernel> load(const KernelSpec& spec) override {
    ++loads;
    if (!spec.entry.empty() && spec.entry == behaviour_.refused_entry) throw Skip("no twin here");
    return std::make_unique<FakeKernel>(spec, info().api, behaviour_.tells);
  }
  KernelSpec own(const KernelSpec& spec) const override {
    return spec.with(info().api == vulkan::kApi ? spec.vulkan.own : info().api == cuda::kApi ? spec.cuda.own : OwnKernel{});
  }
  Work empty_launch() override { return Launch{}; }
  Work cache_probe() override {
    if (behaviour_.swept_probe_ns == 0) return Nothing{};
    Launch launch;
    launch.kernel = &probe_;
    return launch;
  }
  void run(const Work& work) override {
    if (const auto* launch = std::get_if<Launch>(&work)) behaviour_.execute(*launch);
    if (const auto* copy = std::get_if<Copy>(&work))
      std::memcpy(words_of<std::byte>(*copy->destination), words_of<std::byte>(*copy->source), copy->bytes);
  }
  std::unique_ptr<Subject> prepare(const Work& work, const SubjectOptions&) override {
    return std::make_unique<TimedWork>(*this, work);
  }
  void set_evict_bytes(std::uint64_t bytes) override {
    if (behaviour_.no_room_for("L2 evictor")) throw OutOfMemory("L2 evictor: no room for {} bytes", bytes);
    evict_bytes = bytes;
  }
  void evict_l2() override {
    if (evict_bytes == 0) throw Error("the evictor has no size");
    behaviour_.evicted(evict_bytes);
  }
  std::vector<std::string> complaints() const override { return behaviour_.complaints; }
  std::unique_ptr<DeviceCounters> counters() override {
    if (!behaviour_.counters) throw Skip("this fake does not open hardware counters");
    return behaviour_.counters();
  }
  Device& peer() override {
    if (peer_device == nullptr) throw Skip("this fake reaches no other");
    return *peer_device;
  }

  FakeDevice* peer_device = nullptr;
  std::size_t allocations = 0;
  std::size_t loads = 0;
  std::uint64_t evict_bytes = 0;

 private:
  class TimedWork final : public Subject {
   public:
    TimedWork(FakeDevice& device, Work work) : device_(device), work_(std::move(work)) {}

    const Kernel* kernel() const override { return kernel_of(work_); }
    DeviceTime time_device(const DeviceSampleSpec& spec) override {
      if (spec.evict_l2 && device_.evict_bytes == 0) throw Error("the evictor has no size");
      device_.behaviour_.sampled();
      if (spec.evict_l2) device_.evict_l2();
      if (kernel() == &device_.probe_ && spec.evict_l2) return {device_.behaviour_.swept_probe_ns, true};
      const auto* launch = std::get_if<Launch>(&work_);
      if (device_.behaviour_.executes_samples && kernel() != nullptr) device_.behaviour_.execute(*launch);
      note_launches(spec.lead_in + spec.batch);
      return {kStampNs + spec.batch * launch_ns(), device_.behaviour_.gated};
    }
    HostTimes time_host(std::uint32_t batch) override {
      note_launches(batch);
      const auto* launch = std::get_if<Launch>(&work_);
      if (device_.behaviour_.executes_samples && kernel() != nullptr && batch > 1) {
        for (std::uint32_t i = device_.behaviour_.left_out; i < batch; ++i) device_.behaviour_.execute(*launch);
      }
      return {.roundtrip_ns = 9000 + batch * launch_ns(), .submit_ns = 3000};
    }

   private:
    static constexpr double kStampNs = 500;

    void note_launches(std::uint32_t count) const {
      if (kernel() != nullptr) device_.behaviour_.launched(count);
    }

    double launch_ns() {
      const auto* launch = std::get_if<Launch>(&work_);
      if (launch == nullptr) return 0;
      for (const Buffer* buffer : launch->buffers) {
        if (!device_.live.contains(buffer)) throw Error("a buffer was freed before its kernel was timed");
      }
      return device_.behaviour_.launch_ns * (1 + 0.5e-3 * static_cast<double>(random_float(1, 0, calls_++)));
    }

    FakeDevice& device_;
    Work work_;
    std::uint64_t calls_ = 0;
  };

  FakeBehaviour behaviour_;
  FakeKernel probe_{KernelSpec{}};
};

class FakeBackend final : public Backend {
 public:
  FakeBackend(Api api, std::vector<DeviceInfo> devices, std::string unavailable, FakeBehaviour behaviour)
      : api_(api), devices_(std::move(devices)), unavailable_(std::move(unavailable)), behaviour_(std::move(behaviour)) {}

  Api api() const override { return api_; }
  DeviceListing list() override { return {devices_, unavailable_}; }
  std::unique_ptr<Device> open(const DeviceInfo& info, const DeviceOptions& options) override {
    FakeBehaviour behaviour = behaviour_;
    if (options.vulkan.queue == QueueKind::kGraphics) {
      if (behaviour_.graphics_fails) throw Error("VK_ERROR_INITIALIZATION_FAILED");
      if (behaviour_.graphics_launch_ns == 0) throw Skip("no graphics queue");
      behaviour.launch_ns = behaviour_.graphics_launch_ns;
    }
    if (behaviour_.refused_with) behaviour.refused_entry = behaviour_.refused_with(options.vulkan);
    if (options.vulkan.pipeline_robustness && behaviour_.unchecked_launch_ns != 0)
      behaviour.launch_ns = behaviour_.unchecked_launch_ns;
    return std::make_unique<FakeDevice>(info, behaviour);
  }
  std::unique_ptr<Device> open_compiler(const DeviceInfo& info, const DeviceOptions& /*options*/) override {
    FakeBehaviour behaviour = behaviour_;
    behaviour.tells = FakeKernel::Tells::kListing;
    return behaviour_.has_compiler ? std::make_unique<FakeDevice>(info, behaviour) : nullptr;
  }
  bool is_another(const VulkanChoice& one, const VulkanChoice& other) const override {
    return api_ == vulkan::kApi && one != other;
  }

 private:
  Api api_;
  std::vector<DeviceInfo> devices_;
  std::string unavailable_;
  FakeBehaviour behaviour_;
};

// A UUID whose sixteen bytes are `byte`: 0xaa gives aaaaaaaa-aaaa-...
inline Uuid uuid_of(std::uint8_t byte) {
  Uuid uuid;
  uuid.fill(byte);
  return uuid;
}

inline const std::array kBothApis = {cuda::kApi, vulkan::kApi};

// What the two backends list.
inline DeviceList listing(const std::vector<DeviceInfo>& of_cuda, const std::vector<DeviceInfo>& of_vulkan) {
  return {.of = {{cuda::kApi, {of_cuda, "", ""}}, {vulkan::kApi, {of_vulkan, "", "install its driver"}}}};
}

inline DeviceInfo fake_gpu(Api api, int index, const std::string& name, std::uint8_t uuid_byte) {
  DeviceInfo info;
  info.api = api;
  info.toolkit = api == cuda::kApi ? cuda_toolkit() : glsl_toolkit();
  info.index = index;
  info.name = name;
  info.uuid = uuid_of(uuid_byte);
  info.memory_bytes = 80ULL << 30;
  info.max_buffer_bytes = 4ULL << 30;
  info.l2_bytes = api == cuda::kApi ? 1ULL << 20 : 0;
  info.peak_gbps = api == cuda::kApi ? 1000 : 0;
  info.arch = api == cuda::kApi ? "sm_90" : "";
  return info;
}

inline DeviceInfo fake_lavapipe(int index) {
  DeviceInfo info = fake_gpu(vulkan::kApi, index, "llvmpipe (LLVM 15.0.6, 256 bits)", 0x11);
  info.is_cpu = true;
  return info;
}

// How many of `count` random trials to run: all of them in scripts/test.sh --all alone.
inline int trials(int count) {
  const char* thorough = std::getenv("BENCH_THOROUGH");
  return thorough != nullptr && std::string_view(thorough) == "1" ? count : count / 4;
}

}  // namespace bench
