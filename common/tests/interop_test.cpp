// Both APIs on one GPU; skipped without one. What one API writes into shared memory, the other reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "backends.h"
#include "core/base/error.h"
#include "core/device/offers.h"

namespace bench {
namespace {

constexpr std::uint64_t kWords = (3 << 20) + 5;  // more than one 2 MiB page, and a part of another

class Interop : public testing::Test {
 protected:
  void SetUp() override {
    const auto backends = all_backends();
    const DeviceListing of_cuda = backends[0]->list();
    const DeviceListing of_vulkan = backends[1]->list();
    for (const DeviceInfo& cuda : of_cuda.devices) {
      for (const DeviceInfo& vulkan : of_vulkan.devices) {
        if (cuda_ || !cuda.uuid || cuda.uuid != vulkan.uuid) continue;
        cuda_ = backends[0]->open(cuda, {});
        vulkan_ = backends[1]->open(vulkan, {});
      }
    }
    if (!cuda_) GTEST_SKIP() << "no GPU that both CUDA and Vulkan show";
  }

  static std::vector<std::uint32_t> counting(std::uint32_t first) {
    std::vector<std::uint32_t> words(kWords);
    std::iota(words.begin(), words.end(), first);
    return words;
  }

  static void expect_same_pages(Device& owner, Device& guest) {
    const auto owned = owner.offer<SharedMemory>().allocate_shareable(kWords * 4, "shared");
    const auto seen = guest.offer<SharedMemory>().import_memory(owner.offer<SharedMemory>().export_memory(*owned), "shared");
    ASSERT_GE(seen->bytes(), kWords * 4);
    std::uint32_t first = 1;
    for (const auto& [from, source, to, target] : {std::tuple(&owner, owned.get(), &guest, seen.get()),  //
                                                   std::tuple(&guest, seen.get(), &owner, owned.get())}) {
      const std::vector<std::uint32_t> sent = counting(first += 1'000'000'000);
      from->upload(*source, 0, std::as_bytes(std::span(sent)));
      std::vector<std::uint32_t> received(kWords);
      to->download(*target, 0, std::as_writable_bytes(std::span(received)));
      EXPECT_TRUE(std::equal(sent.begin(), sent.end(), received.begin()));
    }
  }

  std::unique_ptr<Device> cuda_;
  std::unique_ptr<Device> vulkan_;
};

TEST_F(Interop, CudaSeesVulkansMemory) { expect_same_pages(*vulkan_, *cuda_); }

TEST_F(Interop, VulkanSeesCudasMemory) { expect_same_pages(*cuda_, *vulkan_); }

TEST_F(Interop, MemoryThatWasNotMadeForItIsNotExported) {
  const auto own = cuda_->allocate(4096, "own");
  EXPECT_THROW(cuda_->offer<SharedMemory>().export_memory(*own), Error);
}

TEST_F(Interop, ImportedPagesOutliveTheirOwner) {
  auto owned = cuda_->offer<SharedMemory>().allocate_shareable(kWords * 4, "shared");
  const auto seen = vulkan_->offer<SharedMemory>().import_memory(cuda_->offer<SharedMemory>().export_memory(*owned), "shared");
  const std::vector<std::uint32_t> sent = counting(7);
  cuda_->upload(*owned, 0, std::as_bytes(std::span(sent)));
  owned.reset();
  std::vector<std::uint32_t> received(kWords);
  vulkan_->download(*seen, 0, std::as_writable_bytes(std::span(received)));
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), received.begin()));
}

}  // namespace
}  // namespace bench
