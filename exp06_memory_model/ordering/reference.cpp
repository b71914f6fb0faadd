#include "reference.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>

#include "core/base/error.h"
#include "core/experiment/verify.h"

namespace {

constexpr std::size_t kReportWords = 6;  // see params.h, EXP06_OUT_*

// No GPU's L1 answers a load sooner: 28 cycles on Volta are the fewest published (Jia et al. 2018), 40 on Hopper. A step of a
// chain holds a load or more; one that takes less is not what the kernel says, but what a compiler left of it.
constexpr double kFewestCycles = 20;

std::array<std::uint32_t, kReportWords> report(bench::Workbench& bench, const bench::Buffer& out) {
  std::array<std::uint32_t, kReportWords> words{};
  bench.device().download(out, 0, std::as_writable_bytes(std::span(words)));
  return words;
}

// What a chain's last operation returns.
std::uint32_t end_of_chain(const Config& config) {
  const auto mask = static_cast<std::uint32_t>(config.words() - 1);
  std::uint32_t value = config.variant->op == Op::kAdd ? 1 : 0;
  std::uint32_t word = 0;
  for (std::uint32_t step = 0; step < config.steps(); ++step) {
    if (config.variant->op == Op::kLoad) {
      value = EXP06_NEXT(value, mask);
    } else if (config.variant->op == Op::kAdd) {
      const std::uint32_t before = word;
      word += value;
      value = before;
    } else {
      ++value;
    }
  }
  return value;
}

void check_chain(bench::Workbench& bench, const bench::Buffer& out, const Config& config) {
  const std::uint32_t found = report(bench, out)[EXP06_OUT_VALUE];
  if (const std::uint32_t expected = end_of_chain(config); found != expected) {
    throw bench::Error("wrong output: the chain of {} operations ends with {}, expected {}", config.steps(), found, expected);
  }
}

// Thread t has the words t, t + threads, ... , visited in turn.
void check_rate(bench::Workbench& bench, const bench::Buffer& data, const bench::Buffer& out, const Config& config) {
  const auto mask = static_cast<std::uint32_t>(config.words() - 1);
  const std::uint32_t threads = config.threads();
  const auto slots = static_cast<std::uint32_t>(config.words() / threads);
  const std::uint32_t laps = config.steps() / slots;
  const Op op = config.variant->op;
  if (op == Op::kLoad || op == Op::kAdd) {
    bench::verify<std::uint32_t>(bench, out, threads, bench::kGuardWords, [&](std::uint64_t thread) {
      std::uint32_t sum = 0;
      auto i = static_cast<std::uint32_t>(thread);
      for (std::uint32_t slot = 0; slot < slots; ++slot, i += threads) {
        sum += op == Op::kLoad ? laps * EXP06_NEXT(i & mask, mask) : laps * (laps - 1) / 2;
      }
      return sum;
    });
  }
  if (op == Op::kLoad) return;
  bench::verify<std::uint32_t>(bench, data, config.words(), bench::kGuardWords, [&](std::uint64_t index) {
    const auto word = static_cast<std::uint32_t>(index);
    if (op == Op::kAdd) return laps;
    const std::uint32_t last = config.steps() - slots + word / threads;
    return static_cast<std::uint32_t>(EXP06_STORED(word, last));
  });
}

void check_fence(bench::Workbench& bench, const bench::Buffer& data, const Config& config) {
  const std::uint64_t stored = std::uint64_t{config.steps()} * config.in_flight_bytes / 4;  // words, from the first on
  bench::verify<std::uint32_t>(bench, data, config.words(), bench::kGuardWords, [&](std::uint64_t index) {
    const auto word = static_cast<std::uint32_t>(index);
    return index < stored ? static_cast<std::uint32_t>(EXP06_STORED(word, 0)) : 0U;
  });
}

// Stale payloads are an error only where the order forbids them.
void check_message(bench::Workbench& bench, const bench::Buffer& out, const Config& config) {
  const auto words = report(bench, out);
  for (const std::uint32_t block : {0U, 1U}) {
    if (const std::uint32_t rounds = words[EXP06_OUT_ROUNDS + block]; rounds != config.steps()) {
      throw bench::Error("block {} waited in vain for message {} of {}: {} polls", block, rounds + 1, config.steps(),
                         kSpins * EXP06_POLLS);
    }
    if (words[EXP06_OUT_STALE + block] != 0 && std::string_view(config.order.name) != "relaxed") {
      throw bench::Error("block {} read {} stale payloads of {}, which {} forbids", block, words[EXP06_OUT_STALE + block],
                         config.steps(), config.order.name);
    }
  }
}

}  // namespace

std::uint64_t out_words(const Config& config) {
  return config.variant->shape == Shape::kRate ? config.threads() : kReportWords;
}

void fill(bench::Workbench& bench, bench::Buffer& data, const Config& config) {
  bench.device().fill(data, 0, config.words() * 4, 0);
  if (config.variant->op != Op::kLoad) return;
  const auto mask = static_cast<std::uint32_t>(config.words() - 1);
  bench.device().write(data, 0, config.words() * 4, [&](std::uint64_t done, std::span<std::byte> chunk) {
    const std::span<std::uint32_t> words(reinterpret_cast<std::uint32_t*>(chunk.data()), chunk.size() / 4);
    auto i = static_cast<std::uint32_t>(done / 4);
    for (std::uint32_t& word : words) {
      word = EXP06_NEXT(i, mask);
      ++i;
    }
  });
}

void start_over(bench::Workbench& bench, bench::Buffer& data, bench::Buffer& out, const Config& config) {
  fill(bench, data, config);
  bench.device().fill(out, 0, out_words(config) * 4, bench::kPoison);
}

void check_report(bench::Workbench& bench, const bench::Buffer& out, const Config& config) {
  if (config.variant->shape == Shape::kChain) check_chain(bench, out, config);
  if (config.variant->shape == Shape::kMessage) check_message(bench, out, config);
}

void check(bench::Workbench& bench, const bench::Buffer& data, const bench::Buffer& out, const Config& config) {
  if (config.variant->shape == Shape::kRate) return check_rate(bench, data, out, config);
  if (config.variant->shape == Shape::kFence) return check_fence(bench, data, config);
  check_report(bench, out, config);
  bench.compared();
}

bool all_rounds_done(bench::Workbench& bench, const bench::Buffer& out, const Config& config) {
  const auto words = report(bench, out);
  return words[EXP06_OUT_ROUNDS] == config.steps() && words[EXP06_OUT_ROUNDS + 1] == config.steps();
}

bench::Values measure(bench::Workbench& bench, const bench::Buffer& out, const Config& config) {
  if (config.variant->shape == Shape::kRate) return {};
  const auto words = report(bench, out);
  if (config.variant->shape != Shape::kMessage) {
    const double cycles = static_cast<double>(words[EXP06_OUT_CYCLES]) / config.steps();
    const bool counts_sm_cycles = bench.device().info().vendor_id == bench::kNvidia;
    if (config.variant->shape == Shape::kChain && counts_sm_cycles && cycles < kFewestCycles) {
      throw bench::Error("a step takes {:.2f} cycles: no load does, so the compiler has left accesses out", cycles);
    }
    return bench.if_counted({{"cycles", cycles}});
  }
  check_message(bench, out, config);
  const auto sm = [&](std::uint32_t block) {
    const std::uint32_t id = words[EXP06_OUT_SM + block];
    return id == bench::kPoison ? std::nullopt : std::optional(id);  // GLSL has no word for it
  };
  bench::Values values = {{"sm_0", sm(0)}, {"sm_1", sm(1)}};
  if (std::string_view(config.variant->entry) == "message_payload") {
    values.set("stale", words[EXP06_OUT_STALE] + words[EXP06_OUT_STALE + 1]);
  }
  return values;
}

std::vector<bench::Column> measured_columns() {
  using bench::Column;
  return {Column::real("cycles", "cycles", "of an operation, by the SM's own clock").optional(),
          Column::integer("stale", "messages", "whose payload was older than their flag").optional(),
          Column::integer("sm_0", "", "the SM of the first block").optional(),
          Column::integer("sm_1", "", "the SM of the second block").optional()};
}
