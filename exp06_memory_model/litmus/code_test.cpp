// What ptxas made of the kernels, read from the embedded sm_90a images: no GPU needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "core/code/machine_code.h"
#include "exp06_kernels.h"
#include "tests.h"

namespace litmus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Fields of sm_90's 128-bit instructions, found by compiling and disassembling; the same on sm_100 and sm_120.
constexpr std::uint64_t kLoadGlobal = 0x981;
constexpr std::uint64_t kMembar = 0x992;
constexpr std::uint64_t kInvalidate = 0x98f;  // CCTL
constexpr std::uint64_t kLoadConstant = 0xb82;
constexpr std::uint64_t kBarrier = 0xb1d;

struct Instruction {
  std::uint64_t opcode = 0;
  std::string order;       // of a global load: "weak", "SM", "GPU"
  std::string membar;      // "SC.CTA", "ALL.GPU", ...
  std::uint64_t bank = 0;  // of a constant load
};

Instruction decode(const std::byte* at) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::memcpy(&low, at, sizeof(low));
  std::memcpy(&high, at + sizeof(low), sizeof(high));
  Instruction result{.opcode = low & 0xfff, .order = {}, .membar = {}, .bank = low >> 54 & 31};
  if (result.opcode == kLoadGlobal) {
    const std::uint64_t order = high >> 13 & 15;
    result.order = order == 0 ? "weak" : order == 5 ? "SM" : order == 7 ? "GPU" : "other";
  }
  if (result.opcode == kMembar) {
    const std::uint64_t scope = high >> 12 & 7;
    result.membar = std::string((high >> 15 & 3) == 0 ? "SC." : "ALL.") + (scope == 0 ? "CTA" : scope == 2 ? "GPU" : "other");
  }
  return result;
}

// The code of one entry of a test's kernels for sm_90a; empty if this build has none.
std::vector<Instruction> code_of(std::string_view stem, const std::string& entry) {
  std::vector<Instruction> code;
  for (const bench::CudaImage& image : bench::find_kernel(bench::kernels::exp06(), stem).cuda) {
    if (image.is_ptx || image.major != 9) continue;
    const auto section = bench::elf_section(image.bytes, ".text." + entry);
    if (!section) {
      ADD_FAILURE() << stem << " has no entry " << entry;
      return code;
    }
    for (std::size_t at = 0; at + bench::kInstructionBytes <= section->size(); at += bench::kInstructionBytes) {
      code.push_back(decode(section->data() + at));
    }
  }
  return code;
}

std::size_t loads(const std::vector<Instruction>& code, const std::string& order) {
  return static_cast<std::size_t>(std::ranges::count(code, order, &Instruction::order));
}

std::set<std::string> membars(const std::vector<Instruction>& code) {
  std::set<std::string> kinds;
  for (const Instruction& one : code) {
    if (!one.membar.empty()) kinds.insert(one.membar);
  }
  return kinds;
}

class LitmusCode : public testing::Test {
 protected:
  void SetUp() override {
    if (code_of("mp", "mp_relaxed").empty()) GTEST_SKIP() << "this build has no code for sm_90";
  }
  // Calls check(test, strength, code) for every entry.
  template <class Check>
  void for_each(const Check& check) {
    for (const auto& one : tests()) {
      for (const Strength strength : one.strengths) {
        for (const char* cluster : {"", "_cluster"}) {
          const std::string entry = std::string(one.name) + "_" + std::string(to_string(strength)) + cluster;
          SCOPED_TRACE(entry);
          check(one, strength, code_of(*cluster == '\0' ? one.name : "cluster", entry));
        }
      }
    }
  }
};

TEST_F(LitmusCode, FencesAreOfTheStrengthAndScopeThatTheNameSaysAndThereAreNoOthers) {
  for_each([](const auto&, Strength strength, const std::vector<Instruction>& code) {
    const std::set<std::string> found = membars(code);
    switch (strength) {
      case Strength::kRelaxed:
      case Strength::kWeak:
      case Strength::kRelaxedBlock:
        EXPECT_THAT(found, IsEmpty());
        break;
      case Strength::kReleaseAcquire:  // the releases'
      case Strength::kFence:
        EXPECT_THAT(found, ElementsAre("ALL.GPU"));
        break;
      case Strength::kFenceSc:
        EXPECT_THAT(found, ElementsAre("SC.GPU"));
        break;
      case Strength::kFenceBlock:
        EXPECT_THAT(found, ElementsAre("ALL.CTA"));
        break;
      case Strength::kFenceScBlock:
        EXPECT_THAT(found, ElementsAre("SC.CTA"));
        break;
    }
  });
}

// An L1 line from before an acquire must not answer a load after it.
TEST_F(LitmusCode, OnlyWhatAcquiresAtDeviceScopeInvalidatesTheL1) {
  for_each([](const auto& test, Strength strength, const std::vector<Instruction>& code) {
    const bool has_loads = (used_digits(test) & ((1U << LITMUS_REGISTERS) - 1)) != 0;
    const bool acquires =
        (strength == Strength::kReleaseAcquire && has_loads) || strength == Strength::kFence || strength == Strength::kFenceSc;
    EXPECT_EQ(std::ranges::count(code, kInvalidate, &Instruction::opcode) != 0, acquires);
  });
}

TEST_F(LitmusCode, NoLoadIsMergedWithAnotherOrLeftOut) {
  constexpr std::size_t kStressLoads = 3;  // of the stress, the delay and the wait for the other blocks, all at device scope
  for_each([](const auto& test, Strength strength, const std::vector<Instruction>& code) {
    std::size_t own = 0;
    for (std::uint32_t role = 0; role < test.roles.size(); ++role) {
      const auto in_role = static_cast<std::size_t>(std::ranges::count(test.roles[role], true, &Access::is_load));
      // `second` is there twice: before `first` and after.
      own += in_role * (test.either_first && role >= test.first_roles ? 2 : 1);
    }
    std::size_t plain = strength == Strength::kWeak ? own : 0;
    if (test.name == "handoff") {  // its payload
      plain = 1;
      --own;
    }
    const std::string order = strength == Strength::kRelaxedBlock ? "SM" : strength == Strength::kWeak ? "weak" : "GPU";
    EXPECT_GE(loads(code, order), own + (order == "GPU" ? kStressLoads : 0));
    EXPECT_GE(loads(code, "weak"), plain);
    EXPECT_EQ(loads(code, "other"), 0U);
  });
}

// The constant is loaded where the kernel says: behind the barrier, from an index that is made there.
TEST_F(LitmusCode, TheOverwrittenConstantIsNotLoadedBeforeTheBarrier) {
  constexpr std::uint64_t kBank = 3;  // __constant__ variables; 0 holds the kernel's arguments
  for (const char* entry : {"constant_after_barrier", "constant_read_before"}) {
    const std::vector<Instruction> code = code_of("constant", entry);
    const auto is_load = [](const Instruction& one) { return one.opcode == kLoadConstant && one.bank == kBank; };
    const auto last_barrier = std::ranges::find(code.rbegin(), code.rend(), kBarrier, &Instruction::opcode);
    ASSERT_NE(last_barrier, code.rend()) << entry;
    EXPECT_EQ(std::count_if(last_barrier.base(), code.end(), is_load), 1) << entry;
  }
}

}  // namespace
}  // namespace litmus
