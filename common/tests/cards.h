// Cards that none of the committed results come from, as their data sheets and drivers describe them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/device/selection.h"
#include "core/run/case_list.h"
#include "fake_device.h"

namespace bench {

inline constexpr std::uint64_t kMi = 1ULL << 20;
inline constexpr std::uint64_t kGi = 1ULL << 30;

// What the APIs say of a card.
struct Card {
  const char* name;
  std::uint64_t memory_bytes;
  std::uint64_t l2_bytes;  // as CUDA tells; 0: without CUDA
  std::uint32_t multiprocessors;
  std::uint32_t resident_threads;
  enum Kind { kDiscrete, kIntegrated, kSoftware } kind = kDiscrete;

  DeviceInfo info(Api api, int index = 0) const {
    DeviceInfo one = fake_gpu(api, index, name, static_cast<std::uint8_t>(name[0] + name[4]));
    one.memory_bytes = memory_bytes;
    one.max_buffer_bytes = 4 * kGi - 1;
    one.l2_bytes = api == cuda::kApi ? l2_bytes : 0;
    one.multiprocessors = multiprocessors;
    one.resident_threads = resident_threads;
    one.is_integrated = kind == kIntegrated;
    one.is_cpu = kind == kSoftware;
    return one;
  }
  bool has_cuda() const { return l2_bytes != 0; }
};

// A laptop card of 8 GB shows less. RTX 4090: AD102, 128 SMs of 1,536 threads, 72 MiB. RTX 3060: GA106, 28 SMs, 3 MiB. B200:
// 148 SMs of 2,048, 126 MiB. GH200: H100's die. RX 7900 XTX: 96 compute units of 2 SIMDs with 16 wavefronts of 32; Vulkan tells
// no cache. Arc B580 and Apple: neither units. H200: the committed results'. A tenth: a card of 8 GB and 480 GB/s, a tenth of
// an H200's, with an RTX 4060's SMs and an RTX 4060 Ti's L2.
inline const Card kRtx4090 = {"NVIDIA GeForce RTX 4090", 24 * kGi, 72 * kMi, 128, 1536};
inline const Card kRtx3060 = {"NVIDIA GeForce RTX 3060", 12 * kGi, 3 * kMi, 28, 1536};
inline const Card kLaptop = {"NVIDIA GeForce RTX 4060 Laptop GPU", 7940 * kMi, 32 * kMi, 24, 1536};
inline const Card kB200 = {"NVIDIA B200", 180 * kGi, 126 * kMi, 148, 2048};
inline const Card kGh200 = {"NVIDIA GH200 480GB", 95 * kGi, 60 * kMi, 132, 2048};
inline const Card kRx7900 = {"AMD Radeon RX 7900 XTX (RADV NAVI31)", 24 * kGi, 0, 96, 1024};
inline const Card kB580 = {"Intel(R) Arc(tm) B580 Graphics (BMG G21)", 12 * kGi, 0, 0, 0};
inline const Card kApple = {"Apple M3 Max", 48 * kGi, 0, 0, 0, Card::kIntegrated};
inline const Card kLavapipe = {"llvmpipe (LLVM 15.0.6, 256 bits)", 16 * kGi, 0, 0, 0, Card::kSoftware};

inline const Card kH200 = {"NVIDIA H200", 143'771 * kMi, 60 * kMi, 132, 2048};
inline const Card kTenth = {"A tenth of an H200", 8 * kGi - 200 * kMi, 32 * kMi, 24, 1536};

inline const Card* const kCards[] = {&kRtx4090, &kRtx3060, &kLaptop, &kB200, &kGh200, &kRx7900, &kB580, &kApple, &kLavapipe};

inline Plan plan_of(const Card& card, bool want_cuda = true, const Options& options = {}) {
  const std::vector<DeviceInfo> of_cuda = card.has_cuda() ? std::vector{card.info(cuda::kApi)} : std::vector<DeviceInfo>{};
  const std::vector<DeviceInfo> of_vulkan = {card.info(vulkan::kApi)};
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<FakeBackend>(cuda::kApi, of_cuda, "", FakeBehaviour{}));
  backends.push_back(std::make_unique<FakeBackend>(vulkan::kApi, of_vulkan, "", FakeBehaviour{}));
  const Selection selection = select_devices(listing(of_cuda, of_vulkan), {want_cuda ? "both" : "vulkan", ""});
  const OpenDevices open(std::move(backends), selection, {{cuda::kApi, "none"}, {vulkan::kApi, "none"}}, {});
  return make_plan(options, open);
}

}  // namespace bench
