// Does an asynchronous copy overlap with computing, at what price in registers, and what must a program with TMA not leave out?
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "backends.h"
#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "cuda/tensor_params.h"
#include "exp06_kernels.h"
#include "params.h"
#include "reference.h"
#include "tile.h"
#include "variants.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Launch;
using bench::Plan;
using bench::Workbench;

constexpr std::uint32_t kCopyLog2 = 27;     // 2^27 vectors * 16 B = 2 GiB a buffer
constexpr std::uint32_t kOverlapLog2 = 26;  // 1 GiB
constexpr std::uint32_t kRowBytes = EXP06_ROW_WORDS * 4;

// A shape on a GPU, and how much it reads.
struct Config {
  Shape shape;
  std::uint32_t sms = 0;
  std::uint64_t bytes = 0;

  std::uint32_t chunks() const { return static_cast<std::uint32_t>(bytes / shape.chunk_bytes); }
  std::uint32_t grid() const {
    return shape.per_sm == 0 ? chunks() / std::max(shape.stages, 1U) : std::min(sms * shape.per_sm, chunks());
  }
  OverlapParams overlap() const { return {chunks(), shape.steps / EXP06_STEPS_A_TURN, shape.stages, 0}; }
  CopyParams copy() const { return {chunks(), shape.chunk_bytes}; }
  bench::cuda::TensorMap map(const Buffer& buffer) const {
    return bench::cuda::tensor_map_2d(buffer, {.row_words = EXP06_ROW_WORDS,
                                               .rows = bytes / kRowBytes,
                                               .box_words = EXP06_ROW_WORDS,
                                               .box_rows = shape.chunk_bytes / kRowBytes});
  }
};

Launch make_launch(Workbench& bench, const Config& config, std::uint32_t buffers, std::uint32_t params_size) {
  const Shape& shape = config.shape;
  if (config.sms == 0) throw bench::Skip("neither CUDA nor VK_NV_shader_sm_builtins tells how many SMs this GPU has");
  Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), shape.stem),
                                 .entry = shape.entry,
                                 .block_x = shape.block,
                                 .constants = {shape.chunk_bytes / 16 / shape.block},
                                 .buffers = buffers,
                                 .params_bytes = params_size,
                                 .shared_bytes = shape.shared_bytes()});
  launch.grid = {config.grid(), 1, 1};
  return launch;
}

// Six steps, the same for both APIs: kernel, input, poisoned output, one run, verification, the subject to be timed.
bench::Prepared set_up_overlap(Workbench& bench, const Config& config, ChainSums& sums) {
  const bool tensor = config.shape.mechanism == Mechanism::kTensor;
  Launch launch = make_launch(bench, config, 2, tensor ? sizeof(OverlapTensorParams) : sizeof(OverlapParams));
  const Buffer& input = bench.input(0, config.bytes / sizeof(std::uint32_t));
  Buffer& output = bench.output("sums", config.grid());
  launch.buffers = {&input, &output};
  launch.params = tensor ? bench::params_bytes(OverlapTensorParams{config.map(input), config.overlap()})
                         : bench::params_bytes(config.overlap());
  bench.device().run(launch);
  const bool first_only = config.shape.variant == "overlap_none";
  const std::string reference = fmt::format("sums of {} tiles over {} blocks, {} steps{}", config.chunks(), config.grid(),
                                            config.shape.steps, first_only ? ", of the first alone" : "");
  bench.confirm(reference, output, config.grid() + bench::kGuardWords, [&] {
    const std::vector<std::uint32_t> expected =
        overlap_sums(bench, config.chunks(), config.grid(), config.shape.steps, first_only, sums);
    return bench::verify<std::uint32_t>(bench.device(), output, expected.size(), bench::kGuardWords,
                                        [&](std::uint64_t i) { return expected[i]; });
  });
  bench.makes_outputs_anew();
  return bench.device().prepare(launch, {});
}

bench::Prepared set_up_copy(Workbench& bench, const Config& config) {
  const bool plain = config.shape.mechanism == Mechanism::kPlain;
  const bool tensor = config.shape.mechanism == Mechanism::kTensor;
  Launch launch = make_launch(bench, config, plain ? 2 : 3, plain ? 0 : tensor ? sizeof(CopyTensorParams) : sizeof(CopyParams));
  const std::uint64_t words = config.bytes / sizeof(std::uint32_t);
  const Buffer& input = bench.input(0, words);
  Buffer& output = bench.output("output", words);
  Buffer& state = bench.output("state", EXP06_STATE_WORDS);
  const auto clear_state = [&bench, &state] { bench.device().fill(state, 0, EXP06_STATE_WORDS * sizeof(std::uint32_t), 0); };
  clear_state();
  launch.buffers = {&input, &output};
  if (!plain) {
    launch.buffers.push_back(&state);
    launch.params = tensor ? bench::params_bytes(CopyTensorParams{config.map(input), config.map(output), config.copy()})
                           : bench::params_bytes(config.copy());
  }
  bench.device().run(launch);
  bench::verify<std::uint32_t>(bench, "input 0", output, words, bench::kGuardWords,
                               [&](std::uint64_t i) { return std::bit_cast<std::uint32_t>(bench.input_value(0, i)); });
  // Left over, a count would make the next launch's blocks leave chunks out.
  bench::verify<std::uint32_t>(bench, "zeros", state, EXP06_STATE_WORDS, bench::kGuardWords, [](std::uint64_t) { return 0U; });
  bench.makes_outputs_anew(clear_state);
  return bench.device().prepare(launch, {});
}

void cuda_alone(bench::Case& one) { one.apis = {{bench::cuda::kApi}}; }

bench::Case make_case(const Config& config, const std::shared_ptr<ChainSums>& sums) {
  const Shape& shape = config.shape;
  bench::Case result =
      bench::twin(std::string(shape.variant),
                  {{"steps", shape.copies() ? bench::Value() : bench::Value(shape.steps)},
                   {"block", shape.block},
                   {"blocks_per_sm", bench::unless_zero(shape.per_sm)},
                   {"stages", bench::unless_zero(shape.stages)},
                   {"chunk_bytes", shape.chunk_bytes},
                   {"hint", shape.hint}},
                  [config, sums](Workbench& bench) {
                    return config.shape.copies() ? set_up_copy(bench, config) : set_up_overlap(bench, config, *sums);
                  });
  if (shape.mechanism != Mechanism::kPlain) cuda_alone(result);
  result.elements = config.bytes / 16;
  result.footprint_bytes = config.bytes * (shape.copies() ? 2 : 1);
  // The computing alone reads next to nothing.
  result.useful_bytes = shape.variant == "overlap_none" ? 0 : result.footprint_bytes;
  result.host_samples = 2;
  result.budget_part = shape.copies() ? 0.12 : 0.06;
  return result;
}

bench::Case make_tile_case(const TileCase& tile) {
  bench::Case result = bench::twin(tile.left_out.empty() ? "tile" : "tile_without",
                                   {{"block", EXP06_TILE_THREADS}, {"left_out", tile.left_out}, {"pressure", tile.pressure}},
                                   [tile](Workbench& bench) { return set_up_tile(bench, tile); });
  cuda_alone(result);
  result.elements = tile.instances;
  result.host_samples = 2;
  result.budget_part = 0.03;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  const auto sums = std::make_shared<ChainSums>();
  const bool few = plan.smoke || plan.cpu;
  std::vector<bench::Case> list;
  std::set<std::string_view> copies;
  for (const Shape& shape : shapes(few)) {
    // A coarse sweep: half of the steps, and of the copies the first of a kind.
    if (plan.quick && shape.copies() && !copies.insert(shape.variant).second) continue;
    if (plan.quick && !shape.copies() && shape.steps != 0 && shape.steps != 8 && shape.steps != 64) continue;
    const std::uint64_t most = plan.largest(shape.copies() ? kCopyLog2 : kOverlapLog2, 16) * 16;
    const std::uint64_t bytes = plan.smoke ? 2 * kTileMultiple : most / kTileMultiple * kTileMultiple;
    if (bytes == 0) throw bench::UsageError("--size: at least {} elements of 16 bytes", kTileMultiple / 16);
    bench::Case one = make_case({shape, plan.multiprocessors, bytes}, sums);
    for (const bench::Cache cache : plan.caches_for(one.footprint_bytes)) {
      one.cache = cache;
      list.push_back(one);
    }
  }
  const auto is_full = [](const bench::Case& one) { return one.sides.front().variant == "overlap_full"; };
  for (const bench::Case& aa : bench::aa_controls(*std::find_if(list.begin(), list.end(), is_full))) list.push_back(aa);
  // Last: what is left out here is there for a reason.
  for (const TileCase& tile : tile_cases(few)) list.push_back(make_tile_case(tile));
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp06_async_copy",
      .question =
          "Does an asynchronous copy overlap with computing, at what price in registers, and what must a program with TMA "
          "not leave out?",
      .params = {Column::integer("steps", "", "of computing on each word").optional(),
                 Column::integer("block", "threads", "of a block"),
                 Column::integer("blocks_per_sm", "blocks", "persistent ones on an SM").optional(),
                 Column::integer("stages", "tiles", "or chunks, of a block's ring").optional(),
                 Column::integer("chunk_bytes", "bytes", "of a tile or of a copy").optional(),
                 Column::text("hint", "to the L2").optional(),
                 Column::text("left_out", "which fence or wait of the tile's program is not there").optional(),
                 Column::integer("pressure", "stores", "to one bank of shared memory, a thread, before the tile's").optional()},
      .model = {},
      .measured = tile_columns(),
      .variants = {{"overlap_none", "the computing alone, `steps` on each word of a tile that lies in shared memory"},
                   {"overlap_plain", "load a tile into registers, compute, load the next; one block per SM, as below"},
                   {"overlap_full", "the same kernel with a block for every tile: other blocks' loads fill the gaps"},
                   {"overlap_staged", "load a tile through registers into shared memory, compute, load the next"},
                   {"overlap_prefetched", "the same, the next tile on its way to registers meanwhile"},
                   {"overlap_plain_writable", "overlap_plain of what others may write: no __restrict__, no readonly"},
                   {"overlap_prefetched_writable", "the same of overlap_prefetched: no load moves across a barrier"},
                   {"overlap_cp_async", "cp.async into a ring of `stages` tiles; CUDA alone"},
                   {"overlap_tma", "a 2-D tensor map's copies into a ring of `stages` tiles; CUDA alone"},
                   {"overlap_producer", "bulk copies by a warp that does nothing else; CUDA alone"},
                   {"copy_plain", "b = a, 16-byte loads and stores, a block for every `chunk_bytes`"},
                   {"copy_bulk",
                    "b = a by bulk copies in and out, persistent blocks side by side, a ring of `stages` each; CUDA alone"},
                   {"copy_bulk_contiguous", "the same, each block its own run of memory; CUDA alone"},
                   {"copy_bulk_taken", "the same, each block the next chunk that none has taken; CUDA alone"},
                   {"copy_bulk_once", "b = a by bulk copies, a block for every `stages` chunks; CUDA alone"},
                   {"copy_tma", "copy_bulk through two 2-D tensor maps; CUDA alone"},
                   {"copy_tma_taken", "copy_bulk_taken through tensor maps; CUDA alone"},
                   {"copy_tma_once", "copy_bulk_once through tensor maps; CUDA alone"},
                   {"copy_half_in", "in by a bulk copy, out by 16-byte stores; CUDA alone"},
                   {"copy_half_out", "in by 16-byte loads, out by a bulk copy; CUDA alone"},
                   {"tile", "a tile of a 2-D tensor comes by TMA, is added to in shared memory, and goes back; CUDA alone"},
                   {"tile_without", "the same without `left_out`: how many tiles come out wrong? CUDA alone"},
                   {"aa_control_a", "A/A control: overlap_full, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
