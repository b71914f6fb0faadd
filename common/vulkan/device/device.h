// bench::Device over one Vulkan device.
#pragma once

#include "core/device/data_kernels.h"
#include "core/device/offers.h"
#include "vulkan/api/context.h"
#include "vulkan/launch/compute_pipeline.h"
#include "vulkan/measure/body.h"
#include "vulkan/measure/gate.h"
#include "vulkan/measure/l2_evictor.h"
#include "vulkan/memory/staged_copies.h"

namespace bench::vulkan {

class VulkanDevice : public Device, public SparseMemory, public SharedMemory, public Peers {
 public:
  // See Context.
  VulkanDevice(const DeviceInfo& info, const DeviceOptions& options, const std::shared_ptr<const Instance>& instance);

  const DeviceInfo& info() const override { return context_.info(); }
  std::unique_ptr<Buffer> allocate(std::uint64_t bytes, std::string_view label) override;
  std::unique_ptr<Buffer> allocate_sparse(std::uint64_t bytes, std::string_view label, PageOrder order) override;
  std::unique_ptr<Buffer> allocate_shareable(std::uint64_t bytes, std::string_view label) override;
  ExportedMemory export_memory(const Buffer& shareable) override;
  std::unique_ptr<Buffer> import_memory(ExportedMemory memory, std::string_view label) override;
  void write(Buffer& to, std::uint64_t offset, std::uint64_t bytes, const Producer& produce) override;
  void read(const Buffer& from, std::uint64_t offset, std::uint64_t bytes, const Consumer& consume) override;
  void fill(Buffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) override;
  void fill_random(Buffer& to, std::uint64_t first, std::uint64_t words, std::uint64_t key) override;
  Checksum checksum(const Buffer& from, std::uint64_t words) override;
  KernelSpec own(const KernelSpec& spec) const override { return own_of(spec, context_.features()); }
  std::string build_of(const KernelSpec& spec) const override;
  std::unique_ptr<Kernel> load(const KernelSpec& spec) override;
  Work empty_launch() override { return data_kernels_.empty_launch(); }
  Work cache_probe() override { return data_kernels_.cache_probe(); }
  void run(const Work& work) override;
  Device& peer() override;
  std::unique_ptr<bench::Subject> prepare(const Work& work, const SubjectOptions& options) override;
  // What somebody records himself.
  std::unique_ptr<bench::Subject> prepare(Body body) const;
  void set_evict_bytes(std::uint64_t bytes) override;
  void evict_l2() override;
  std::unique_ptr<ProfiledRange> profile(std::string_view name) override;
  std::vector<std::string> complaints() const override;

  // For what an experiment does with Vulkan itself.
  const Context& context() const { return context_; }
  const Gate* gate() const { return gate_.get(); }  // null: there is none

 private:
  Context context_;
  std::unique_ptr<Context> companion_;  // only with VulkanChoice::companion
  StagedCopies copies_;
  CommandSlot run_slot_;
  std::unique_ptr<Gate> gate_;  // null: there is none
  DataKernels data_kernels_;
  std::unique_ptr<L2Evictor> evictor_;
};

// Throws Error if `device` is another API's, Skip if it was opened for listings alone.
VulkanDevice& vulkan_device(Device& device);

// Of either of this API's devices. Throws Error if `device` is another API's.
const Context& context_of(const Device& device);

}  // namespace bench::vulkan
