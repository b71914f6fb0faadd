#include "core/code/spirv_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "core/base/error.h"
#include "temp_dir.h"

namespace bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string bytes_of(const std::string& name) {
  std::ifstream file(std::string(BENCH_TEST_SPIRV) + "/" + name + ".spv", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}
SpirvModule read(const std::string& bytes) { return SpirvModule(std::as_bytes(std::span(bytes))); }
SpirvModule module_of(const std::string& name) { return read(bytes_of(name)); }

std::vector<std::string> texts_of(const std::vector<SpirvBinding>& bindings) {
  std::vector<std::string> texts;
  for (const SpirvBinding& one : bindings) {
    texts.push_back(fmt::format("{} {} {}{} {} {}", one.set, one.binding, one.is_uniform ? "uniform" : "storage",
                                one.is_array ? "[]" : "", one.bytes, one.name));
  }
  return texts;
}
std::vector<std::string> texts_of(const std::vector<SpirvMember>& members) {
  std::vector<std::string> texts;
  for (const SpirvMember& one : members)
    texts.push_back(fmt::format("{} at {}: {}{}", one.name, one.offset, one.bytes,
                                one.is_address ? " address"
                                : one.is_float ? " float"
                                               : ""));
  return texts;
}

TEST(SpirvModule, EachEntryPointHasItsOwn) {
  const SpirvModule module = module_of("two_entries");
  EXPECT_THAT(module.entries(), ElementsAre("small", "large"));
  const SpirvEntry small = module.entry("small");
  EXPECT_EQ(small.push_bytes, 4);
  EXPECT_THAT(texts_of(small.push), ElementsAre("n at 0: 4"));
  EXPECT_THAT(texts_of(small.bindings), ElementsAre("1 3 storage 0 SmallBlock")) << "decorated by a group";
  EXPECT_THAT(small.local_size, ElementsAre(64, 1, 1));
  const SpirvEntry large = module.entry("large");
  EXPECT_EQ(large.push_bytes, 32);
  EXPECT_THAT(texts_of(large.push), ElementsAre("first at 0: 16", "second at 16: 16"));
  EXPECT_THAT(texts_of(large.bindings), ElementsAre("0 2 storage 0 ")) << "by the function that it calls";
  EXPECT_THAT(large.local_size, ElementsAre(8, 4, 2));
  EXPECT_THAT(large.extensions, ElementsAre("SPV_KHR_storage_buffer_storage_class"));
  EXPECT_THAT(large.capabilities, ElementsAre(1));
  EXPECT_EQ(message_of<Error>([&] { module.entry("main"); }), "no entry point for compute is called main; there: small, large");
}

TEST(SpirvModule, PushConstantsOfAnyType) {
  const SpirvModule module = module_of("wide_push");
  const SpirvEntry entry = module.entry("main");
  EXPECT_THAT(texts_of(entry.push),
              ElementsAre("list at 0: 8 address", "other at 8: 8", "turn at 16: 64 float", "flat_one at 80: 32 float",
                          "inner.a at 112: 4", "inner.b at 120: 8 float", "weights at 128: 20 float"));
  EXPECT_EQ(entry.push_bytes, 148);
  EXPECT_EQ(module.entry("main", {{3, 2}}).push_bytes, 136) << "an array sized by a specialization constant";
  EXPECT_THAT(texts_of(entry.bindings), ElementsAre("0 1 storage[] 16 sums", "2 0 uniform 16 few"));
  EXPECT_THAT(entry.no_buffers, IsEmpty());
  EXPECT_THAT(entry.local_size, ElementsAre(1, 1, 1));
  EXPECT_EQ(entry.local_size_ids[0], 0U);
  EXPECT_FALSE(entry.local_size_ids[1]);
}

TEST(SpirvModule, ConstantsAndALocalSizeMadeOfThem) {
  const SpirvModule module = module_of("computed_size");
  const SpirvEntry entry = module.entry("main");
  EXPECT_THAT(entry.local_size, ElementsAre(128, 6, 1));
  EXPECT_EQ(entry.local_size_ids[0], 0U);
  EXPECT_FALSE(entry.local_size_ids[1]) << "computed from one";
  EXPECT_THAT(module.entry("main", {{0, 32}, {4, 16}}).local_size, ElementsAre(32, 32, 1));
  ASSERT_EQ(entry.constants.size(), 5);
  EXPECT_EQ(entry.constants[0].name, "BLOCK");
  EXPECT_EQ(entry.constants[0].value, 128);
  EXPECT_TRUE(entry.constants[1].is_signed);
  EXPECT_EQ(entry.constants[1].id, 4);
  EXPECT_TRUE(entry.constants[2].is_float);
  EXPECT_TRUE(entry.constants[3].is_bool);
  EXPECT_EQ(entry.constants[4].bits, 64);
  EXPECT_EQ(entry.constants[4].value, 4294967297ULL);
}

TEST(SpirvModule, WhatIsNoBufferIsNamed) {
  const SpirvEntry entry = module_of("images").entry("main");
  EXPECT_THAT(entry.no_buffers, testing::UnorderedElementsAre("storage image picture (set 0, binding 0)",
                                                              "sampled image pattern (set 0, binding 1)",
                                                              "storage texel buffer texels (set 1, binding 2)"));
  EXPECT_THAT(texts_of(entry.bindings), ElementsAre("0 3 storage 16 Out"));
}

TEST(SpirvModule, AStructThatHoldsItselfIsAnError) {
  const SpirvModule module = module_of("holds_itself");
  EXPECT_THAT(message_of<Error>([&] { module.entry("main"); }), HasSubstr("a struct of the SPIR-V module holds itself"));
}

TEST(SpirvModule, NoPartOfAModuleIsTakenForAll) {
  for (const char* name : {"two_entries", "wide_push", "images"}) {
    const std::string bytes = bytes_of(name);
    for (std::size_t end = 0; end < bytes.size(); ++end) EXPECT_THROW(read(bytes.substr(0, end)), Error) << name << " " << end;
  }
  const std::string bytes = bytes_of("two_entries");
  EXPECT_EQ(message_of<Error>([&] { read(bytes.substr(0, 20)); }), "the SPIR-V module has no entry point");
  EXPECT_THAT(message_of<Error>([&] { read(bytes.substr(0, bytes.size() - 4)); }),
              HasSubstr("ends within a function: it was cut short"));
  EXPECT_THAT(message_of<Error>([&] { read("#version 460\n"); }), HasSubstr("no SPIR-V module"));
  EXPECT_THAT(message_of<Error>([&] { read(std::string("\x07\x23\x02\x03", 4) + bytes.substr(4)); }),
              HasSubstr("other byte order"));
}

TEST(SpirvModule, NoBytesAreTooOdd) {
  std::minstd_rand random(1);
  for (const char* name : {"two_entries", "holds_itself", "computed_size", "wide_push", "images"}) {
    const std::string whole = bytes_of(name);
    for (int i = 0; i < 2000; ++i) {
      std::string bytes = whole;
      for (auto changes = random() % 3 + 1; changes > 0; --changes) {
        const std::size_t at = (random() % (bytes.size() / 4 - 5) + 5) * 4 + random() % 4;
        bytes[at] = static_cast<char>(random() % 2 == 0 ? random() % 256 : random() % 60);
      }
      try {
        const SpirvModule module = read(bytes);
        for (const std::string& entry : module.entries()) module.entry(entry);
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace bench
