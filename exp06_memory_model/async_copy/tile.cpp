#include "tile.h"

#include <fmt/format.h>

#include <atomic>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/experiment/verify.h"
#include "cuda/tensor_params.h"
#include "exp06_kernels.h"
#include "params.h"

namespace {

using bench::Buffer;
using bench::Device;

constexpr std::uint32_t kInstances = 8192;  // * 64 rows * 32 words * 4 B = 64 MiB
constexpr std::uint32_t kFewInstances = 64;
constexpr std::uint32_t kRounds = 8;  // runs that are looked at
constexpr std::uint32_t kPressure = 16;
constexpr std::uint32_t kLimitNs = 20'000'000;  // a tile takes a microsecond
constexpr std::uint32_t kInstanceWords = EXP06_TENSOR_ROWS * EXP06_TENSOR_WORDS;

// What word i of the tensors holds in the end.
struct Expected {
  bool inside = false;
  std::uint32_t word = EXP06_TILE_BEGIN;
};

Expected expected(std::uint64_t i) {
  const auto instance = static_cast<std::uint32_t>(i / kInstanceWords);
  const auto word = static_cast<std::uint32_t>(i % kInstanceWords);
  const std::uint32_t row = word / EXP06_TENSOR_WORDS - EXP06_TILE_AT;  // wraps below the tile
  const std::uint32_t column = word % EXP06_TENSOR_WORDS - EXP06_TILE_AT;
  if (row >= EXP06_TILE_ROWS || column >= EXP06_TILE_WORDS) return {};
  return {true, EXP06_TILE_BEGIN + EXP06_TILE_ADDED(row * EXP06_TILE_WORDS + column, instance)};
}

struct Count {
  std::uint64_t tiles = 0;
  std::uint64_t outside = 0;
  std::uint64_t gave_up = 0;
};

// Everything of one case that is in place.
struct Station {
  Device* device;
  bench::Launch launch;
  Buffer* tensors;
  Buffer* gave_up;
  std::uint32_t instances;

  std::uint64_t words() const { return std::uint64_t{instances} * kInstanceWords; }

  void reset() const {
    device->fill(*tensors, 0, words() * sizeof(std::uint32_t), EXP06_TILE_BEGIN);
    device->fill(*gave_up, 0, sizeof(std::uint32_t), 0);
  }
  void run() const {
    reset();
    device->run(launch);
  }

  Count count() const {
    std::atomic<std::uint64_t> tiles = 0;
    std::atomic<std::uint64_t> outside = 0;
    constexpr std::uint64_t kInstanceBytes = kInstanceWords * sizeof(std::uint32_t);  // of a chunk a power of two
    device->read(*tensors, 0, words() * sizeof(std::uint32_t), [&](std::uint64_t done, std::span<const std::byte> chunk) {
      const auto* found = reinterpret_cast<const std::uint32_t*>(chunk.data());
      const std::uint64_t first = done / sizeof(std::uint32_t);
      bench::parallel_for(chunk.size() / kInstanceBytes, 16, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t instance = begin; instance < end; ++instance) {
          std::uint64_t inside = 0;
          std::uint64_t beside = 0;
          for (std::uint64_t i = instance * kInstanceWords; i < (instance + 1) * kInstanceWords; ++i) {
            const Expected want = expected(first + i);
            if (found[i] != want.word) ++(want.inside ? inside : beside);
          }
          if (inside != 0) ++tiles;
          if (beside != 0) outside += beside;
        }
      });
    });
    std::uint32_t given_up = 0;
    device->download(*gave_up, 0, std::as_writable_bytes(std::span(&given_up, 1)));
    return {tiles, outside, given_up};
  }

  // tile_columns().
  bench::Values measure() const {
    Count sum;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      run();
      const Count one = count();
      sum.tiles += one.tiles;
      sum.outside += one.outside;
      sum.gave_up += one.gave_up;
    }
    return {{"tiles", std::uint64_t{kRounds} * instances},
            {"wrong_tiles", sum.tiles},
            {"wrong_outside", sum.outside},
            {"gave_up", sum.gave_up}};
  }
};

}  // namespace

std::vector<bench::Column> tile_columns() {
  using bench::Column;
  return {Column::integer("tiles", "tiles", "looked at").optional(),
          Column::integer("wrong_tiles", "tiles", "that hold a word that is not the expected one").optional(),
          Column::integer("wrong_outside", "words", "outside the tiles that changed").optional(),
          Column::integer("gave_up", "tiles", "that were waited for in vain").optional()};
}

std::vector<TileCase> tile_cases(bool few) {
  std::vector<TileCase> list;
  for (const std::string_view left_out :
       {"", "load_wait", "store_barrier", "others_fence", "store_fence", "load_fence", "read_wait", "init_fence"}) {
    for (const std::uint32_t pressure : {0U, kPressure}) list.push_back({left_out, pressure, few ? kFewInstances : kInstances});
  }
  return list;
}

bench::Prepared set_up_tile(bench::Workbench& bench, const TileCase& one) {
  Device& device = bench.device();
  Station station{&device, {}, nullptr, nullptr, one.instances};
  station.launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), "tma_tile"),
                                         .entry = one.left_out.empty() ? "tma_tile" : fmt::format("tma_tile_{}", one.left_out),
                                         .block_x = EXP06_TILE_THREADS,
                                         .buffers = 2,
                                         .params_bytes = sizeof(TileTensorParams)});
  station.tensors = &bench.output("tensors", station.words());
  station.gave_up = &bench.output("gave up", 1);
  station.launch.grid = {one.instances, 1, 1};
  station.launch.buffers = {station.tensors, station.gave_up};
  const bench::cuda::Tensor2d tensor = {.row_words = EXP06_TENSOR_WORDS,
                                        .rows = std::uint64_t{one.instances} * EXP06_TENSOR_ROWS,
                                        .box_words = EXP06_TILE_WORDS,
                                        .box_rows = EXP06_TILE_ROWS};
  station.launch.params =
      bench::params_bytes(TileTensorParams{bench::cuda::tensor_map_2d(*station.tensors, tensor), {one.pressure, kLimitNs}});
  station.run();
  if (one.verified()) {
    bench::verify<std::uint32_t>(bench, *station.tensors, station.words(), bench::kGuardWords,
                                 [](std::uint64_t i) { return expected(i).word; });
    bench::verify<std::uint32_t>(bench, *station.gave_up, 1, bench::kGuardWords, [](std::uint64_t) { return 0U; });
    bench.makes_outputs_anew([station] { station.reset(); });
  } else {
    bench.nothing_to_compare();  // how often it is wrong is what it measures
  }
  return {device.prepare(station.launch, {}), [station] { return station.measure(); }};
}
