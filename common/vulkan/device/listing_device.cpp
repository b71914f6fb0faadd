#include "vulkan/device/listing_device.h"

#include "core/base/error.h"
#include "vulkan/launch/load_kernel.h"

namespace bench::vulkan {
namespace {

class SizeOfABuffer : public Buffer {
 public:
  SizeOfABuffer(std::uint64_t bytes, std::string_view label) : Buffer(bytes, label) {}
};

}  // namespace

ListingDevice::ListingDevice(const DeviceInfo& info, const DeviceOptions& options,
                             const std::shared_ptr<const Instance>& instance)
    : context_(info, options, instance) {}

void ListingDevice::refuse() const { throw Skip("{} was opened for listings: nothing runs", info().name); }

std::unique_ptr<Buffer> ListingDevice::allocate(std::uint64_t bytes, std::string_view label) {
  return std::make_unique<SizeOfABuffer>(bytes, label);
}

void ListingDevice::read(const Buffer& /*from*/, std::uint64_t /*offset*/, std::uint64_t /*bytes*/,
                         const Consumer& /*consume*/) {
  refuse();
}

Checksum ListingDevice::checksum(const Buffer& /*from*/, std::uint64_t /*words*/) { refuse(); }

std::string ListingDevice::build_of(const KernelSpec& spec) const { return vulkan::build_of(spec); }

std::unique_ptr<Kernel> ListingDevice::load(const KernelSpec& spec) { return load_kernel(context_, spec); }

void ListingDevice::run(const Work& /*work*/) { refuse(); }

std::unique_ptr<bench::Subject> ListingDevice::prepare(const Work& /*work*/, const SubjectOptions& /*options*/) { refuse(); }

}  // namespace bench::vulkan
