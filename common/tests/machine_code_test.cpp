#include "core/code/machine_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "synthetic_code.h"

namespace bench {
namespace {

TEST(MachineCode, ReadsInsideOnly) {
  const Bytes bytes = Bytes().text("abc").u32(7);
  EXPECT_EQ(read_at<std::uint32_t>(bytes.view(), 3), 7U);
  EXPECT_EQ(read_at<std::uint32_t>(bytes.view(), 4), std::nullopt);
  EXPECT_EQ(read_at<std::uint32_t>(bytes.view(), ~std::size_t{0}), std::nullopt);
  EXPECT_EQ(part_of(bytes.view(), 3, 4)->size(), 4U);
  EXPECT_TRUE(part_of(bytes.view(), 7, 0).has_value());
  EXPECT_FALSE(part_of(bytes.view(), 8, 0).has_value());
  EXPECT_FALSE(part_of(bytes.view(), 1, ~std::size_t{0}).has_value());
}

TEST(MachineCode, FindsMagics) {
  const Bytes bytes = Bytes().text("xNVuNVucNVuc");
  EXPECT_EQ(find_magic(bytes.view(), "NVuc"), 4U);
  EXPECT_EQ(find_magic(bytes.view(), "NVuc", 5), 8U);
  EXPECT_EQ(find_magic(bytes.view(), "NVuc", 9), std::nullopt);
  EXPECT_EQ(find_magic(bytes.view(), "NVuc", 100), std::nullopt);
}

TEST(ElfSection, IsFoundByItsWholeName) {
  const Bytes code = Bytes().instruction(kExit).instruction(kNop);
  const Bytes file = elf({{".text.add_f32x4", Bytes().text("other")}, {".text.add_f32", code}, {".text.empty", {}}});
  const auto found = elf_section(file.view(), ".text.add_f32");
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(std::equal(found->begin(), found->end(), code.view().begin(), code.view().end()));
  EXPECT_EQ(elf_section(file.view(), ".text.add_f32x4")->size(), 5U);
  EXPECT_EQ(elf_section(file.view(), ".text.empty")->size(), 0U);
  EXPECT_EQ(elf_section(file.view(), ".text.add"), std::nullopt);
  EXPECT_EQ(elf_section(file.view(), "text.add_f32"), std::nullopt);
}

TEST(ElfSection, RefusesTwoOfOneName) {
  const Bytes file =
      elf({{".text.k", Bytes().instruction(kExit)}, {".text.k", Bytes().instruction(kNop)}, {".text.l", Bytes().text("l")}});
  EXPECT_EQ(elf_section(file.view(), ".text.k"), std::nullopt);
  EXPECT_TRUE(elf_section(file.view(), ".text.l").has_value());
  KernelCode code;
  take_cubin(file.view(), "k", code);
  EXPECT_TRUE(code.code.empty());
  EXPECT_EQ(code.reason, "the cubin has not exactly one section .text.k");
}

TEST(ElfSection, RefusesEveryTruncation) {
  const Bytes whole = elf({{".text.k", Bytes().instruction(kExit)}});
  ASSERT_TRUE(elf_section(whole.view(), ".text.k").has_value());
  for (std::size_t size = 0; size < whole.view().size(); ++size) {
    const std::vector<std::byte> cut(whole.view().begin(), whole.view().begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(elf_section(cut, ".text.k"), std::nullopt) << size;  // the section headers are at the end
  }
}

TEST(ElfSection, SurvivesEveryFlippedBit) {
  const Bytes whole = elf({{".text.k", Bytes().instruction(kExit)}});
  for (std::size_t bit = 0; bit < whole.view().size() * 8; ++bit) {
    std::vector<std::byte> damaged(whole.view().begin(), whole.view().end());
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_LE(elf_section(damaged, ".text.k").value_or(std::span<const std::byte>()).size(), damaged.size()) << bit;
  }
}

TEST(WithoutPadding, DropsTrailingNopsAndTheBranchToItself) {
  const Bytes bare = Bytes().instruction(kNop).instruction(kExit);
  for (const Instruction& branch : {kSelfBranchSm80, kSelfBranchSm90}) {
    Bytes code = bare;
    code.instruction(branch).instruction(kNop).instruction(kNop);
    EXPECT_EQ(without_padding(code.view()).size(), bare.view().size());
    EXPECT_EQ(isa_hash(code.view()), isa_hash(bare.view()));
  }
  EXPECT_EQ(without_padding(bare.view()).size(), bare.view().size()) << "a NOP in front stays";
}

TEST(WithoutPadding, KeepsEverythingElse) {
  const Instruction backward = {kSelfBranchSm90[0] - (std::uint64_t{16} << 16), kSelfBranchSm90[1]};  // 16 * 4 bytes further up
  for (const Instruction& last : {kExit, backward}) {
    const Bytes code = Bytes().instruction(kExit).instruction(last);
    EXPECT_EQ(without_padding(code.view()).size(), 32U);
  }
  const Bytes odd = Bytes().instruction(kNop).text("x");
  EXPECT_EQ(without_padding(odd.view()).size(), 17U) << "no run of instructions";
  EXPECT_TRUE(without_padding({}).empty());
}

TEST(IsaHash, IsFnv1a) {
  // Published vectors of FNV-1a, 64 bits: "a" af63dc4c8601ec8c, "foobar" 85944171f73967e8.
  EXPECT_EQ(isa_hash(Bytes().text("a").view()), "af63dc4c8601");
  EXPECT_EQ(isa_hash(Bytes().text("foobar").view()), "85944171f739");
  EXPECT_EQ(isa_hash({}), "");
  EXPECT_EQ(isa_hash(Bytes().instruction(kNop).view()), "cbf29ce48422") << "nothing but padding is no lack of code";
  EXPECT_NE(isa_hash(Bytes().instruction(kExit).view()), isa_hash(Bytes().instruction(kExit).instruction(kExit).view()));
}

}  // namespace
}  // namespace bench
