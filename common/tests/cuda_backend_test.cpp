// make_backend() on any machine and in any build.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "cuda/device/backend.h"

namespace bench {
namespace {

TEST(CudaBackend, EitherListsDevicesOrSaysWhyNot) {
  const auto backend = cuda::make_backend();
  EXPECT_EQ(backend->api(), cuda::kApi);
  const DeviceListing listed = backend->list();
  EXPECT_NE(listed.devices.empty(), listed.reason.empty()) << listed.reason;
  EXPECT_EQ(backend->list().reason, listed.reason);
}

TEST(CudaBackend, ListedDevicesAreComplete) {
  int index = 0;
  const DeviceListing listed = cuda::make_backend()->list();
  for (const DeviceInfo& info : listed.devices) {
    EXPECT_EQ(info.api, cuda::kApi);
    EXPECT_EQ(info.index, index++);
    EXPECT_FALSE(info.name.empty());
    EXPECT_TRUE(info.uuid && *info.uuid != Uuid{});
    EXPECT_FALSE(info.driver.empty());
    EXPECT_FALSE(info.toolkit.empty());
    EXPECT_GT(info.l2_bytes, 0u);
    EXPECT_GT(info.peak_gbps, 10.0);
    EXPECT_LT(info.peak_gbps, 100e3);
    EXPECT_GE(info.max_buffer_bytes, std::uint64_t{1} << 30);
    EXPECT_GE(info.max_block_x, 1024u);
    EXPECT_EQ(info.subgroup_size, 32u);
    EXPECT_GT(info.multiprocessors, 0u);
    EXPECT_GE(info.resident_threads, info.max_block_x);
  }
}

}  // namespace
}  // namespace bench
