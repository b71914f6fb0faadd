// bench::Device over a Vulkan driver's compiler alone: kernels are loaded, and nothing runs.
#pragma once

#include <memory>
#include <string>

#include "core/device/device.h"
#include "vulkan/api/context.h"
#include "vulkan/launch/compute_pipeline.h"

namespace bench::vulkan {

// For --dump-isa (DeviceOptions::compile_only). It needs no memory, no clock and no queue that does anything, so a driver
// without a GPU will do: RADV's null device, or any driver on a kernel driver that only pretends. Buffers have sizes and no
// memory, what is written goes nowhere, and whatever would run or read throws Skip: what a case loads before that is what it
// loads.
class ListingDevice : public Device {
 public:
  // See Context.
  ListingDevice(const DeviceInfo& info, const DeviceOptions& options, const std::shared_ptr<const Instance>& instance);

  const DeviceInfo& info() const override { return context_.info(); }
  bool runs() const override { return false; }
  std::unique_ptr<Buffer> allocate(std::uint64_t bytes, std::string_view label) override;
  void write(Buffer& /*to*/, std::uint64_t /*offset*/, std::uint64_t /*bytes*/, const Producer& /*produce*/) override {}
  void read(const Buffer& from, std::uint64_t offset, std::uint64_t bytes, const Consumer& consume) override;
  void fill(Buffer& /*to*/, std::uint64_t /*offset*/, std::uint64_t /*bytes*/, std::uint32_t /*word*/) override {}
  void fill_random(Buffer& /*to*/, std::uint64_t /*first*/, std::uint64_t /*words*/, std::uint64_t /*key*/) override {}
  Checksum checksum(const Buffer& from, std::uint64_t words) override;
  KernelSpec own(const KernelSpec& spec) const override { return own_of(spec, context_.features()); }
  std::string build_of(const KernelSpec& spec) const override;
  std::unique_ptr<Kernel> load(const KernelSpec& spec) override;
  void run(const Work& work) override;
  std::unique_ptr<bench::Subject> prepare(const Work& work, const SubjectOptions& options) override;
  void set_evict_bytes(std::uint64_t /*bytes*/) override {}
  void evict_l2() override {}
  std::vector<std::string> complaints() const override { return context_.complaints_since_opened(); }

  const Context& context() const { return context_; }

 private:
  // Throws Skip.
  [[noreturn]] void refuse() const;

  Context context_;
};

}  // namespace bench::vulkan
