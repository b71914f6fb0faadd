#include "core/code/nv_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/code/machine_code.h"
#include "synthetic_code.h"

namespace bench {
namespace {

using testing::HasSubstr;

const Bytes kCode = Bytes().instruction(kNop).instruction(kExit).instruction(kSelfBranchSm90).instruction(kNop);
const Bytes kObject = nvuc({{0x70, Bytes().text("constants and such..")}, {1, kCode}, {0x20, Bytes().text("symbols.")}});
const Bytes kCache = nv_cache_of(kObject);

bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

void expect_code(const KernelCode& found) {
  EXPECT_EQ(found.reason, "");
  EXPECT_TRUE(same(found.code, kCode.view()));
  EXPECT_TRUE(same(found.container, kObject.view()));
}

// No code, and a reason that says `text`.
void expect_none(const KernelCode& found, const std::string& text) {
  EXPECT_TRUE(found.code.empty());
  EXPECT_THAT(found.reason, HasSubstr(text));
}

Bytes cut(const Bytes& whole, std::size_t size) { return Bytes().raw(whole.view().data(), size); }

TEST(NvCache, GivesTheCode) { expect_code(read_nv_cache(kCache.view())); }

// What vkGetPipelineCacheData gave on an H200 (driver 580.159.04); the hash is of the code that nvdisasm listed.
TEST(NvCache, ReadsWhatADriverWrote) {
  const auto read = [](const char* name) {
    std::ifstream file(std::filesystem::path(BENCH_TEST_CORPUS) / name, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    const std::string bytes = text.str();
    return read_nv_cache(std::as_bytes(std::span(bytes)));
  };
  const KernelCode copy = read("h200_copy_f32_cache.bin");
  EXPECT_EQ(copy.reason, "");
  EXPECT_EQ(copy.code.size(), 384U);
  EXPECT_EQ(without_padding(copy.code).size(), 15U * 16);
  EXPECT_EQ(isa_hash(copy.code), "d45c342582c6");
  const KernelCode chase = read("h200_chase_cache.bin");
  EXPECT_EQ(chase.reason, "");
  EXPECT_EQ(chase.code.size(), 1408U);
  const KernelCode empty = read("h200_empty_cache.bin");
  EXPECT_EQ(empty.reason, "");
  EXPECT_EQ(without_padding(empty.code).size(), 16U);
}

TEST(NvCache, FindsThePartsWhereverTheyAre) {
  const Bytes content = Bytes().text("another driver's header NVDANVVM").fill_to(77).bytes(kObject);
  Bytes cache = Bytes().u32(48).u32(1).u32(0x10de).fill_to(200).text("CPKV").u32(static_cast<std::uint32_t>(content.size()));
  cache.bytes(zstd_frame(content)).text("and more behind");
  expect_code(read_nv_cache(cache.view()));
}

TEST(NvCache, AnyTruncationIsAReason) {
  for (std::size_t size = 0; size < kCache.size(); ++size) {
    const KernelCode found = read_nv_cache(cut(kCache, size).view());
    EXPECT_TRUE(found.code.empty()) << size;
    EXPECT_FALSE(found.reason.empty()) << size;
  }
}

TEST(NvCache, AnyFlippedBitGivesCodeOrAReason) {
  for (std::size_t bit = 0; bit < kCache.size() * 8; ++bit) {
    std::vector<std::byte> damaged(kCache.view().begin(), kCache.view().end());
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    const KernelCode found = read_nv_cache(damaged);
    EXPECT_EQ(found.code.empty(), !found.reason.empty()) << bit;
  }
}

TEST(NvCache, SaysWhatIsWrong) {
  expect_none(read_nv_cache({}), "no pipeline cache header");
  expect_none(read_nv_cache(Bytes(kCache).set_u32(4, 2).view()), "header of version 1");
  expect_none(read_nv_cache(Bytes(kCache).set_u32(0, 31).view()), "header of version 1");
  expect_none(read_nv_cache(Bytes(kCache).set_u32(0, 0xffffffff).view()), "header of version 1");
  expect_none(read_nv_cache(Bytes(kCache).set_u32(8, 0x1002).view()), "vendor 0x1002, not of NVIDIA");
  expect_none(read_nv_cache(cut(kCache, 32).view()), "no entry with the magic CPKV");
  expect_none(read_nv_cache(Bytes(kCache).set_u32(56, 0).view()), "no entry with the magic CPKV");
  expect_none(read_nv_cache(Bytes(kCache).set_u32(100, 0).view()), "no zstd frame");
  expect_none(read_nv_cache(cut(kCache, kCache.size() - 1).view()), "cut short");
  expect_none(read_nv_cache(nv_cache_of(Bytes().text("an ELF file, say")).view()), "no object with the magic NVuc");
}

TEST(NvCache, ASizeThatLiesIsAReason) {
  const std::size_t size = kObject.size() + 8;
  for (const std::size_t claimed : {size - 1, size + 1, std::size_t{0}}) {
    expect_none(read_nv_cache(Bytes(kCache).set_u32(kSizeOffset, static_cast<std::uint32_t>(claimed)).view()),
                "does not hold the " + std::to_string(claimed) + " bytes it announces");
  }
  expect_none(read_nv_cache(Bytes(kCache).set_u32(kSizeOffset, 0xffffffff).view()), "4294967295 bytes, which is more than");
}

// 64 KiB of frame that would become 1 GiB of zeros: no more comes out than is announced, and no more is announced than is sane.
TEST(NvCache, ABombDoesNotGoOff) {
  const Bytes bomb = zstd_frame(Bytes().fill_to(std::size_t{1} << 30));
  ASSERT_LT(bomb.size(), 100000U);
  expect_none(read_nv_cache(nv_cache(bomb, std::size_t{1} << 30).view()), "more than the 67108864 that are sane");
  expect_none(read_nv_cache(nv_cache(bomb, 1000).view()), "does not hold the 1000 bytes");
}

TEST(Nvuc, GivesTheCode) { expect_code(read_nvuc(kObject.view())); }

TEST(Nvuc, ACutTableOrSectionIsAReason) {
  const std::size_t code_end = kObject.size() - 8;  // the last section holds "symbols."
  for (std::size_t size = 0; size < code_end; ++size) {
    const KernelCode found = read_nvuc(cut(kObject, size).view());
    EXPECT_TRUE(found.code.empty()) << size;
    EXPECT_FALSE(found.reason.empty()) << size;
  }
  EXPECT_EQ(read_nvuc(cut(kObject, code_end).view()).reason, "");
}

TEST(Nvuc, SizesAndOffsetsAreChecked) {
  constexpr std::size_t kSize = 32 + 32 + 4;    // of the second section
  constexpr std::size_t kOffset = 32 + 32 + 8;  // likewise
  for (const std::uint32_t wrong : {0U, 17U, 0xfffffff0U}) {
    expect_none(read_nvuc(Bytes(kObject).set_u32(kSize, wrong).view()), "no run of 16-byte instructions");
  }
  for (const std::uint32_t wrong : {static_cast<std::uint32_t>(kObject.size()) - 15, 0xfffffff0U}) {
    expect_none(read_nvuc(Bytes(kObject).set_u32(kOffset, wrong).view()), "no run of 16-byte instructions");
  }
  expect_none(read_nvuc(Bytes(kObject).set_u32(8, 0xffff).view()), "section table is cut short");
  expect_none(read_nvuc(Bytes(kObject).set_u32(8, 1).view()), "no code section");
  expect_none(read_nvuc(nvuc({{1, kCode}, {1, kCode}}).view()), "more than one code section");
  expect_none(read_nvuc(Bytes().text("ELF").view()), "no object with the magic NVuc");
}

}  // namespace
}  // namespace bench
