// The experiment's table: branches, loops, functions, sums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "params.h"

enum class Kind : std::uint8_t { kBranch, kLoop, kPrecision, kSum };

struct Function {
  const char* name;
  std::uint32_t number;
  bool precise;  // CUDA has a correctly rounded one by name
  bool fast;     // CUDA has an approximation by name
};
inline constexpr Function kFunctions[] = {
    {"divide", EXP09_DIVIDE, true, true},
    {"sqrt", EXP09_SQRT, true, true},
    {"inverse_sqrt", EXP09_INVERSE_SQRT, true, false},
    {"exp", EXP09_EXP, false, true},
    {"log", EXP09_LOG, false, true},
    {"sin", EXP09_SIN, false, true},
    {"sin_large", EXP09_SIN_LARGE, false, true},
    {"contract", EXP09_CONTRACT, true, false},
};

// One row of the CSV, or two twins.
struct Config {
  Kind kind{};
  std::uint32_t ways = 0;              // branch
  std::uint32_t shift = 0;             // branch: 0 by lane, 5 by warp
  std::string loop;                    // literal_unroll, ...
  const Function* function = nullptr;  // precision
  std::string mode;                    // precision, sum: plain, default, precise, fast
  bool cuda = true;
  bool vulkan = true;
  std::uint32_t sms = 0;
  bool small = false;  // for a CPU, or the smoke test

  std::string variant() const;
  std::string entry() const;
  std::string_view cuda_stem() const;
  std::string glsl_stem() const;
  std::uint32_t block() const { return 256; }
  std::uint32_t blocks() const;
  std::uint32_t threads() const { return block() * blocks(); }
  std::uint32_t steps() const { return small ? 2 : kind == Kind::kBranch ? 16 : 64; }
  std::uint32_t terms() const { return small ? 64 : 1024; }
  std::uint64_t elements() const;  // steps, turns, functions or terms of a launch
};

std::vector<Config> all_configs(const bench::Plan& plan);
