#include "variants.h"

#include <algorithm>
#include <bit>

#include "core/base/error.h"

std::string_view to_string(Op op) {
  constexpr std::string_view kNames[] = {"add", "min", "exchange", "cas", "exchange_loop", "first", "add_generic", "add_known"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string_view to_string(Type type) {
  constexpr std::string_view kNames[] = {"i32", "i64", "f32", "f64", "f16x2"};
  return kNames[static_cast<std::size_t>(type)];
}

std::uint32_t bytes_of(Type type) { return type == Type::kI64 || type == Type::kF64 ? 8 : 4; }

std::string Config::kernel() const {
  return std::string(shared ? "shared_" : "global_") + std::string(to_string(op)) + "_" + std::string(to_string(type)) +
         (used ? "_used" : "");
}

// One addition succeeds in each round of compare-and-swaps, so that of T threads on one address the last may need T turns a
// step, twice over for luck. Of the exchanges none is in vain. lavapipe ends a kernel's loops after 65535 turns.
std::uint32_t Config::turns() const {
  if (op == Op::kExchangeLoop) return 16384;  // 1024 were too few for 8 of 262,144 threads, once
  const std::uint64_t rivals = std::max<std::uint64_t>(group_threads() / addresses, 1) * steps;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(4 * rivals, 1024, 60000));
}

namespace {

constexpr std::uint32_t kMostHalf = 2048;  // the whole numbers that a half counts up to

// On every GPU as many threads as an H200 holds at once (132 SMs * 2048 = 270336), so that rows of several GPUs are of the same
// work: a smaller GPU takes them in turns. One that holds more gets more: each is full.
constexpr std::uint32_t kLeastThreads = 1U << 18;

void add_rates(std::vector<Config>& configs, bool shared, std::uint32_t threads) {
  const std::uint32_t steps = shared ? 16 : 8;
  const std::vector<std::uint32_t> spread = shared ? std::vector<std::uint32_t>{1, 32, 1024} : std::vector{1U, 1024U, 1U << 20};
  const auto add = [&](Op op, Type type, bool used, const std::vector<std::uint32_t>& addresses) {
    for (const std::uint32_t count : addresses) {
      const Config config{op, type, shared, used, count, threads, steps};
      const std::uint64_t each = std::uint64_t{config.group_threads()} * steps / count;
      // The greatest number that a half must hold: a word's count, or a thread's sum of what came back.
      const std::uint64_t greatest = op == Op::kMin ? 1 : used ? (each - 1) * steps : each;
      if (type != Type::kF16x2 || greatest <= kMostHalf) configs.push_back(config);
    }
  };
  for (const bool used : {false, true}) {
    for (const Type type : {Type::kI32, Type::kI64, Type::kF32, Type::kF64}) add(Op::kAdd, type, used, spread);
  }
  add(Op::kAdd, Type::kF16x2, false, spread);
  if (!shared) {
    add(Op::kAdd, Type::kF16x2, true, spread);
    add(Op::kAddGeneric, Type::kF16x2, false, spread);
    add(Op::kMin, Type::kF16x2, false, {spread.begin() + 1, spread.end()});
    add(Op::kCas, Type::kF16x2, false, spread);
  }
  for (const Type type : {Type::kI32, Type::kI64}) add(Op::kMin, type, false, spread);
  for (const Type type : {Type::kI32, Type::kI64, Type::kF32}) add(Op::kExchange, type, true, spread);
  for (const Type type : {Type::kI32, Type::kF32}) add(Op::kFirst, type, false, {1});
  if (!shared) {
    for (const bool used : {false, true}) add(Op::kAddKnown, Type::kI32, used, {1});
  }
  // A loop on one address of the whole GPU takes the square of its threads: see add_crowds().
  const std::vector<std::uint32_t> loops(spread.begin() + (shared ? 0 : 1), spread.end());
  for (const Type type : {Type::kI32, Type::kI64, Type::kF32, Type::kF64}) add(Op::kCas, type, false, loops);
  add(Op::kExchangeLoop, Type::kF32, false, loops);
}

// Additions of floats, one a thread: all to one address, or each to its own.
void add_crowds(std::vector<Config>& configs, bool small) {
  const auto add = [&](Op op, std::uint32_t addresses, std::uint32_t threads) {
    if (!small || threads <= 1024) configs.push_back({op, Type::kF32, false, false, addresses, threads, 1});
  };
  for (const std::uint32_t threads : {1U << 10, 1U << 11, 1U << 12, 1U << 13}) {
    for (const Op op : {Op::kCas, Op::kExchangeLoop}) add(op, 1, threads);
  }
  for (const std::uint32_t addresses : {1U, 1U << 20}) {
    for (const Op op : {Op::kAdd, Op::kExchangeLoop, Op::kCas}) {
      if (op != Op::kCas || addresses != 1) add(op, addresses, 1U << 20);
    }
  }
}

}  // namespace

std::vector<Config> all_configs(const bench::Plan& plan) {
  const bool small = plan.cpu || plan.smoke;
  const std::uint32_t full = std::max(kLeastThreads, std::bit_floor(plan.resident_blocks(EXP09_BLOCK) * EXP09_BLOCK));
  std::vector<Config> configs;
  for (const bool shared : {false, true}) add_rates(configs, shared, small ? 1U << 10 : full);
  add_crowds(configs, small);
  return configs;
}
