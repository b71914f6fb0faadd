#include "lanes.h"

#include "core/base/parallel.h"
#include "core/base/shader_types.h"

void fill_pinned(std::span<std::byte> memory) {
  auto* words = reinterpret_cast<std::uint32_t*>(memory.data());
  bench::parallel_for(memory.size() / sizeof(std::uint32_t), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) words[i] = incompressible_word(static_cast<std::uint32_t>(i));
  });
}
