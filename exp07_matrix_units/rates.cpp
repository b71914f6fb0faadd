#include "rates.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/experiment/verify.h"
#include "cuda/device/backend.h"
#include "exp07_kernels.h"
#include "inputs.h"
#include "meter.h"
#include "params.h"
#include "variants.h"

namespace {

using bench::Launch;
using bench::Workbench;

constexpr std::uint32_t kSignStream = 40;
constexpr std::uint32_t kTurns = 2000;  // halves are exact to 2048: see expected_sums
constexpr std::uint32_t kFewTurns = 4;

// What stands in memory, and what comes out of it.
using Words = std::vector<std::uint32_t>;

void put(Words& words, std::size_t element, double value, Number number) {
  const std::uint32_t bits = encode(value, number);
  std::memcpy(reinterpret_cast<std::byte*>(words.data()) + element * bytes_of(number), &bits, bytes_of(number));
}

Words words_for(std::size_t elements, Number number) { return Words(elements * bytes_of(number) / sizeof(std::uint32_t)); }

bench::Device::Producer copy_of(const Words& words) {
  return [&words](std::uint64_t done, std::span<std::byte> chunk) {
    std::memcpy(chunk.data(), std::as_bytes(std::span(words)).data() + done, chunk.size());
  };
}

// ---- Matrices
enum class Unit : std::uint8_t { kWarp, kGroup };

struct MatrixRate {
  std::string_view variant;
  std::string_view stem;
  std::string entry;
  Unit unit;
  Number in;
  Number sums;
  std::string_view matrix;  // KernelSpec::matrix; "": CUDA alone

  std::uint32_t rows() const { return unit == Unit::kWarp ? EXP07_RATE_ROWS : EXP07_RATE_GROUP_ROWS; }
  std::uint32_t columns() const { return unit == Unit::kWarp ? EXP07_RATE_COLUMNS : EXP07_RATE_GROUP_COLUMNS; }
  std::uint32_t depth() const { return 32 / bytes_of(in); }  // of one multiplication: 32 bytes of A
  std::uint32_t units_a_block() const { return unit == Unit::kWarp ? EXP07_RATE_BLOCK / 32 : 1; }
  std::uint32_t blocks_an_sm() const { return unit == Unit::kWarp ? 4 : 2; }
  double operations(std::uint32_t units, std::uint32_t turns) const {
    return 4.0 * rows() * columns() * depth() * units * turns;  // A0 and A1, a multiplication and an addition each
  }
};

std::vector<MatrixRate> matrix_rates() {
  using enum Number;
  return {{"rate_warp", "rate_f16_f32", "rate_f16_f32", Unit::kWarp, kF16, kF32, "16x16x16 f16 f32"},
          {"rate_warp", "rate_f16_f16", "rate_f16_f16", Unit::kWarp, kF16, kF16, "16x16x16 f16 f16"},
          {"rate_warp", "rate_bf16_f32", "rate_bf16_f32", Unit::kWarp, kBf16, kF32, "16x16x16 bf16 f32"},
          {"rate_warp", "rate_s8_s32", "rate_s8_s32", Unit::kWarp, kS8, kS32, "16x16x32 s8 s32"},
          {"rate_warp", "rate_e4m3_f32", "rate_e4m3_f32", Unit::kWarp, kE4m3, kF32, "16x16x32 e4m3 f32"},
          {"rate_warp", "rate_tf32_f32", "rate_tf32_f32", Unit::kWarp, kTf32, kF32, ""},
          {"rate_group", "rate_wgmma", "rate_wgmma_f16_f32", Unit::kGroup, kF16, kF32, ""},
          {"rate_group", "rate_wgmma", "rate_wgmma_f16_f16", Unit::kGroup, kF16, kF16, ""},
          {"rate_group", "rate_wgmma", "rate_wgmma_bf16_f32", Unit::kGroup, kBf16, kF32, ""},
          {"rate_group", "rate_wgmma", "rate_wgmma_s8_s32", Unit::kGroup, kS8, kS32, ""},
          {"rate_group", "rate_wgmma", "rate_wgmma_e4m3_f32", Unit::kGroup, kE4m3, kF32, ""}};
}

double sign(std::uint32_t stream, std::uint64_t i) {
  return (bench::random_bits(1, kSignStream + stream, i) & 1U) != 0 ? 1 : -1;
}

// A0 is of 1 and -1; A1 = -A0 but for its first column, which is 0. So the sums stay small in between, and end as `turns` times
// the first column of A0 times that of B: 2000 at most, exact in every type, and no other for a turn more or less.
struct Operands {
  Words a;
  Words b;
  Words sums;  // a unit's, after so many turns
};

Operands operands_of(const MatrixRate& rate, std::uint32_t turns) {
  const std::size_t rows = rate.rows();
  const std::size_t columns = rate.columns();
  const std::size_t depth = rate.depth();
  Operands made = {words_for(2 * rows * depth, rate.in), words_for(columns * depth, rate.in),
                   words_for(rows * columns, rate.sums)};
  for (std::size_t i = 0; i < rows * depth; ++i) {
    put(made.a, i, sign(0, i), rate.in);
    put(made.a, rows * depth + i, i % depth == 0 ? 0 : -sign(0, i), rate.in);
  }
  for (std::size_t i = 0; i < columns * depth; ++i) put(made.b, i, sign(1, i), rate.in);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      put(made.sums, i * columns + j, turns * sign(0, i * depth) * sign(1, j * depth), rate.sums);
  }
  return made;
}

// A launch whose blocks fill the GPU so many times.
std::uint32_t grid_of(const bench::Plan& plan, std::uint32_t blocks_an_sm) {
  return plan.smoke || plan.multiprocessors == 0 ? 4 : plan.multiprocessors * blocks_an_sm;
}

// Six steps, the same for both APIs: kernel, inputs, poisoned output, one run, verification, the subject to be timed.
bench::Prepared set_up(Workbench& bench, const MatrixRate& rate, std::uint32_t grid, std::uint32_t turns) {
  want_subgroups(bench.device().info());
  const std::uint32_t units = grid * rate.units_a_block();
  const Operands operands = operands_of(rate, turns);
  Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp07(), rate.stem),
                                 .entry = rate.entry,
                                 .block_x = EXP07_RATE_BLOCK,
                                 .buffers = 3,
                                 .params_bytes = sizeof(RateParams),
                                 .vulkan = {.binding = bench::BufferBinding::kAddress,
                                            .matrix = std::string(rate.matrix),
                                            .other_matrix = halves(bench::kernels::exp07(), rate.stem, {rate.in, rate.sums})}});
  const std::string name = fmt::format("rate {} {} by {}", rate.rows(), name_of(rate.in), rate.columns());
  bench::Buffer& output = bench.output("sums", units * operands.sums.size());
  launch.buffers = {&bench.made_input(name + ", A", operands.a.size(), copy_of(operands.a)),
                    &bench.made_input(name + ", B", operands.b.size(), copy_of(operands.b)), &output};
  launch.params = bench::params_bytes(RateParams{turns, 0});
  launch.grid = {grid, 1, 1};
  bench.device().run(launch);
  bench::verify<std::uint32_t>(bench, fmt::format("{} of {}, {} units, {} turns", name, name_of(rate.sums), units, turns),
                               output, units * operands.sums.size(), bench::kGuardWords,
                               [&](std::uint64_t i) { return operands.sums[i % operands.sums.size()]; });
  bench.makes_outputs_anew();
  return metered(bench.device(), bench.device().prepare(launch, {}), rate.operations(units, turns));
}

// ---- Arithmetic
struct ChainRate {
  std::string_view variant;
  std::string_view cuda_stem;
  std::string_view vulkan_stem;
  Number number;             // of a chain
  std::uint32_t lanes;       // numbers in one: 2 of a half2
  double operations;         // of a step
  bool is_unsigned = false;  // of kS8: the bytes and the sums
  bool in_pairs = false;     // see glsl/rate_chain.glsl

  std::string_view in() const { return is_unsigned ? "u8" : name_of(number); }
  std::string_view sums() const { return number != Number::kS8 ? name_of(number) : is_unsigned ? "u32" : "s32"; }
};

constexpr std::uint32_t kChainBlock = 256;
constexpr std::uint32_t kChainBlocksAnSm = 8;
constexpr std::uint32_t kChainTurns = 500;  // the dot products' sums then stay below 2^31: 500 * 8 * 255 * (1 + 127 + 128 + 85)
constexpr std::uint32_t kDotFactor = 0x017f8055;

std::vector<ChainRate> chain_rates() {
  using enum Number;
  return {{"rate_fma", "rate_fma_f32", "rate_fma_f32", kF32, 1, 2},
          {"rate_fma", "rate_fma_half2", "rate_fma_half2", kF16, 2, 4},
          {"rate_fma", "rate_fma_f64", "rate_fma_f64", kF64, 1, 2},
          {"rate_dot_add", "rate_dot_s8", "rate_dot_s8", kS8, 1, 8},
          {"rate_dot_acc", "rate_dot_s8", "rate_dot_acc_s8", kS8, 1, 8},
          {"rate_dot_vec", "rate_dot_s8", "rate_dot_vec_s8", kS8, 1, 8},
          {"rate_dot_unsigned", "rate_dot_u8", "rate_dot_u8", kS8, 1, 8, true},
          {"rate_dot_pair_add", "rate_dot_pair_s8", "rate_dot_pair_s8", kS8, 1, 8, false, true},
          {"rate_dot_pair_acc", "rate_dot_pair_s8", "rate_dot_pair_acc_s8", kS8, 1, 8, false, true}};
}

std::uint32_t dot(std::uint32_t a, std::uint32_t b, bool is_unsigned) {
  std::uint32_t sum = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const auto x = static_cast<std::uint8_t>(a >> 8 * byte);
    const auto y = static_cast<std::uint8_t>(b >> 8 * byte);
    sum += is_unsigned ? std::uint32_t{x} * y
                       : static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(x)} * static_cast<std::int8_t>(y));
  }
  return sum;
}

// The sum of a lane's chains of dot products.
std::uint32_t dots_of(const ChainRate& rate, std::uint32_t lane, std::uint32_t steps) {
  std::array<std::uint32_t, EXP07_CHAINS> x = {};
  for (std::uint32_t chain = 0; chain < EXP07_CHAINS; ++chain) x[chain] = lane + 32 * chain;
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t chain = 0; chain < EXP07_CHAINS; ++chain)
      x[chain] += dot(x[rate.in_pairs ? chain ^ 1U : chain], kDotFactor, rate.is_unsigned);
  }
  return std::accumulate(x.begin(), x.end(), 0U);
}

// The words that 32 lanes store. f32 and f64 add 1 a step, a half2 goes from x to 1 - x and back: all exact.
Words chains_of(const ChainRate& rate, std::uint32_t turns) {
  Words words;
  const std::uint32_t steps = turns * EXP07_STEPS_A_TURN;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    double sum = 0;
    for (std::uint32_t chain = 0; chain < EXP07_CHAINS; ++chain) {
      const std::uint32_t first = lane + 32 * chain;
      sum += rate.number == Number::kF16 ? first : first + steps;
    }
    if (rate.number == Number::kS8) {
      words.push_back(dots_of(rate, lane, steps));
    } else if (rate.number == Number::kF64) {
      const auto bits = std::bit_cast<std::uint64_t>(sum);
      words.push_back(static_cast<std::uint32_t>(bits));
      words.push_back(static_cast<std::uint32_t>(bits >> 32));
    } else {
      words.push_back(encode(sum, rate.number) * (rate.lanes == 2 ? 0x10001U : 1U));
    }
  }
  return words;
}

// m and c.
Words factors_of(const ChainRate& rate) {
  if (rate.number == Number::kS8) return {kDotFactor, 0};
  if (rate.number == Number::kF32) return {encode(1, Number::kF32), encode(1, Number::kF32)};
  if (rate.number == Number::kF16) return {encode(-1, Number::kF16) * 0x10001U, encode(1, Number::kF16) * 0x10001U};
  const auto one = std::bit_cast<std::uint64_t>(1.0);
  const auto high = static_cast<std::uint32_t>(one >> 32);
  return {0, high, 0, high};
}

bench::Prepared set_up(Workbench& bench, const ChainRate& rate, std::uint32_t grid, std::uint32_t turns) {
  const Words factors = factors_of(rate);
  const Words expected = chains_of(rate, turns);
  const std::uint64_t words = std::uint64_t{grid} * kChainBlock * expected.size() / 32;
  Launch launch;
  launch.kernel = &bench.kernel({.block_x = kChainBlock,
                                 .buffers = 2,
                                 .params_bytes = sizeof(RateParams),
                                 .cuda = {.own = {.from = bench::kernels::exp07(),
                                                  .stem = std::string(rate.cuda_stem),
                                                  .entry = std::string(rate.cuda_stem)}},
                                 .vulkan = {.own = {.from = bench::kernels::exp07(),
                                                    .stem = std::string(rate.vulkan_stem),
                                                    .entry = std::string(rate.vulkan_stem)},
                                            .binding = bench::BufferBinding::kAddress}});
  bench::Buffer& output = bench.output("results", words);
  launch.buffers = {&bench.made_input(fmt::format("factors of {}", name_of(rate.number)), factors.size(), copy_of(factors)),
                    &output};
  launch.params = bench::params_bytes(RateParams{turns, 0});
  launch.grid = {grid, 1, 1};
  bench.device().run(launch);
  bench::verify<std::uint32_t>(bench, fmt::format("chains of {}, {} turns", name_of(rate.number), turns), output, words,
                               bench::kGuardWords, [&](std::uint64_t i) { return expected[i % expected.size()]; });
  bench.makes_outputs_anew();
  const double steps = static_cast<double>(EXP07_CHAINS) * EXP07_STEPS_A_TURN * turns;
  return metered(bench.device(), bench.device().prepare(launch, {}), rate.operations * steps * grid * kChainBlock);
}

void complete(bench::Case& one, double operations, std::uint64_t elements) {
  one.model = {{"operations", static_cast<std::uint64_t>(operations)}};
  one.elements = elements;
  one.host_samples = 2;
  one.budget_part = 0.3;
  one.vulkan = {.matrix_units = true};
}

}  // namespace

std::vector<bench::Case> rate_cases(const bench::Plan& plan) {
  std::vector<bench::Case> list;
  const bool few = plan.smoke || plan.cpu;
  for (const MatrixRate& rate : matrix_rates()) {
    const std::uint32_t grid = grid_of(plan, rate.blocks_an_sm());
    const std::uint32_t turns = few ? kFewTurns : kTurns;
    bench::Case one = bench::twin(std::string(rate.variant), {{"in", name_of(rate.in)}, {"sums", name_of(rate.sums)}},
                                  [=](Workbench& bench) { return set_up(bench, rate, grid, turns); });
    if (rate.matrix.empty()) one.apis = {{bench::cuda::kApi}};
    complete(one, rate.operations(grid * rate.units_a_block(), turns), grid * rate.units_a_block());
    list.push_back(one);
  }
  for (const ChainRate& rate : chain_rates()) {
    const std::uint32_t grid = grid_of(plan, kChainBlocksAnSm);
    const std::uint32_t turns = few ? kFewTurns : kChainTurns;
    bench::Case one = bench::twin(std::string(rate.variant), {{"in", rate.in()}, {"sums", rate.sums()}},
                                  [=](Workbench& bench) { return set_up(bench, rate, grid, turns); });
    const double steps = static_cast<double>(EXP07_CHAINS) * EXP07_STEPS_A_TURN * turns;
    complete(one, rate.operations * steps * grid * kChainBlock, std::uint64_t{grid} * kChainBlock);
    list.push_back(one);
  }
  return list;
}
