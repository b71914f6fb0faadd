// Stand-ins for the GPU: devices in host memory, backends that list what a test says, and a folder that cleans up after itself.
#pragma once

#include <algorithm>
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
#include "core/base/error.h"
#include "core/base/random.h"
#include "core/device/device.h"

namespace bench {

class FakeBuffer final : public Buffer {
 public:
  FakeBuffer(std::uint64_t bytes, std::string_view label, std::set<const Buffer*>& live)
      : Buffer(bytes, label), memory(bytes, std::byte{0xcd}), live_(live) {
    live_.insert(this);
  }
  FakeBuffer(const FakeBuffer&) = delete;
  FakeBuffer& operator=(const FakeBuffer&) = delete;
  ~FakeBuffer() noexcept override { live_.erase(this); }

  std::vector<std::byte> memory;  // holds garbage at first, as a GPU's does

 private:
  std::set<const Buffer*>& live_;
};

// The buffers of a fake are const where a kernel only reads; their memory is reached through here.
template <class T>
T* words_of(const Buffer& buffer) {
  auto& fake = const_cast<FakeBuffer&>(dynamic_cast<const FakeBuffer&>(buffer));
  return reinterpret_cast<T*>(fake.memory.data());
}

class FakeKernel final : public Kernel {
 public:
  explicit FakeKernel(const KernelSpec& spec) : Kernel(spec) {}

  // Other code at every call: who asks a driver twice for one kernel's is found out.
  KernelCode code() const override {
    KernelCode result;
    const std::string text = spec().entry + std::string(++calls_, '.');
    const auto bytes = std::as_bytes(std::span(text));
    result.code.assign(bytes.begin(), bytes.end());
    return result;
  }

 private:
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
  double swept_probe_ns = 0;                                       // the cache probe after a sweep; 0: it has no probe
};

class FakeDevice final : public Device {
 public:
  explicit FakeDevice(DeviceInfo info = {}, FakeBehaviour behaviour = {})
      : info_(std::move(info)), behaviour_(std::move(behaviour)) {}

  const DeviceInfo& info() const override { return info_; }

  std::unique_ptr<Buffer> allocate(std::uint64_t bytes, std::string_view label) override {
    std::uint64_t used = bytes;
    for (const Buffer* buffer : live) used += buffer->bytes();
    if (used > behaviour_.memory_bytes || behaviour_.no_room_for(label))
      throw OutOfMemory("{}: no room for {} bytes", label, bytes);
    ++allocations;
    return std::make_unique<FakeBuffer>(bytes, label, live);
  }
  void write(Buffer& to, std::uint64_t offset, std::uint64_t bytes, const Producer& produce) override {
    to.check_words(offset, bytes);
    uploaded_bytes += bytes;
    for (std::uint64_t done = 0; done < bytes; done += kChunkBytes) {
      produce(done, {words_of<std::byte>(to) + offset + done, std::min(kChunkBytes, bytes - done)});
    }
  }
  void read(const Buffer& from, std::uint64_t offset, std::uint64_t bytes, const Consumer& consume) override {
    from.check_words(offset, bytes);
    for (std::uint64_t done = 0; done < bytes; done += kChunkBytes) {
      consume(done, {words_of<std::byte>(from) + offset + done, std::min(kChunkBytes, bytes - done)});
    }
  }
  void fill(Buffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) override {
    to.check_words(offset, bytes);
    std::fill_n(words_of<std::uint32_t>(to) + offset / 4, bytes / 4, word);
  }
  void fill_random(Buffer& to, std::uint64_t first, std::uint64_t words, std::uint64_t key) override {
    write(to, first * 4, words * 4, [&](std::uint64_t done, std::span<std::byte> chunk) {
      auto* target = reinterpret_cast<std::uint32_t*>(chunk.data());
      for (std::size_t i = 0; i < chunk.size() / 4; ++i) {
        const auto index = static_cast<std::uint32_t>(first + done / 4 + i);
        target[i] = input_word(random_word(index, static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)));
      }
    });
  }
  Checksum checksum(const Buffer& from, std::uint64_t words) override {
    Checksum sum;
    read(from, 0, words * 4, [&](std::uint64_t done, std::span<const std::byte> chunk) {
      sum.add(done / 4, {reinterpret_cast<const std::uint32_t*>(chunk.data()), chunk.size() / 4});
    });
    return sum;
  }

  std::unique_ptr<Kernel> load(const KernelSpec& spec) override {
    ++loads;
    if (!spec.entry.empty() && spec.entry == behaviour_.refused_entry) throw Skip("no twin here");
    return std::make_unique<FakeKernel>(spec);
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
    return behaviour_.counters ? behaviour_.counters() : Device::counters();
  }
  Device& peer() override { return peer_device == nullptr ? Device::peer() : *peer_device; }

  FakeDevice* peer_device = nullptr;
  std::set<const Buffer*> live;
  std::size_t allocations = 0;
  std::size_t loads = 0;
  std::uint64_t uploaded_bytes = 0;
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

  static constexpr std::uint64_t kChunkBytes = 1ULL << 20;  // of a transfer

  DeviceInfo info_;
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

inline DeviceInfo fake_gpu(Api api, int index, const std::string& name, std::uint8_t uuid_byte) {
  DeviceInfo info;
  info.api = api;
  info.index = index;
  info.name = name;
  info.uuid = uuid_of(uuid_byte);
  info.memory_bytes = 80ULL << 30;
  info.max_buffer_bytes = 4ULL << 30;
  info.l2_bytes = api == Api::kCuda ? 1ULL << 20 : 0;
  info.peak_gbps = api == Api::kCuda ? 1000 : 0;
  info.arch = api == Api::kCuda ? "sm_90" : "";
  return info;
}

inline DeviceInfo fake_lavapipe(int index) {
  DeviceInfo info = fake_gpu(Api::kVulkan, index, "llvmpipe (LLVM 15.0.6, 256 bits)", 0x11);
  info.is_cpu = true;
  return info;
}

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "bench_test.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error("cannot make {}", name);
    path_ = name;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() noexcept {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

// How many of `count` random trials to run: all of them in scripts/test.sh --all alone.
inline int trials(int count) {
  const char* thorough = std::getenv("BENCH_THOROUGH");
  return thorough != nullptr && std::string_view(thorough) == "1" ? count : count / 4;
}

// What a call that must throw E says.
template <class E, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

}  // namespace bench
