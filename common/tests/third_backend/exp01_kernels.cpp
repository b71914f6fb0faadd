// exp01_vector_add's kernels as host functions, all blocks of a launch in turn.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/base/data_words.h"
#include "host_device.h"
#include "params.h"
#include "third_backend/cpu_backend.h"

namespace bench::cpu {
namespace {

using Word = std::uint32_t;

constexpr std::uint32_t kVector = 4;  // words of a 16-byte access

template <class Params>
Params params_of(const Launch& launch) {
  Params params;
  std::memcpy(&params, launch.params.data(), sizeof params);
  return params;
}

// So many elements of so many words that the grid has a thread for, or a thread's `unroll` elements.
std::uint32_t words(const Launch& launch, std::uint32_t element_words, std::uint32_t unroll = 1) {
  const std::uint64_t reached = std::uint64_t{launch.grid[0]} * launch.kernel->spec().block_x * unroll;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(params_of<CountParams>(launch).count, reached)) * element_words;
}

template <std::uint32_t kElementWords>
void add(const Launch& launch) {
  const auto* a = words_of<float>(*launch.buffers[0]);
  const auto* b = words_of<float>(*launch.buffers[1]);
  auto* c = words_of<float>(*launch.buffers[2]);
  for (std::uint32_t i = 0; i < words(launch, kElementWords); ++i) c[i] = a[i] + b[i];
}

void copy(const Launch& launch, std::uint32_t element_words, std::uint32_t unroll) {
  std::memcpy(words_of<Word>(*launch.buffers[1]), words_of<Word>(*launch.buffers[0]),
              words(launch, element_words, unroll) * sizeof(Word));
}

void xor_tiles(const Launch& launch, std::uint32_t unroll) {
  const auto* a = words_of<Word>(*launch.buffers[0]);
  auto* sums = words_of<Word>(*launch.buffers[1]);
  const std::uint32_t all = words(launch, kVector, unroll);
  const std::uint32_t tile = launch.kernel->spec().block_x * unroll * kVector;
  for (std::uint32_t block = 0; block < launch.grid[0]; ++block) {
    Word sum = 0;
    for (std::uint32_t i = block * tile; i < std::min(all, (block + 1) * tile); ++i) sum ^= a[i];
    sums[block] = sum;
  }
}

void write_tiles(const Launch& launch, std::uint32_t unroll) {
  auto* b = words_of<Word>(*launch.buffers[0]);
  for (std::uint32_t i = 0; i < words(launch, kVector, unroll); ++i) b[i] = incompressible_word(i);
}

void increment(const Launch& launch) {
  auto* x = words_of<Word>(*launch.buffers[0]);
  for (std::uint32_t lane = 0; lane < launch.kernel->spec().block_x; ++lane) ++x[lane];
}

Word ticks() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<Word>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void ruler(const Launch& launch) {
  const auto params = params_of<RulerParams>(launch);
  auto* stamps = words_of<Word>(*launch.buffers[0]);
  const Word number = stamps[RULER_LAUNCHES]++;
  for (std::uint32_t block = 0; block < launch.grid[0]; ++block) {
    const Word begin = ticks();
    Word end = begin;
    Word step = ~0U;
    for (Word turn = 0; turn < params.max_turns && end - begin < params.ticks; ++turn) {
      const Word now = ticks();
      if (now != end) step = std::min(step, now - end);
      end = now;
    }
    Word* const mine = stamps + RULER_HEAD + (number % RULER_SLOTS * launch.grid[0] + block) * RULER_WORDS;
    mine[0] = begin;
    mine[1] = end;
    mine[2] = step;
  }
}

}  // namespace

HostKernels exp01_kernels() {
  HostKernels kernels = {{"add_f32", add<1>},
                         {"add_f32x4", add<kVector>},
                         {"copy_f32", [](const Launch& launch) { copy(launch, 1, 1); }},
                         {"empty", [](const Launch&) {}},
                         {"increment", increment},
                         {"ruler", ruler}};
  for (const std::uint32_t unroll : {1U, 2U, 4U, 8U}) {
    const std::string ending = "_" + std::to_string(unroll);
    kernels["copy_tile" + ending] = [unroll](const Launch& launch) { copy(launch, kVector, unroll); };
    kernels["read_tile" + ending] = [unroll](const Launch& launch) { xor_tiles(launch, unroll); };
    kernels["write_tile" + ending] = [unroll](const Launch& launch) { write_tiles(launch, unroll); };
  }
  return kernels;
}

}  // namespace bench::cpu
