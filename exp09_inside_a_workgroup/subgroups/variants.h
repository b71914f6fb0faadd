// The experiment's table: the operations, by the names of both APIs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "params.h"

struct Operation {
  const char* name;
  std::uint32_t number;
  bool basic;    // in every device that the suite takes
  bool of_some;  // also of the even lanes alone
};

inline constexpr Operation kOperations[] = {
    {"none", EXP09_NONE, true, true},
    {"shuffle", EXP09_SHUFFLE, false, false},
    {"shuffle_xor", EXP09_SHUFFLE_XOR, false, false},
    {"shuffle_up", EXP09_SHUFFLE_UP, false, false},
    {"rotate", EXP09_ROTATE, false, false},
    {"broadcast", EXP09_BROADCAST, true, true},
    {"ballot", EXP09_BALLOT, true, true},
    {"all", EXP09_ALL, true, true},
    {"any", EXP09_ANY, true, true},
    {"add", EXP09_ADD, true, true},
    {"add_shuffles", EXP09_ADD_SHUFFLES, false, false},
    {"min", EXP09_MIN, true, true},
    {"and", EXP09_AND, true, true},
    {"add_float", EXP09_ADD_FLOAT, true, false},
    {"exclusive_add", EXP09_EXCLUSIVE_ADD, true, false},
    {"clustered_add", EXP09_CLUSTERED_ADD, false, false},
    {"quad_swap", EXP09_QUAD_SWAP, false, false},
};

// One row of the CSV, or two twins.
struct Config {
  const Operation* operation = nullptr;
  bool rate = false;  // a full GPU's; else one subgroup's chain
  bool even = false;  // of the even lanes alone, behind a branch
  bool full = false;  // Vulkan alone: the pipeline asks for full subgroups
  std::uint32_t sms = 0;
  bool small = false;  // for a CPU, or the smoke test

  std::string variant() const { return rate ? "rate" : "chain"; }
  std::string glsl_stem() const { return std::string(operation->basic ? "basic_" : "more_") + variant(); }
  std::string_view cuda_stem() const { return operation->basic ? "basic" : "more"; }
  std::string entry() const;
  std::uint32_t block() const { return rate ? 256 : 32; }
  std::uint32_t blocks() const { return !rate ? 1 : small ? 4 : sms * 8; }
  std::uint32_t steps() const { return small ? 16 : rate ? 128 : 4096; }
  std::uint64_t operations() const;  // of threads, in a launch
};

std::vector<Config> all_configs(const bench::Plan& plan);
