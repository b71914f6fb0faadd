#include "code_transplant.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/code/machine_code.h"
#include "synthetic_code.h"

namespace bench {
namespace {

using testing::HasSubstr;

// As driver 580 made them: ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x630], PT and ULDC.64 UR4, c[0x0][0x30].
constexpr Instruction kCompare = {0x00018c0000007a0c, 0x000fda0003f06070};
constexpr Instruction kLoadConstant = {0x00000c0000047ab9, 0x000fd80000000a00};
// S2R R1, SR_TID.X
constexpr Instruction kThread = {0x0000000000017919, 0x000e240000002100};

Bytes cubin(std::size_t room) {
  // EIATTR_CBANK_PARAM_SIZE (two bytes in place), then EIATTR_PARAM_CBANK: symbol, offset, size.
  const Bytes info = Bytes().u16(0x1903).u16(32).u16(0x0a04).u16(8).u32(48).u16(0x210).u16(32);
  Bytes code;
  for (std::size_t i = 0; i < room; ++i) code.instruction(kThread);
  return elf({{".nv.info.host", info}, {".text.host", code}, {".text.other", Bytes().instruction(kThread)}});
}

std::optional<std::uint32_t> moved(std::uint32_t offset) {
  if (offset == 0x30) return 0x210;
  if (offset == 0x630) return 0x218;
  return std::nullopt;
}

Transplant put(const Bytes& into, const Bytes& code, const std::vector<std::uint32_t>& read = {}) {
  return transplant("sm_90a", into.view(), "host", code.view(), 16, {moved, read});
}

// As driver 580 made it of a GLSL kernel, on an H200.
Bytes recorded(const std::string& name) {
  std::ifstream file(std::filesystem::path(BENCH_TEST_FIXTURES) / name, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(bytes.empty()) << name;
  return Bytes().text(bytes);
}

// With every constant read at offset `from` read at `to`.
Bytes with_constant(const Bytes& code, std::uint32_t from, std::uint32_t to) {
  Bytes result;
  for (std::size_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
    Instruction words = *read_at<Instruction>(code.view(), at);
    const bool reads = (words[0] >> 9 & 7) == 3 || (words[0] >> 9 & 7) == 5;
    if (reads && (words[0] >> 38 & 0xffff) == from) words[0] += (std::uint64_t{to} - from) << 38;
    result.instruction(words);
  }
  return result;
}

TEST(CodeTransplant, FindsTheParameters) {
  EXPECT_EQ(parameter_offset(cubin(1).view(), "host"), 0x210U);
  EXPECT_EQ(parameter_offset(cubin(1).view(), "other"), std::nullopt);
  EXPECT_EQ(parameter_offset(Bytes().text("no file").view(), "host"), std::nullopt);
}

TEST(CodeTransplant, MovesTheConstantsAndNothingElse) {
  const Bytes host = cubin(6);
  const Bytes code = Bytes()
                         .instruction(kThread)
                         .instruction(kCompare)
                         .instruction(kLoadConstant)
                         .instruction(kExit)
                         .instruction(kSelfBranchSm90);
  const Transplant done = put(host, code);
  ASSERT_EQ(done.reason, "");
  ASSERT_EQ(done.cubin.size(), host.size());
  const Bytes wanted = Bytes()
                           .instruction(kThread)
                           .instruction({0x0000860000007a0c, kCompare[1]})       // c[0x0][0x218]
                           .instruction({0x0000840000047ab9, kLoadConstant[1]})  // c[0x0][0x210]
                           .instruction(kExit)
                           .instruction(kNop)
                           .instruction(kNop);
  const auto found = elf_section(done.cubin, ".text.host");
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(std::equal(found->begin(), found->end(), wanted.view().begin(), wanted.view().end()));
  const auto other = elf_section(done.cubin, ".text.other");
  EXPECT_TRUE(std::equal(other->begin(), other->end(), Bytes().instruction(kThread).view().begin()));
}

TEST(CodeTransplant, RefusesWhatCudaHasNot) {
  const auto reason = [](const Instruction& instruction) { return put(cubin(2), Bytes().instruction(instruction)).reason; };
  EXPECT_THAT(reason({kCompare[0] + (4ULL << 38), kCompare[1]}), HasSubstr("reads c[0x0][0x634]"));
  EXPECT_THAT(reason({kCompare[0] + (3ULL << 54), kCompare[1]}), HasSubstr("reads c[0x3][0x630]"));
  EXPECT_THAT(reason({kThread[0] + (13ULL << 16), kThread[1]}), HasSubstr("more than 16 registers"));
  EXPECT_EQ(reason({kThread[0] + (254ULL << 16), kThread[1]}), "") << "RZ";
  EXPECT_THAT(put(cubin(2), Bytes().instruction(kThread).instruction(kThread).instruction(kExit)).reason,
              HasSubstr("48 bytes of code do not fit 32 bytes"));
  EXPECT_THAT(put(cubin(2), Bytes()).reason, HasSubstr("no instructions"));
  EXPECT_THAT(put(Bytes().text("no file"), Bytes().instruction(kExit)).reason, HasSubstr("no section .text.host"));
}

// add_f32 of three buffers: the address of each, its size, and the count among the push constants.
TEST(CodeTransplant, TrustsALayoutThatTheCodeShows) {
  const std::vector<std::uint32_t> shown = {0x30, 0x40, 0x50, 0x630};
  const ConstantLayout layout = {[](std::uint32_t offset) {
                                   const bool has = (offset >= 0x30 && offset < 0x60) || offset == 0x630;
                                   return has ? std::optional(0x210 + (offset >= 0x630 ? 0x40 : offset - 0x30)) : std::nullopt;
                                 },
                                 shown};
  const auto reason = [&](const Bytes& code) {
    return transplant("sm_90a", cubin(32).view(), "host", code.view(), 16, layout).reason;
  };
  const Bytes code = recorded("add_f32.vulkan.bin");
  EXPECT_EQ(reason(code), "");
  // Sizes elsewhere, and addresses every 8 bytes: all of it inside the old layout, where 0x38 is a size.
  const Bytes packed = with_constant(with_constant(with_constant(code, 0x38, 0x54), 0x40, 0x38), 0x50, 0x44);
  EXPECT_EQ(reason(packed), "the code does not read c[0x0][0x40]: this driver lays out its constants otherwise");
  EXPECT_THAT(reason(with_constant(code, 0x30, 0x34)), HasSubstr("does not read c[0x0][0x30]"));
  EXPECT_THAT(reason(with_constant(code, 0x50, 0x70)), HasSubstr("reads c[0x0][0x70], which a CUDA launch does not have"));
  EXPECT_THAT(reason(with_constant(code, 0x630, 0x640)), HasSubstr("reads c[0x0][0x640]"));
  EXPECT_THAT(reason(with_constant(code, 0x630, 0x58)), HasSubstr("does not read c[0x0][0x630]"));
}

TEST(CodeTransplant, AddressesArePushConstants) {
  const ConstantLayout layout = {[](std::uint32_t offset) { return std::optional(offset - 0x630 + 0x210); },
                                 {0x630, 0x638, 0x640}};
  const Bytes code = recorded("copy_f32_address.vulkan.bin");
  EXPECT_EQ(transplant("sm_90a", cubin(32).view(), "host", code.view(), 16, layout).reason, "");
  EXPECT_THAT(transplant("sm_90a", cubin(32).view(), "host", with_constant(code, 0x638, 0x648).view(), 16, layout).reason,
              HasSubstr("does not read c[0x0][0x638]"));
}

TEST(CodeTransplant, IsForTheArchitecturesWhoseInstructionsItKnows) {
  const Bytes into = cubin(4);
  const auto reason = [&](std::string_view arch) {
    return transplant(arch, into.view(), "host", Bytes().instruction(kThread).view(), 16, {moved, {}}).reason;
  };
  for (const char* arch : {"sm_70", "sm_75", "sm_80", "sm_89", "sm_90", "sm_90a"}) EXPECT_EQ(reason(arch), "") << arch;
  for (const char* arch : {"sm_60", "sm_100", "sm_100a", "sm_120", "gfx90", "sm_", "sm_9"}) {
    EXPECT_EQ(reason(arch), fmt::format("the architecture is {}, and this is for sm_70 to sm_9x", arch));
  }
  EXPECT_THAT(reason(""), HasSubstr("unknown"));
}

}  // namespace
}  // namespace bench
