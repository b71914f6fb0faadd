#include "third_backend/cpu_backend.h"

#include <chrono>
#include <cstring>
#include <numeric>

#include "core/base/environment.h"
#include "core/base/error.h"
#include "core/device/kernel_interface.h"
#include "host_device.h"

namespace bench::cpu {
namespace {

using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point begin) { return std::chrono::duration<double, std::nano>(Clock::now() - begin).count(); }

class CpuKernel final : public Kernel {
 public:
  CpuKernel(const KernelSpec& spec, HostKernel function) : Kernel(spec), function_(std::move(function)) {}

  KernelCode code() const override { return {.reason = "host functions are the compiler's business"}; }
  void run(const Launch& launch) const { function_(launch); }

 private:
  HostKernel function_;
};

class CpuDevice final : public HostDevice {
 public:
  CpuDevice(const DeviceInfo& info, const HostKernels& kernels) : HostDevice(info), kernels_(kernels) {}

  std::unique_ptr<Kernel> load(const KernelSpec& spec) override {
    const auto found = kernels_.find(spec.entry);
    if (found == kernels_.end()) throw Skip("no host function is registered for kernel {}", spec.entry);
    return std::make_unique<CpuKernel>(spec, found->second);
  }
  Work empty_launch() override { return Launch{.kernel = &empty_}; }
  void run(const Work& work) override {
    check_work(work);
    if (const auto* launch = std::get_if<Launch>(&work)) {
      dynamic_cast<const CpuKernel&>(*launch->kernel).run(*launch);
    } else if (const auto* copy = std::get_if<Copy>(&work)) {
      std::memcpy(words_of<std::byte>(*copy->destination), words_of<std::byte>(*copy->source), copy->bytes);
    } else if (const auto* passes = std::get_if<Passes>(&work)) {
      for (const Launch& pass : passes->launches) run(pass);
    } else if (!std::holds_alternative<Nothing>(work)) {
      throw Skip("the CPU reference runs launches and copies");
    }
  }
  std::unique_ptr<Subject> prepare(const Work& work, const SubjectOptions& options) override;
  void set_evict_bytes(std::uint64_t bytes) override { swept_.assign(bytes / sizeof(std::uint64_t), 1); }
  void evict_l2() override {
    if (swept_.empty()) throw Error("an eviction was asked for before set_evict_bytes");
    volatile std::uint64_t sum = std::accumulate(swept_.begin(), swept_.end(), std::uint64_t{0});
    static_cast<void>(sum);
  }

 private:
  const HostKernels& kernels_;
  CpuKernel empty_{{.entry = "empty"}, [](const Launch&) {}};
  std::vector<std::uint64_t> swept_;
};

class CpuSubject final : public Subject {
 public:
  CpuSubject(CpuDevice& device, Work work, SubjectOptions options)
      : device_(device), work_(std::move(work)), options_(std::move(options)) {}

  const Kernel* kernel() const override { return kernel_of(work_); }
  DeviceTime time_device(const DeviceSampleSpec& spec) override {
    if (has_before()) check_with_before(spec.batch);
    for (std::uint32_t i = 0; i < spec.lead_in; ++i) device_.run(work_);
    return {run(spec.batch, spec.evict_l2)};
  }
  HostTimes time_host(std::uint32_t batch) override {
    if (has_before()) check_with_before(batch);
    const double ns = run(batch, false);
    return {.roundtrip_ns = ns, .submit_ns = ns};
  }

 private:
  bool has_before() const { return !options_.before.empty(); }
  double run(std::uint32_t batch, bool evict_l2) {
    for (const Work& one : options_.before) device_.run(one);
    if (evict_l2) device_.evict_l2();
    const auto begin = Clock::now();
    for (std::uint32_t i = 0; i < batch; ++i) device_.run(work_);
    return ns_since(begin);
  }

  CpuDevice& device_;
  Work work_;
  SubjectOptions options_;
};

std::unique_ptr<Subject> CpuDevice::prepare(const Work& work, const SubjectOptions& options) {
  check_work(work);
  return std::make_unique<CpuSubject>(*this, work, options);
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(HostKernels kernels) : kernels_(std::move(kernels)) {}

  Api api() const override { return kApi; }
  DeviceListing list() override {
    DeviceInfo info;
    info.api = kApi;
    info.name = "CPU reference";
    info.is_cpu = true;
    info.driver = "host functions";
    info.toolkit = "the tests' compiler";
    info.memory_bytes = 1ULL << 30;
    info.max_buffer_bytes = 1ULL << 28;
    info.max_grid_x = 65535;
    info.max_block_x = 1024;
    info.subgroup_size = 32;
    info.realtime_tick_ns = 1;
    return {.devices = {info}, .reason = ""};
  }
  std::unique_ptr<Device> open(const DeviceInfo& info, const DeviceOptions&) override {
    return std::make_unique<CpuDevice>(info, kernels_);
  }

 private:
  HostKernels kernels_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(HostKernels kernels) { return std::make_unique<CpuBackend>(std::move(kernels)); }

}  // namespace bench::cpu
