#include "vulkan/device/device.h"

#include "core/base/watchdog.h"
#include "vulkan/device/listing_device.h"
#include "vulkan/launch/load_kernel.h"
#include "vulkan/measure/subject.h"
#include "vulkan_support_kernels.h"

namespace bench::vulkan {
namespace {

// Its queue has had a submission: a driver may put a queue on the GPU at its first.
std::unique_ptr<Context> companion_of(const DeviceInfo& info, const DeviceOptions& options,
                                      const std::shared_ptr<const Instance>& instance) {
  if (!options.vulkan.companion) return nullptr;
  auto companion = std::make_unique<Context>(info, options, instance);
  BENCH_VK(companion->queue().submit2(vk::SubmitInfo2{}));
  BENCH_VK(companion->queue().waitIdle());
  return companion;
}

// nullptr where kernels cannot read a clock: samples then begin on an idle GPU.
std::unique_ptr<Gate> make_gate(const Context& context) {
  const Deadline deadline("the compilation of the gate", kCompilationS, WaitFor::kDriver);
  try {
    return std::make_unique<Gate>(context);
  } catch (const Skip&) {
    return nullptr;
  }
}

}  // namespace

VulkanDevice::VulkanDevice(const DeviceInfo& info, const DeviceOptions& options,
                           const std::shared_ptr<const Instance>& instance)
    : context_(info, options, instance),
      companion_(companion_of(info, options, instance)),
      copies_(context_),
      run_slot_(context_),
      gate_(make_gate(context_)),
      data_kernels_(*this, kernels::vulkan_support()) {}

VulkanDevice& vulkan_device(Device& device) {
  auto* ours = dynamic_cast<VulkanDevice*>(&device);
  if (ours != nullptr) return *ours;
  if (!device.runs()) throw Skip("{} was opened for listings: nothing runs", device.info().name);
  throw Error("{} is no Vulkan device", device.info().name);
}

const Context& context_of(const Device& device) {
  if (const auto* const ours = dynamic_cast<const VulkanDevice*>(&device)) return ours->context();
  if (const auto* const listing = dynamic_cast<const ListingDevice*>(&device)) return listing->context();
  throw Error("{} is no Vulkan device", device.info().name);
}

std::unique_ptr<Buffer> VulkanDevice::allocate(std::uint64_t bytes, std::string_view label) {
  return std::make_unique<DeviceBuffer>(context_, bytes, label);
}

std::unique_ptr<Buffer> VulkanDevice::allocate_sparse(std::uint64_t bytes, std::string_view label, PageOrder order) {
  return std::make_unique<DeviceBuffer>(context_, bytes, label, DeviceBuffer::Sharing::kPrivate, order);
}

std::unique_ptr<Buffer> VulkanDevice::allocate_shareable(std::uint64_t bytes, std::string_view label) {
  return std::make_unique<DeviceBuffer>(context_, bytes, label, DeviceBuffer::Sharing::kExportable);
}

ExportedMemory VulkanDevice::export_memory(const Buffer& shareable) { return device_buffer(shareable).export_memory(context_); }

std::unique_ptr<Buffer> VulkanDevice::import_memory(ExportedMemory memory, std::string_view label) {
  return std::make_unique<DeviceBuffer>(context_, std::move(memory), label);
}

void VulkanDevice::write(Buffer& to, std::uint64_t offset, std::uint64_t bytes, const Producer& produce) {
  copies_.write(device_buffer(to), offset, bytes, produce);
}

void VulkanDevice::read(const Buffer& from, std::uint64_t offset, std::uint64_t bytes, const Consumer& consume) {
  copies_.read(device_buffer(from), offset, bytes, consume);
}

void VulkanDevice::fill(Buffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) {
  copies_.fill(device_buffer(to), offset, bytes, word);
}

void VulkanDevice::fill_random(Buffer& to, std::uint64_t first, std::uint64_t words, std::uint64_t key) {
  data_kernels_.fill_random(to, first, words, key);
}

Checksum VulkanDevice::checksum(const Buffer& from, std::uint64_t words) { return data_kernels_.checksum(from, words); }

std::string VulkanDevice::build_of(const KernelSpec& spec) const { return vulkan::build_of(spec); }

std::unique_ptr<Kernel> VulkanDevice::load(const KernelSpec& spec) { return load_kernel(context_, spec); }

void VulkanDevice::run(const Work& work) {
  const Command bound(context_, work);
  const vk::raii::CommandBuffer& commands = run_slot_.begin(true);
  bound.acquire(commands);
  bound.bind(commands);
  bound.record(commands);
  bound.release(commands);
  run_slot_.run(bound.name(), context_.expected_s(0));
}

// Two VkDevices share no memory across GPUs either: an opaque handle goes to a device with the same deviceUUID only
// (Vulkan 1.3, VkExternalMemoryHandleTypeFlagBits).
Device& VulkanDevice::peer() {
  throw Skip(
      "Vulkan reaches another GPU's memory only within one VkDevice over a device group of both "
      "(VkDeviceGroupDeviceCreateInfo, "
      "vkGetDeviceGroupPeerMemoryFeatures), and this suite opens a VkDevice a GPU; the driver lists {} GPU(s) in this one's "
      "group",
      context_.group_size());
}

std::unique_ptr<bench::Subject> VulkanDevice::prepare(const Work& work, const SubjectOptions& options) {
  return prepare(body_of(context_, work, options));
}

std::unique_ptr<bench::Subject> VulkanDevice::prepare(Body body) const {
  return std::make_unique<Subject>(context_, evictor_, gate_.get(), std::move(body));
}

void VulkanDevice::set_evict_bytes(std::uint64_t bytes) {
  if (evictor_ != nullptr) {  // recorded command buffers hold the one there is
    throw Error("set_evict_bytes({}) after set_evict_bytes({})", bytes, evictor_->bytes());
  }
  evictor_ = std::make_unique<L2Evictor>(context_, copies_, bytes);
}

void VulkanDevice::evict_l2() {
  if (evictor_ == nullptr) throw Error("an L2 eviction was asked for before set_evict_bytes");
  const vk::raii::CommandBuffer& commands = run_slot_.begin(true);
  evictor_->record(commands);
  run_slot_.run("an eviction of the L2", context_.expected_s(0));
}

std::unique_ptr<ProfiledRange> VulkanDevice::profile(std::string_view name) {
  if (!context_.can_label()) {
    return nullptr;
  }
  const std::string terminated(name);
  context_.queue().beginDebugUtilsLabelEXT({.pLabelName = terminated.c_str()});
  return std::make_unique<ProfiledRange>([this] { context_.queue().endDebugUtilsLabelEXT(); });
}

std::vector<std::string> VulkanDevice::complaints() const { return context_.complaints_since_opened(); }

}  // namespace bench::vulkan
