// Work that the device decides about: whether a kernel runs (guarded), how often (repeated), and graphs that a kernel launches.
#pragma once

#include <cstdint>

#include "core/experiment/verify.h"
#include "sides.h"

// Of the words that blocks leave: a loop has room for kMostSteps steps, and what it does not do stays untouched.
inline std::uint64_t decided_words(const Config& config) {
  return std::uint64_t{config.is_loop() ? kMostSteps : config.dispatches} * config.blocks;
}
inline std::uint32_t decided_word(const Config& config, std::uint64_t i) {
  if (config.way == DispatchMethod::kNotTaken) return EXP08_NOT_RUN;
  const bool is_done = i < std::uint64_t{config.dispatches} * config.blocks;
  return is_done ? EXP08_TAG(static_cast<std::uint32_t>(i)) : bench::kPoison;
}
// Of the state, after a loop or launches.
inline std::uint32_t decided_state(const Config& config, std::uint64_t i) {
  return i == EXP08_STATE_DONE ? config.dispatches : 0;
}

// The parameters of the kernels that decide, for dispatch i or a loop's beginning or step.
inline DecideParams decide_params(const Config& config, std::uint32_t i, const Decision& decision) {
  return {i * config.blocks, config.blocks, config.way == DispatchMethod::kNotTaken ? 0U : 1U, decision};
}
inline AdvanceParams advance_params(const Config& config, bool begins, const Decision& decision) {
  return {begins ? 1U : 0U, config.dispatches, config.blocks, decision};
}
inline Decision decision_for(std::uint64_t target) {
  return {static_cast<std::uint32_t>(target), static_cast<std::uint32_t>(target >> 32)};
}

const bench::Kernel& load_kernel(bench::Workbench& bench, const char* image, const char* entry, std::uint32_t buffers,
                                 std::size_t params_bytes);
// `work`, as this device has it for such a way.
const bench::Kernel& load_work(bench::Workbench& bench, const Config& config);
// Of guarded and repeated: kernels, poisoned outputs, one run, verification, the subject to be timed.
std::unique_ptr<bench::Subject> set_up_decided(bench::Workbench& bench, const Config& config);
