// How many bytes must be in flight on every SM to fill the memory's bandwidth, and which mechanism gets them there cheapest?
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

#include "../block_sums.h"
#include "../tma_params.h"
#include "backends.h"
#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp06_kernels.h"
#include "params.h"
#include "variants.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Launch;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kLargestLog2 = 27;      // 2^27 vectors * 16 B = 2 GiB a buffer
constexpr std::uint32_t kResidentNs = 20000;    // long beside the time in which a GPU starts a block on every SM
constexpr std::uint32_t kSumsBytes = 1U << 10;  // of ../glsl/sums.glsl; CUDA's take less

// A shape on a GPU, and how much it reads.
struct Config {
  Shape shape;
  std::uint32_t sms = 0;
  std::uint64_t bytes = 0;
  std::uint32_t resident_threads = 0;  // that an SM holds; 0: unknown

  std::uint32_t tiles() const { return static_cast<std::uint32_t>(bytes / shape.tile_bytes()); }
  std::uint32_t grid() const {
    if (shape.is_resident()) return sms * shape.per_sm;
    return shape.per_sm == 0 ? tiles() : std::min(sms * shape.per_sm, tiles());
  }
};

// read_plain_16_4, write_plain_4_1, copy_bulk_8, read_bulk, resident: what tells a CUDA kernel's instances apart.
std::string entry(const Shape& shape) {
  if (shape.mechanism == Mechanism::kReadRing || shape.mechanism == Mechanism::kTensorRing || shape.is_resident())
    return std::string(shape.stem);
  return fmt::format("{}_{}", shape.stem, shape.unroll == 0 ? shape.stages : shape.unroll);
}

std::vector<std::byte> params(const Config& config, const Buffer& input) {
  const Shape& shape = config.shape;
  if (shape.is_resident()) return bench::params_bytes(ResidentParams{kResidentNs, 0});
  if (!shape.is_ring()) return bench::params_bytes(TileParams{config.tiles(), 0});
  const auto chunks = static_cast<std::uint32_t>(config.bytes / shape.chunk_bytes);
  const RingParams ring{chunks, shape.chunk_bytes, shape.stages, 0};
  if (shape.mechanism != Mechanism::kTensorRing) return bench::params_bytes(ring);
  constexpr std::uint32_t kRowBytes = EXP06_ROW_WORDS * 4;
  const bench::cuda::Tensor2d tensor = {.row_words = EXP06_ROW_WORDS,
                                        .rows = config.bytes / kRowBytes,
                                        .box_words = EXP06_ROW_WORDS,
                                        .box_rows = shape.chunk_bytes / kRowBytes};
  return bench::params_bytes(TmaParams{bench::cuda::tensor_map_2d(input, tensor), ring});
}

std::uint32_t params_size(const Shape& shape) {
  return shape.is_resident()                         ? sizeof(ResidentParams)
         : !shape.is_ring()                          ? sizeof(TileParams)
         : shape.mechanism == Mechanism::kTensorRing ? sizeof(TmaParams)
                                                     : sizeof(RingParams);
}

const bench::Kernel& kernel(Workbench& bench, const Shape& shape) {
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), shape.stem),
                       .entry = entry(shape),
                       .block_x = shape.block,
                       .constants = {shape.unroll, std::max(shape.shared_bytes() / 16, 1U)},
                       .buffers = shape.inputs() + 1,
                       .params_bytes = params_size(shape),
                       .shared_bytes = shape.shared_bytes()});
}

// Most blocks at once in any run so far. Throws Error if a block was not counted out, or more were counted in than there are.
std::uint32_t most_resident(Workbench& bench, const Buffer& counts, const Config& config) {
  std::uint32_t found[2];
  bench.device().download(counts, 0, std::as_writable_bytes(std::span(found)));
  bench::verify<std::uint32_t>(bench.device(), counts, 2, bench::kGuardWords, [&](std::uint64_t i) {
    return i == EXP06_LIVE ? 0U : std::clamp(found[EXP06_MOST], 1U, config.grid());
  });
  return found[EXP06_MOST];
}

void clear(Workbench& bench, Buffer& counts) { bench.device().fill(counts, 0, 2 * sizeof(std::uint32_t), 0); }

// A `resident` shape that has run once, not yet verified. Its output starts as zeros.
Launch count_resident(Workbench& bench, const Config& config) {
  Launch launch;
  launch.kernel = &kernel(bench, config.shape);
  launch.grid = {config.grid(), 1, 1};
  Buffer& counts = bench.output("counts", 2);
  clear(bench, counts);
  launch.buffers = {&counts};
  launch.params = params(config, counts);
  bench.device().run(launch);
  return launch;
}

// Blocks that do not all fit on an SM would come one after another, with less in flight than the row says.
void check_fit(Workbench& bench, const Config& config) {
  const Shape& shape = config.shape;
  if (config.resident_threads != 0 && shape.per_sm * shape.block > config.resident_threads)
    throw bench::Skip("an SM of this GPU holds {} threads, not {}", config.resident_threads, shape.per_sm * shape.block);
  if (shape.mechanism != Mechanism::kStaged || bench.device().info().is_cpu) return;
  kernel(bench, shape);  // what the device does not load needs no run to tell
  // No API says how much shared memory an SM has for Vulkan: on an H200 it is 100 KiB, of CUDA's 228.
  const Config like{resident(shape.shared_bytes() + kSumsBytes), config.sms};
  const std::uint32_t fit = most_resident(bench, *count_resident(bench, like).buffers.front(), like) / config.sms;
  if (fit < shape.per_sm)
    throw bench::Skip("with {} bytes of shared memory each, an SM holds {} blocks at once, not {}", like.shape.held_bytes, fit,
                      shape.per_sm);
}

// Six steps, the same for both APIs: kernel, input, poisoned output, one run, verification, the subject to be timed.
std::unique_ptr<bench::Subject> set_up(Workbench& bench, const Config& config, ChunkSums& sums) {
  const Shape& shape = config.shape;
  check_fit(bench, config);
  Launch launch;
  launch.kernel = &kernel(bench, shape);
  const std::uint64_t words = config.bytes / sizeof(std::uint32_t);
  const Buffer& input = bench.input(0, words);
  const std::uint64_t out_words = shape.reads() ? config.grid() : words;
  Buffer& output = bench.output("output", out_words);
  launch.grid = {config.grid(), 1, 1};
  for (std::uint32_t i = 0; i < shape.inputs(); ++i) launch.buffers.push_back(&bench.input(i, words));
  launch.buffers.push_back(&output);
  launch.params = params(config, input);

  bench.device().run(launch);
  const auto check = [&](const char* reference, const auto& expected) {
    bench::verify<std::uint32_t>(bench, reference, output, out_words, bench::kGuardWords, expected);
  };
  const std::string reference =
      fmt::format("sums of {} blocks over {} bytes in tiles of {}", config.grid(), config.bytes, shape.tile_bytes());
  switch (shape.operation) {
    case Operation::kRead:
      bench.confirm(reference, output, out_words + bench::kGuardWords, [&] {
        const std::vector<std::uint32_t> expected = block_sums(bench, config.bytes, shape.tile_bytes(), config.grid(), sums);
        return bench::verify<std::uint32_t>(bench.device(), output, out_words, bench::kGuardWords,
                                            [&](std::uint64_t i) { return expected[i]; });
      });
      break;
    case Operation::kCopy:
      check("input 0", [&](std::uint64_t i) { return std::bit_cast<std::uint32_t>(bench.input_value(0, i)); });
      break;
    case Operation::kAdd:
      check("input 0 + input 1",
            [&](std::uint64_t i) { return std::bit_cast<std::uint32_t>(bench.input_value(0, i) + bench.input_value(1, i)); });
      break;
    case Operation::kWrite:
      check("incompressible words", [](std::uint64_t i) { return incompressible_word(static_cast<std::uint32_t>(i)); });
      break;
    case Operation::kCount:
      throw bench::Error("{} is verified by what it counts", shape.variant);
  }
  bench.makes_outputs_anew();
  return bench.device().prepare(launch, {});
}

// `resident`, and what was counted in the timed runs.
Prepared set_up_resident(Workbench& bench, const Config& config) {
  Buffer& counts = bench.output("counts", 2);
  const Launch launch = count_resident(bench, config);
  const auto blocks_an_sm = [&bench, &counts, config] {
    return most_resident(bench, counts, config) / static_cast<double>(config.sms);
  };
  blocks_an_sm();  // verifies
  bench.compared();
  bench.makes_outputs_anew([&bench, &counts] { clear(bench, counts); }, [blocks_an_sm] { blocks_an_sm(); });
  return {bench.device().prepare(launch, {}), [=] { return bench::Values{{"resident_blocks", blocks_an_sm()}}; }};
}

bench::Case make_case(const Config& config, const std::shared_ptr<ChunkSums>& sums) {
  const Shape& shape = config.shape;
  bench::Case result =
      bench::twin(std::string(shape.variant),
                  {{"block", shape.block},
                   {"blocks_per_sm", bench::unless_zero(shape.per_sm)},
                   {"elem_bytes", bench::unless_zero(shape.elem_bytes)},
                   {"unroll", bench::unless_zero(shape.unroll)},
                   {"stages", bench::unless_zero(shape.stages)},
                   {"chunk_bytes", bench::unless_zero(shape.chunk_bytes)},
                   {"bytes_in_flight", bench::unless_zero(shape.per_sm * shape.block_bytes_in_flight())},
                   {"shared_bytes", bench::unless_zero(shape.held_bytes)}},
                  [config, sums](Workbench& bench) -> Prepared {
                    if (config.sms == 0)
                      throw bench::Skip("neither CUDA nor VK_NV_shader_sm_builtins tells how many SMs this GPU has");
                    if (config.shape.is_resident()) return set_up_resident(bench, config);
                    return set_up(bench, config, *sums);
                  });
  if (shape.cuda_alone()) result.apis = {{bench::cuda::kApi}};
  result.elements = shape.is_resident() ? config.grid() : config.bytes / 16;
  const std::uint32_t arrays = shape.inputs() + (shape.reads() ? 0 : 1);
  result.useful_bytes = result.footprint_bytes = shape.is_resident() ? 0 : config.bytes * arrays;
  // The slowest take 22 ms a launch; nobody asks for what the host sees of them.
  result.host_samples = 2;
  result.budget_part = 0.15;
  return result;
}

// In a sweep that --quick makes coarse.
bool is_coarse(const Shape& shape) {
  if (shape.is_resident()) return shape.held_bytes == 8U << 10 || shape.held_bytes == 48U << 10;
  const bool between = shape.block == 64 || shape.block == 384 || shape.block == 512 || shape.block == 768;
  return shape.elem_bytes == 16 && !between;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::uint64_t bytes = plan.smoke ? 2 * kTileMultiple : plan.largest(kLargestLog2, 16) * 16 / kTileMultiple * kTileMultiple;
  if (bytes == 0) throw bench::UsageError("--size: at least {} elements of 16 bytes", kTileMultiple / 16);
  const auto sums = std::make_shared<ChunkSums>();
  std::vector<bench::Case> list;
  for (const Shape& shape : shapes(plan.smoke || plan.cpu)) {
    if (plan.quick && !is_coarse(shape)) continue;
    bench::Case one = make_case({shape, plan.multiprocessors, bytes, plan.resident_threads}, sums);
    for (const bench::Cache cache : plan.caches_for(one.footprint_bytes)) {
      one.cache = cache;
      list.push_back(one);
    }
  }
  const auto is_tiles = [](const bench::Case& one) { return one.sides.front().variant == "read_tiles"; };
  for (const bench::Case& aa : bench::aa_controls(*std::find_if(list.begin(), list.end(), is_tiles))) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp06_bytes_in_flight",
      .question =
          "How many bytes must be in flight on every SM to fill the memory's bandwidth, and which mechanism gets them "
          "there cheapest?",
      .params = {Column::integer("block", "threads", "of a block"),
                 Column::integer("blocks_per_sm", "blocks", "persistent ones on an SM").optional(),
                 Column::integer("elem_bytes", "bytes", "width of one access").optional(),
                 Column::integer("unroll", "accesses", "in flight a thread").optional(),
                 Column::integer("stages", "copies", "in flight a thread (cp.async) or a warp (bulk)").optional(),
                 Column::integer("chunk_bytes", "bytes", "of one bulk copy").optional(),
                 Column::integer("bytes_in_flight", "bytes", "asked for and not yet there, on an SM").optional(),
                 Column::integer("shared_bytes", "bytes", "of shared memory that a block takes").optional()},
      .model = {},
      .measured = {Column::real("resident_blocks", "blocks", "that an SM held at once").optional()},
      .variants = {{"read_plain", "persistent blocks, `unroll` loads of `elem_bytes` in flight a thread"},
                   {"read_tiles", "the same kernel with a block for every tile: the ceiling of a plain read"},
                   {"read_staged", "through registers into shared memory, the next tile's loads in flight meanwhile"},
                   {"read_cp_async", "cp.async into shared memory, `stages` of 16 bytes in flight a thread; CUDA alone"},
                   {"read_bulk", "cp.async.bulk into shared memory, `stages` chunks in flight a warp; CUDA alone"},
                   {"read_tma", "the same chunks through a 2-D tensor map; CUDA alone"},
                   {"copy_plain", "b = a, persistent blocks, `unroll` loads of `elem_bytes` in flight a thread"},
                   {"copy_tiles", "the same kernel with a block for every tile: the ceiling of a plain copy"},
                   {"copy_evict_last",
                    "the tiles' copy with loads that the L2 is asked to keep: PTX's policy evict_last; CUDA alone"},
                   {"copy_bulk", "b = a by bulk copies into shared memory and out of it; CUDA alone"},
                   {"add_plain", "c = a + b, persistent blocks, two loads of `elem_bytes` in flight a thread"},
                   {"write_plain", "persistent blocks, one store of `elem_bytes` a thread and turn; nothing read"},
                   {"resident", "how many blocks an SM holds that take `shared_bytes` of shared memory each; no data moved"},
                   {"aa_control_a", "A/A control: read_tiles, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
