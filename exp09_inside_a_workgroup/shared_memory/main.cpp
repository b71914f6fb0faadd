// At which rate is shared memory read and written, by width and stride? Are conflicts what a model of its banks says?
#include <algorithm>
#include <span>
#include <string_view>

#include "backends.h"
#include "core/base/error.h"
#include "core/experiment/access_model.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp09_kernels.h"
#include "params.h"
#include "reference.h"
#include "variants.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kHoldNs = 20000;  // long beside the time in which a GPU starts a block on every SM

std::vector<std::byte> params(const Config& config) {
  if (config.kind == Kind::kChannels) return bench::params_bytes(ChannelParams{config.side() * config.side(), config.side()});
  if (config.kind == Kind::kCapacity)
    return bench::params_bytes(CapacityParams{config.small ? 0 : kHoldNs, config.asked_bytes / 4, config.block()});
  return bench::params_bytes(StrideParams{config.turns() * EXP09_UNROLL, config.stride, config.pad, EXP09_UNROLL});
}

const bench::Kernel& kernel(Workbench& bench, const Config& config) {
  std::vector<std::uint32_t> constants;
  if (config.kind == Kind::kStructs) constants = {config.fields};
  if (config.kind == Kind::kChannels) constants = {config.weights->glsl};
  if (config.kind == Kind::kCapacity) constants = {config.asked_bytes / 4};
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp09(), config.stem()),
                       .entry = config.entry(),
                       .block_x = config.block(),
                       .constants = constants,
                       .buffers = config.kind == Kind::kChannels   ? 3U
                                  : config.kind == Kind::kCapacity ? 2U
                                                                   : 1U,
                       .params_bytes = static_cast<std::uint32_t>(params(config).size()),
                       .shared_bytes = config.asked_bytes});
}

void clear(Workbench& bench, Buffer& counts) { bench.device().fill(counts, 0, EXP09_COUNTS * sizeof(std::uint32_t), 0); }

// Most blocks at once in any run so far. Throws Error if a block was not counted out, or more were counted in than there are.
double most_per_sm(Workbench& bench, const Buffer& counts, const Config& config) {
  std::uint32_t found[EXP09_COUNTS];
  bench.device().download(counts, 0, std::as_writable_bytes(std::span(found)));
  bench::verify<std::uint32_t>(bench.device(), counts, EXP09_COUNTS, bench::kGuardWords, [&](std::uint64_t i) {
    return i == EXP09_LIVE ? 0U : std::clamp(found[EXP09_MOST], 1U, config.blocks());
  });
  return found[EXP09_MOST] / static_cast<double>(std::max(config.sms, 1U));
}

// Six steps, the same for both APIs: kernel, data, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, const Config& config) {
  if (config.blocks() == 0) throw bench::Skip("neither CUDA nor VK_NV_shader_sm_builtins tells how many SMs this GPU has");
  bench::Launch launch;
  launch.kernel = &kernel(bench, config);
  launch.grid = {config.blocks(), 1, 1};
  launch.params = params(config);
  Buffer& out = bench.output("out", out_words(config));
  Buffer* counts = nullptr;
  if (config.kind == Kind::kChannels) {
    launch.grid = {1, config.side(), config.side()};
    launch.buffers = {&bench.input(0, std::uint64_t{config.blocks()} * EXP09_CHANNELS),
                      &bench.input(1, EXP09_CHANNELS * EXP09_HALF), &out};
  } else if (config.kind == Kind::kCapacity) {
    counts = &bench.output("counts", EXP09_COUNTS);
    clear(bench, *counts);
    launch.buffers = {counts, &out};
  } else {
    launch.buffers = {&out};
  }

  bench.device().run(launch);
  check(bench, out, config);
  if (config.kind != Kind::kCapacity) {
    bench.makes_outputs_anew();
    return bench.device().prepare(launch, {});
  }
  const auto most_blocks = [&bench, counts, config] { return most_per_sm(bench, *counts, config); };
  most_blocks();  // verifies
  bench.makes_outputs_anew([&bench, counts] { clear(bench, *counts); }, [most_blocks] { most_blocks(); });
  return {bench.device().prepare(launch, {}), [&bench, most_blocks] {
            const bool tells = !bench.device().info().is_cpu;
            const double most = most_blocks();
            return bench::Values{{"resident_blocks", tells ? bench::Value(most) : bench::Value()}};
          }};
}

bench::Case make_case(const Config& config) {
  const bool strided = config.kind == Kind::kRead || config.kind == Kind::kWrite;
  bench::Case result = bench::twin(config.variant(),
                                   {{"elem_bytes", strided ? bench::Value(config.bytes) : bench::Value()},
                                    {"stride", strided ? bench::Value(config.stride) : bench::Value()},
                                    {"pad", strided ? bench::Value(config.pad) : bench::Value()},
                                    {"layout", config.layout != nullptr ? config.layout->name : ""},
                                    {"fields", bench::unless_zero(config.fields)},
                                    {"weights", config.weights != nullptr ? config.weights->name : ""},
                                    {"asked_bytes", bench::unless_zero(config.asked_bytes)}},
                                   [config](Workbench& bench) { return set_up(bench, config); });
  result.elements = std::max<std::uint64_t>(config.accesses(), 1);
  if (config.is_rate()) {
    result.useful_bytes = config.accesses() * config.access_bytes();
    result.footprint_bytes = std::uint64_t{config.blocks()} * config.block() * 4;
    result.model = {{"wavefronts", config.wavefronts()}, {"launch_wavefronts", config.launch_wavefronts()}};
    if (config.sms != 0) result.model.set("sm_accesses", config.accesses() / bench::kWarpLanes / config.sms);
  }
  // Differences are of factors, not of percents; there are many cases.
  result.budget_part = 0.03;
  result.host_samples = 1;
  return result;
}

// A coarse sweep: strides that are powers of two, and one beyond.
bool is_coarse(const Config& config) { return config.stride == 33 || (config.stride & (config.stride - 1)) == 0; }

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  for (const Config& config : all_configs(plan)) {
    if (!plan.quick || is_coarse(config)) list.push_back(make_case(config));
  }
  for (const bench::Case& aa : bench::aa_controls(list.front())) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp09_shared_memory",
      .question =
          "At which rate is shared memory read and written, by width and stride, and are conflicts what a model of its banks "
          "says?",
      .params = {Column::integer("elem_bytes", "bytes", "width of one access").optional(),
                 Column::integer("stride", "elements", "from one lane to the next").optional(),
                 Column::integer("pad", "elements", "unused behind every 32").optional(),
                 Column::text("layout", "how a structure's four words lie").optional(),
                 Column::integer("fields", "words", "read of a structure").optional(),
                 Column::text("weights", "where a lane's weights lie").optional(),
                 Column::integer("asked_bytes", "bytes", "of shared memory that a block asks for").optional()},
      .model = {Column::integer("wavefronts", "", "of one access of a warp, predicted"),
                Column::integer("launch_wavefronts", "", "of all of a launch, predicted"),
                Column::integer("sm_accesses", "", "of warps, that each SM makes in a launch").optional()},
      .measured = {Column::real("resident_blocks", "blocks", "that an SM held at once").optional()},
      .variants = {{"read", "a full GPU reads tables in shared memory, `stride` elements from one lane to the next"},
                   {"write", "it stores to them"},
                   {"structs", "lanes read neighbouring structures of four words, of which `fields`"},
                   {"channels", "a forum's convolution: 128 channels of a pixel in shared memory, 64 weights per lane"},
                   {"capacity", "blocks that hold `asked_bytes` of shared memory each: how many an SM holds"},
                   {"aa_control_a", "A/A control: the first read, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
      .counts_shared = true,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
