#include "factory.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "backends.h"
#include "core/experiment/per_api.h"
#include "params.h"

std::unique_ptr<Factory> make_factory(bench::Device& device) {
  const bench::PerApi<std::unique_ptr<Factory> (*)(bench::Device&)> factories = {{bench::cuda::kApi, cuda_factory},
                                                                                 {bench::vulkan::kApi, vulkan_factory}};
  return factories.at(device.info().api, "the making of kernels")(device);
}

Factory& factory(bench::Workbench& bench) {
  return bench.kept<Factory>("factory", [&] { return make_factory(bench.device()); });
}

std::uint32_t made_word(std::string_view stem, std::uint32_t mark, std::uint32_t i) {
  const std::uint32_t steps = stem == "made_large" ? EXP08_LARGE_STEPS : EXP08_SMALL_STEPS;
  std::uint32_t x = i ^ mark;
  for (std::uint32_t k = 0; k < steps; ++k) x = made_step(x, k);
  return x;
}

std::uint32_t fresh_mark() {
  constexpr std::uint32_t kLeast = 1'000'000'000;
  constexpr std::uint32_t kRange = 0x7fffffffU - kLeast;
  static std::uint64_t next = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) ^
                              static_cast<std::uint64_t>(getpid()) << 40;
  next = next * 6364136223846793005ULL + 1442695040888963407ULL;
  const auto mark = static_cast<std::uint32_t>(kLeast + (next >> 33) % kRange);
  return mark == EXP08_MARK ? fresh_mark() : mark;
}

// Sources: NVIDIA's driver README, "Configuring the shader disk cache"; CUDA C++ Programming Guide, "Environment Variables";
// Mesa, "Environment Variables".
void turn_caches_off() {
  setenv("__GL_SHADER_DISK_CACHE", "0", 1);
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
}
