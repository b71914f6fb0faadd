// The litmus tests as data: who does what, which outcomes some interleaving explains, and which the memory models forbid.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "params.h"

namespace litmus {

enum class Placement : std::uint8_t {
  kSelf = LITMUS_SELF,
  kBlock = LITMUS_BLOCK,
  kCluster = LITMUS_CLUSTER,
  kBlocks = LITMUS_BLOCKS
};
// "self", "block", "cluster", "blocks".
std::string_view to_string(Placement placement);

enum class Strength : std::uint8_t {
  kRelaxed = LITMUS_RELAXED,
  kReleaseAcquire = LITMUS_RELEASE_ACQUIRE,
  kFence = LITMUS_FENCE,
  kFenceSc = LITMUS_FENCE_SC,
  kFenceBlock = LITMUS_FENCE_BLOCK,
  kFenceScBlock = LITMUS_FENCE_SC_BLOCK,
  kWeak = LITMUS_WEAK,
  kRelaxedBlock = LITMUS_RELAXED_BLOCK,
};
// "relaxed", "release_acquire", ...: the ending of the CUDA entry's name.
std::string_view to_string(Strength strength);
// GLSL can say it, too.
bool in_vulkan(Strength strength);

// One access of a role: a load into a register, or a store of a value (1 or 2).
struct Access {
  bool is_load = false;
  std::uint32_t plane = 0;    // 0: x, 1: y
  std::uint32_t operand = 0;  // the register's number, or the value
};

// What orders a test's accesses, if anything does.
enum class Family : std::uint8_t {
  kCausal,     // release and acquire, or acquire-release fences
  kTotal,      // sequentially consistent fences only
  kCoherence,  // one word: relaxed accesses as they are
  kVisible,    // no order is asked for: is a flag seen at all?
};

struct Test {
  std::string_view name;  // CSV variant, and stem of its kernels; of those in clusters: "cluster"
  std::string_view text;
  Family family{};
  std::vector<std::vector<Access>> roles;
  std::uint32_t first_roles = 1;  // played by the kernel's `first`; the others by `second`
  bool either_first = true;       // a thread may play `second` before `first`
  std::uint32_t finals = 0;       // bit 0: what x holds in the end is part of the outcome; bit 1: y
  bool polls = false;             // register 0 is a flag that is looked for a bounded number of times
  std::vector<Strength> strengths;
  std::string_view control;  // the test whose relaxed (CoRR: weak) outcomes show that this GPU reorders under the same stress
};

std::span<const Test> tests();
const Test& test(std::string_view name);

// Outcomes are coded as in params.h: a digit to the base 4 for each register, then x and y.
constexpr std::uint32_t digit(std::uint32_t outcome, std::uint32_t place) { return outcome >> 2 * place & 3; }
// The digits a test has, a bit each: LitmusParams::used.
std::uint32_t used_digits(const Test& test);
// Every outcome that some interleaving of the roles, each in its own order, leads to.
std::set<std::uint32_t> sequential_outcomes(const Test& test);
// What one thread sees that plays all roles itself, `second` before `first` or after.
std::uint32_t outcome_in_order(const Test& test, bool second_first);

enum class Kind : std::uint8_t {
  kSequential,
  kWeak,        // no interleaving explains it, but every load found a value that was there at some time
  kImpossible,  // a value that nobody stored, or a register that nobody wrote: the test itself is broken
};
// For the outcomes of one test.
class Classifier {
 public:
  explicit Classifier(const Test& test);
  Kind kind(std::uint32_t outcome) const;

 private:
  const Test& test_;
  std::set<std::uint32_t> sequential_;
};

// Whether the weak outcomes of a test may happen, and who says so.
struct Rule {
  Family family{};
  Strength strength{};
  bool in_scope = true;  // of strengths at block scope: the roles are in one block
  bool forbidden = false;
  std::string_view ptx;     // PTX ISA, "Memory Consistency Model": the axiom, by its name there
  std::string_view vulkan;  // Vulkan specification, appendix "Memory Model"; empty where Vulkan cannot say it
};
std::span<const Rule> rules();
const Rule& rule(const Test& test, Strength strength, Placement placement);

}  // namespace litmus
