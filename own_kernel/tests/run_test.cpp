// What surrounds a launch, without a device: elements as bytes, .npy files, comparisons, and arguments packed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "description/values.h"
#include "fake_device.h"
#include "run/compare.h"
#include "run/npy.h"
#include "run/pack.h"
#include "run/result.h"
#include "run/side_run.h"
#include "temp_dir.h"

namespace bench::own {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::uint16_t bits16(Type type, double number) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes_of_number(type, number).data(), 2);
  return bits;
}

TEST(Values, HalvesAreIeeeBinary16) {
  EXPECT_EQ(bits16(Type::kF16, 1), 0x3c00);
  EXPECT_EQ(bits16(Type::kF16, -2), 0xc000);
  EXPECT_EQ(bits16(Type::kF16, 65504), 0x7bff) << "the greatest";
  EXPECT_EQ(bits16(Type::kF16, 65519.99), 0x7bff);
  EXPECT_EQ(bits16(Type::kF16, 65520), 0x7c00) << "infinity from halfway on";
  EXPECT_EQ(bits16(Type::kF16, std::ldexp(1, -24)), 0x0001) << "the least";
  EXPECT_EQ(bits16(Type::kF16, std::ldexp(1, -25)), 0x0000) << "a tie, to even";
  EXPECT_EQ(bits16(Type::kF16, std::ldexp(1.0001, -25)), 0x0001);
  EXPECT_EQ(bits16(Type::kF16, std::ldexp(1023.5, -24)), 0x0400) << "a subnormal rounds to the least normal";
  EXPECT_EQ(bits16(Type::kF16, 1 + std::ldexp(1, -11)), 0x3c00) << "a tie, to even";
  EXPECT_EQ(bits16(Type::kF16, 1 + std::ldexp(3, -11)), 0x3c02) << "likewise";
  EXPECT_EQ(bits16(Type::kF16, 1.9999), 0x4000) << "a carry into the exponent";
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double number = number_of(Type::kF16, reinterpret_cast<const std::byte*>(&half));
    if (std::isnan(number)) continue;
    ASSERT_EQ(bits16(Type::kF16, number), half) << number;
  }
}

TEST(Values, BfloatsAreTheUpperHalvesOfFloats) {
  EXPECT_EQ(bits16(Type::kBf16, 1), 0x3f80);
  EXPECT_EQ(bits16(Type::kBf16, 1 + std::ldexp(1, -8)), 0x3f80) << "a tie, to even";
  EXPECT_EQ(bits16(Type::kBf16, 1 + std::ldexp(3, -8)), 0x3f82) << "likewise";
  EXPECT_TRUE(std::isnan(number_of(Type::kBf16, bytes_of_number(Type::kBf16, NAN).data())));
}

TEST(Values, IntegersAreCutAsCDoes) {
  EXPECT_EQ(number_of(Type::kI8, bytes_of_number(Type::kI8, -3).data()), -3);
  EXPECT_EQ(number_of(Type::kU8, bytes_of_number(Type::kU8, 259).data()), 3);
  EXPECT_EQ(number_of(Type::kI64, bytes_of_number(Type::kI64, -5e12).data()), -5e12);
  EXPECT_EQ(text_of_element(Type::kU64, bytes_of_number(Type::kU64, 9007199254740992.0).data()), "9007199254740992");
}

TEST(Values, RandomFloatsAreBelowOneInEveryType) {
  for (const Type type : {Type::kF16, Type::kBf16, Type::kF32, Type::kF64}) {
    const Buffer buffer = {.name = "x", .type = type};
    std::vector<std::byte> bytes(10000 * bytes_of(type));
    make_content(buffer, 0, 0, bytes);
    double sum = 0;
    for (std::size_t i = 0; i < 10000; ++i) {
      const double number = number_of(type, bytes.data() + i * bytes_of(type));
      ASSERT_GE(number, 0);
      ASSERT_LT(number, 1) << to_string(type);
      sum += number;
    }
    EXPECT_NEAR(sum / 10000, 0.5, 0.02) << to_string(type);
  }
}

TEST(Values, ContentIsTheSameFromWhereverItIsMade) {
  for (const Type type : {Type::kF32, Type::kU16, Type::kI64}) {
    for (const Content content : {Content::kRandom, Content::kCounting, Content::kZeros}) {
      const Buffer buffer = {.name = "x", .type = type, .content = content};
      std::vector<std::byte> whole(64 * bytes_of(type));
      std::vector<std::byte> part(16 * bytes_of(type));
      make_content(buffer, 3, 0, whole);
      make_content(buffer, 3, 48, part);
      EXPECT_EQ(std::memcmp(whole.data() + 48 * bytes_of(type), part.data(), part.size()), 0);
    }
  }
  std::vector<std::byte> one(4000);
  std::vector<std::byte> other(4000);
  make_content({.name = "x"}, 0, 0, one);
  make_content({.name = "y"}, 1, 0, other);
  EXPECT_NE(one, other) << "two buffers without a seed";
  make_content({.name = "x", .seed = 1}, 0, 0, one);
  make_content({.name = "y", .seed = 1}, 1, 0, other);
  EXPECT_EQ(one, other) << "as where one side works in place";
}

TEST(Values, RandomIntegersReachBothEndsOfTheirRange) {
  for (const Type type : {Type::kI8, Type::kU16, Type::kI32, Type::kU64}) {
    const double low = type == Type::kI8 || type == Type::kI32 ? -3 : 0;
    Buffer buffer = {.name = "x", .type = type, .range = {{low < 0 ? "-3" : "0"}, {"n - 1"}}};
    std::vector<std::byte> bytes(1000 * bytes_of(type));
    make_content(buffer, 0, 0, bytes, numbers_of(buffer, {{"n", 5}}));
    std::set<double> found;
    for (std::size_t i = 0; i < 1000; ++i) found.insert(number_of(type, bytes.data() + i * bytes_of(type)));
    EXPECT_EQ(*found.begin(), low) << to_string(type);
    EXPECT_EQ(*found.rbegin(), 4) << to_string(type);
    EXPECT_EQ(found.size(), static_cast<std::size_t>(5 - low)) << to_string(type);
  }
}

TEST(Values, GivenOnesStandInEachElement) {
  const Buffer buffer = {.name = "x", .type = Type::kU16, .content = Content::kValues};
  std::vector<std::byte> bytes(3 * sizeof(std::uint16_t));
  const auto numbers = [&] {
    std::array<std::uint16_t, 3> all = {};
    std::memcpy(all.data(), bytes.data(), sizeof all);
    return all;
  };
  make_content(buffer, 0, 0, bytes, std::array{7.0});
  EXPECT_EQ(numbers(), (std::array<std::uint16_t, 3>{7, 7, 7}));
  make_content(buffer, 0, 1, bytes, std::array{7.0, 8.0, 9.0, 10.0});
  EXPECT_EQ(numbers(), (std::array<std::uint16_t, 3>{8, 9, 10}));
}

class Npy : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& header, const std::string& data, char version = 1) {
    const std::filesystem::path path = folder_.file("content.npy");
    std::string text = std::string("\x93NUMPY") + version + '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) text += static_cast<char>((header.size() >> (8 * i)) & 255);
    std::ofstream(path, std::ios::binary) << text << header << data;
    return path;
  }
  std::string complaint(const std::string& header, const std::string& data, Type type = Type::kF32) {
    const std::filesystem::path path = write(header, data);
    return message_of<std::exception>([&] { read_npy(path, type, 2); });
  }

  TempDir folder_;
};

TEST_F(Npy, IsReadInBothVersions) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  for (const char version : {char{1}, char{2}}) {
    const std::vector<std::byte> found = read_npy(write(header, "abcdefgh", version), Type::kF32, 2);
    EXPECT_EQ(std::memcmp(found.data(), "abcdefgh", 8), 0);
  }
  EXPECT_EQ(read_npy(write("{'shape': (2, 1), 'fortran_order': False, 'descr': '|u1'}", "ab"), Type::kU8, 2).size(), 2U);
}

TEST_F(Npy, WhatDoesNotFitIsSaid) {
  const std::string f4 = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_THAT(complaint("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", "abcdefghabcdefgh"),
              HasSubstr("holds <f8; a buffer of f32 wants <f4"));
  EXPECT_THAT(complaint("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", "abcdefgh"), HasSubstr("holds >f4"));
  EXPECT_THAT(complaint("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1), }", "abcdefgh"), HasSubstr("Fortran"));
  EXPECT_THAT(complaint("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "abcdefghijkl"),
              HasSubstr("holds 3 elements; the buffer has 2"));
  EXPECT_THAT(complaint(f4, "abcdefg"), HasSubstr("its size is not that of its header"));
  EXPECT_THAT(complaint(f4, "abcdefghi"), HasSubstr("its size is not that of its header"));
  EXPECT_THAT(complaint("{}", "abcdefgh"), HasSubstr("its header is none of NumPy's"));
  folder_.write("no.npy", "no such file");
  EXPECT_THAT(message_of<std::exception>([this] { read_npy(folder_.file("no.npy"), Type::kF32, 2); }),
              HasSubstr("no .npy file"));
  EXPECT_THAT(message_of<std::exception>([] { read_npy("/nowhere.npy", Type::kF32, 2); }), HasSubstr("cannot be read"));
}

template <class T>
std::string compare(Type type, const std::vector<T>& found, const std::vector<T>& expected,
                    std::optional<Tolerance> tolerance = {}) {
  return differences({.name = "y", .type = type},
                     {.found = std::as_bytes(std::span(found)),
                      .found_by = "A",
                      .expected = std::as_bytes(std::span(expected)),
                      .expected_by = "B"},
                     tolerance);
}

TEST(Compare, FloatsMayBeTwoUlpApartAndIntegersMayNot) {
  const float one = 1;
  const float two_up = std::nextafter(std::nextafter(one, 2.0F), 2.0F);
  const float three_up = std::nextafter(two_up, 2.0F);
  EXPECT_EQ(compare<float>(Type::kF32, {one, 0.0F}, {two_up, -0.0F}), "");
  EXPECT_EQ(
      compare<float>(Type::kF32, {5, one}, {5, three_up}),
      "wrong output: 1 of 2 elements of y differ by more than 2 ulp: y[1] is 1 (A) and 1.0000004 (B); at most 3.6e-07 of the "
      "value: tolerance in the file sets another limit");
  EXPECT_THAT(compare<float>(Type::kF32, {one}, {2.0F}), EndsWith("y[0] is 1 (A) and 2 (B)")) << "no matter of a tolerance";
  EXPECT_EQ(compare<int>(Type::kI32, {1, 2}, {1, 2}), "");
  EXPECT_EQ(compare<int>(Type::kI32, {1, 2}, {1, 3}), "wrong output: 1 of 2 elements of y differ: y[1] is 2 (A) and 3 (B)");
  EXPECT_THAT((compare<std::int64_t>(Type::kI64, {(1LL << 60) + 1}, {1LL << 60})), HasSubstr("1 of 1 elements"))
      << "alike as doubles";
  EXPECT_EQ(ulps_between(Type::kF16, bytes_of_number(Type::kF16, -std::ldexp(1, -24)).data(),
                         bytes_of_number(Type::kF16, std::ldexp(1, -24)).data()),
            2)
      << "across zero";
}

TEST(Compare, NaNIsNeverRight) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(compare<float>(Type::kF32, {nan}, {nan}), HasSubstr("1 of 1 elements of y differ"));
  EXPECT_THAT(compare<float>(Type::kF32, {nan}, {1}, Tolerance{Tolerance::Kind::kAbsolute, 1e9}), HasSubstr("1 of 1"));
  const std::vector<float> found = {1, nan, nan};
  EXPECT_EQ(nans_in({.name = "y", .type = Type::kF32}, std::as_bytes(std::span(found))),
            "wrong output: 2 of 3 elements of y are NaN, or were never written; the first is y[1]");
  EXPECT_EQ(nans_in({.name = "y", .type = Type::kU32}, std::as_bytes(std::span(found))), "");
}

TEST(Compare, TolerancesAreAbsoluteOrRelative) {
  const Tolerance absolute = {Tolerance::Kind::kAbsolute, 0.5};
  const Tolerance relative = {Tolerance::Kind::kRelative, 0.1};
  EXPECT_EQ(compare<float>(Type::kF32, {1}, {1.5}, absolute), "");
  EXPECT_NE(compare<float>(Type::kF32, {1}, {1.75}, absolute), "");
  EXPECT_EQ(compare<float>(Type::kF32, {95}, {100}, relative), "");
  EXPECT_NE(compare<float>(Type::kF32, {85}, {100}, relative), "");
  EXPECT_NE(compare<float>(Type::kF32, {1e-30F}, {0}, relative), "") << "nothing is a part of nothing";
  EXPECT_EQ(compare<int>(Type::kI32, {7}, {8}, Tolerance{Tolerance::Kind::kAbsolute, 1}), "");
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(compare<float>(Type::kF32, {infinite}, {infinite}, absolute), "");
  EXPECT_NE(compare<float>(Type::kF32, {infinite}, {1}, relative), "");
}

TEST(Compare, TheFirstAndTheWorstAreShown) {
  std::vector<int> found(100000);
  std::vector<int> expected(100000);
  found[70000] = 5;
  found[12] = 1;
  found[99999] = -2;
  EXPECT_EQ(compare<int>(Type::kI32, found, expected, Tolerance{Tolerance::Kind::kAbsolute, 0}),
            "wrong output: 3 of 100000 elements of y differ: y[12] is 1 (A) and 0 (B); the worst: y[70000] is 5 (A) and 0 (B)");
}

Description two_buffers() {
  Description description;
  description.name = "saxpy";
  description.sizes = {{{"n", 1000.0}}};
  description.buffers = {{.name = "x", .elements = {"n"}}, {.name = "y", .elements = {"2 * n"}, .role = Role::kOut}};
  description.scalars = {{.name = "a", .type = Type::kF32, .value = {"2"}}, {.name = "n", .type = Type::kU16, .value = {"n"}}};
  description.structs = {{.name = "where",
                          .members = {{.name = "last", .type = Type::kU8, .value = {"7"}, .offset = 0},
                                      {.name = "out", .type = Type::kU64, .buffer = 1, .offset = 8}},
                          .bytes = 16,
                          .alignment = 8}};
  return description;
}

Step step_of(std::vector<Argument> arguments) {
  return {.arguments = std::move(arguments),
          .block = {Expression{"256"}, Expression{"2"}, Expression{"1"}},
          .grid = {Expression{"ceil(n / 256)"}, Expression{"3"}, Expression{"1"}},
          .shared_bytes = {"4 * 256"}};
}

TEST(Pack, CudasArgumentsComeInTheKernelsOrder) {
  using Kind = Argument::Kind;
  const Code code({.kind = Compiled::Kind::kCubin, .bytes = std::vector<std::byte>(8), .by = "nvcc", .entry = "_Z5saxpyv"},
                  "saxpy_cuda", "sm_90a");
  EXPECT_EQ(code.images().cuda[0].major * 10 + code.images().cuda[0].minor, 90);
  EXPECT_TRUE(code.images().cuda[0].arch_specific);
  const Step step = step_of({{.kind = Kind::kScalar, .index = 1},
                             {.kind = Kind::kBuffer, .index = 0},
                             {.kind = Kind::kStruct, .index = 0},
                             {.kind = Kind::kScalar, .index = 0}});
  const Description description = two_buffers();
  const Packed packed = pack(description, SideApi::kCuda, step, code, description.sizes[0], Robustness::kDefault);
  std::vector<std::uint32_t> sizes;
  for (const ParamsPart& one : packed.spec.cuda.arguments) {
    sizes.push_back(one.bytes);
    EXPECT_EQ(one.offset % 16, 0U);
  }
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{2, 8, 16, 4}));
  ASSERT_EQ(packed.uses.size(), 2U);
  EXPECT_EQ(packed.uses[0].buffer, 0U);
  EXPECT_EQ(packed.uses[1].buffer, 1U) << "which the struct's address alone uses";
  ASSERT_EQ(packed.spec.addresses.size(), 2U);
  EXPECT_EQ(packed.spec.addresses[1].offset, packed.spec.cuda.arguments[2].offset + 8);
  EXPECT_EQ(number_of(Type::kU16, packed.params.data()), 1000);
  EXPECT_EQ(number_of(Type::kU8, packed.params.data() + packed.spec.cuda.arguments[2].offset), 7);
  EXPECT_EQ(number_of(Type::kF32, packed.params.data() + packed.spec.cuda.arguments[3].offset), 2);
  EXPECT_EQ(packed.grid, (std::array<std::uint32_t, 3>{4, 3, 1}));
  EXPECT_EQ(packed.spec.block_y, 2U);
  EXPECT_EQ(packed.spec.shared_bytes, 1024U);
  EXPECT_EQ(packed.spec.entry, "_Z5saxpyv");
  EXPECT_FALSE(packed.spec.vulkan.interface);
}

TEST(Pack, VulkansArgumentsGoWhereTheySay) {
  using Kind = Argument::Kind;
  Compiled compiled = {.kind = Compiled::Kind::kSpirv, .bytes = std::vector<std::byte>(8), .by = "glslang", .entry = "work"};
  compiled.spirv.local_size_ids[0] = 5;
  compiled.spirv.constants = {{.id = 5}, {.id = 9, .bits = 64}, {.id = 11, .bits = 16, .is_float = true}};
  const Code code(std::move(compiled), "saxpy_vulkan", "sm_90");
  Step step = step_of({{.kind = Kind::kBuffer, .index = 0, .as = As::kStorage, .set = 2, .binding = 3},
                       {.kind = Kind::kScalar, .index = 0, .as = As::kUniform, .set = 0, .binding = 1},
                       {.kind = Kind::kBuffer, .index = 1, .as = As::kPush, .push = 8},
                       {.kind = Kind::kScalar, .index = 1, .as = As::kPush, .push = 4}});
  step.constants = {{.id = 9, .type = Type::kU64, .value = {"n"}}, {.id = 11, .type = Type::kF16, .value = {"1.5"}}};
  step.subgroup_size = 32;
  const Description description = two_buffers();
  const Packed packed = pack(description, SideApi::kVulkan, step, code, description.sizes[0], Robustness::kDisabled);
  const VulkanInterface& interface = *packed.spec.vulkan.interface;
  ASSERT_EQ(interface.descriptors.size(), 2U);
  EXPECT_EQ(interface.descriptors[0].set, 2U);
  EXPECT_EQ(interface.descriptors[0].bytes, 4000U) << "without the guard behind it";
  EXPECT_TRUE(interface.descriptors[1].is_uniform);
  EXPECT_EQ(packed.uses[interface.descriptors[1].buffer].bytes.size(), 4U) << "a scalar in a buffer of its own";
  EXPECT_EQ(packed.params.size(), 16U);
  EXPECT_EQ(number_of(Type::kU16, packed.params.data() + 4), 1000);
  ASSERT_EQ(packed.spec.addresses.size(), 1U);
  EXPECT_EQ(packed.spec.addresses[0].offset, 8U);
  ASSERT_EQ(interface.constants.size(), 3U);
  EXPECT_EQ(interface.constants[0].value, bytes_of_number(Type::kU64, 1000));
  EXPECT_EQ(interface.constants[1].value, bytes_of_number(Type::kF16, 1.5)) << "as wide as the module has it";
  EXPECT_EQ(interface.constants[2].id, 5U) << "the workgroup's size follows the block";
  EXPECT_EQ(interface.constants[2].value, bytes_of_number(Type::kU32, 256));
  EXPECT_EQ(interface.subgroup_size, 32U);
  EXPECT_EQ(packed.spec.vulkan.robustness, Robustness::kDisabled);
  EXPECT_EQ(packed.spec.shared_bytes, 0U);
  step.constants.push_back({.id = 77, .value = {"1"}});
  EXPECT_THAT(message_of<std::exception>([&] { pack(description, SideApi::kVulkan, step, code, description.sizes[0], {}); }),
              HasSubstr("no specialization constant 77"));
}

// A job of one CUDA kernel that takes an input and an inout buffer of 1000 floats, and does nothing.
Job idle_job() {
  using Kind = Argument::Kind;
  Job job;
  job.description.name = "idle";
  job.description.sizes = {{{"n", 1000}}};
  job.description.buffers = {{.name = "x", .elements = {"n"}}, {.name = "y", .elements = {"n"}, .role = Role::kInout}};
  job.description.sides = {{.name = "CUDA"}};
  job.description.sides[0].steps = {step_of({{.kind = Kind::kBuffer, .index = 0}, {.kind = Kind::kBuffer, .index = 1}})};
  job.sides.resize(1);
  job.sides[0].emplace().steps.push_back(std::make_unique<Code>(
      Compiled{.kind = Compiled::Kind::kCubin, .bytes = std::vector<std::byte>(8), .entry = "idle"}, "idle_cuda", "sm_90"));
  return job;
}

// Three Vulkan steps: the first clears c, the second uses it and makes y, the third reads y.
TEST(SideRun, AStepIsReplayedWhereAnotherWritesWhatItIsGiven) {
  using Kind = Argument::Kind;
  const auto storage = [](std::size_t buffer) {
    return Argument{.kind = Kind::kBuffer, .index = buffer, .as = As::kStorage, .binding = static_cast<std::uint32_t>(buffer)};
  };
  Job job;
  job.description.buffers = {{.name = "x"}, {.name = "y", .role = Role::kOut}, {.name = "c", .role = Role::kScratch}};
  job.description.sides = {{.name = "Vulkan", .api = SideApi::kVulkan}};
  job.description.sides[0].steps = {step_of({storage(2)}), step_of({storage(0), storage(1), storage(2)}),
                                    step_of({storage(1)})};
  const auto replayed = [&](bool reads_alone, bool writes_alone) {
    job.sides.resize(1);
    job.sides[0].emplace();
    for (std::size_t step = 0; step < 3; ++step) {
      Compiled compiled = {.kind = Compiled::Kind::kSpirv, .bytes = std::vector<std::byte>(8), .entry = "main"};
      for (const Argument& one : job.description.sides[0].steps[step].arguments) {
        compiled.spirv.bindings.push_back({.binding = one.binding,
                                           .is_readonly = step == 2 && reads_alone,
                                           .is_writeonly = one.index != 0 && step != 2 && writes_alone});
      }
      job.sides[0]->steps.push_back(std::make_unique<Code>(std::move(compiled), "stem", "sm_90"));
    }
    return std::array{must_replay(job, 0), must_replay(job, 1), must_replay(job, 2)};
  };
  EXPECT_EQ(replayed(true, false), (std::array{true, true, false}));
  EXPECT_EQ(replayed(false, false), (std::array{true, true, true})) << "the third may write y";
  EXPECT_EQ(replayed(true, true), (std::array{false, false, false})) << "what a step only writes it does not find";
}

// Each step of a pipeline is a case that sets both sides up.
TEST(SideRun, ContentsAreMadeOnceForAllCases) {
  const Job job = idle_job();
  for (const std::uint64_t memory : {1ULL << 30, 60000ULL}) {
    DeviceInfo info = fake_gpu(cuda::kApi, 0, "a GPU", 0xaa);
    info.memory_bytes = memory;
    std::vector<std::byte> expected(4000);
    make_content(job.description.buffers[0], 0, 0, expected);
    FakeBehaviour behaviour;
    behaviour.execute = [&](const Launch& launch) {
      EXPECT_EQ(std::memcmp(words_of<std::byte>(*launch.buffers[0]), expected.data(), expected.size()), 0);
    };
    FakeDevice device(info, behaviour);
    Workbench bench(device, 1);
    Outputs outputs;
    std::vector<std::uint64_t> made;
    for (int i = 0; i < 2; ++i) {
      EXPECT_NE(set_up(bench, job, {}, outputs).subject, nullptr);
      made.push_back(std::exchange(device.uploaded_bytes, 0));
    }
    EXPECT_GE(made[0], 8000U);
    EXPECT_EQ(made[1] == 0, memory > 60000) << "there may be no room to keep them";
  }
}

Measured measured_of(const std::vector<double>& ratios, double half = 0.001) {
  Measured one = {.variant = "saxpy", .sizes = "n = 8", .cache = "warm", .checks = ""};
  one.sides = {{}, {}};
  for (const double ratio : ratios) {
    Timed timed = {.status = "ok"};
    timed.time_ns.median = 1000;
    one.sides[0].push_back(timed);
    timed.time_ns.median = 1000 * ratio;
    one.sides[1].push_back(timed);
    one.ratios.push_back({ratio, ratio - half, ratio + half});
  }
  return one;
}

TEST(Result, SlowerIsSlowerInTwoThirdsOfTheProcesses) {
  EXPECT_EQ(measured_of({1.05, 1.04, 1.06}).slower_in(), 3U);
  EXPECT_EQ(measured_of({1.05, 1.005, 1.06}).slower_in(), 2U) << "two thirds, and slower in the third, too";
  EXPECT_EQ(measured_of({1.05, 0.999, 1.06}).slower_in(), 0U);
  EXPECT_EQ(measured_of({1.05, 1.005, 1.06, 1.007}).slower_in(), 0U) << "half of the processes";
  EXPECT_EQ(measured_of({1.0105}).slower_in(), 0U) << "its interval reaches below 1 %";
  EXPECT_EQ(measured_of({}).slower_in(), 0U);
  EXPECT_EQ(measured_of({0.95, 0.9}).faster_in(), 2U);
  EXPECT_DOUBLE_EQ(measured_of({1.05, 1.04, 1.06}).ratio()->value, 1.05);
  EXPECT_DOUBLE_EQ(measured_of({1.05, 1.04, 1.06}).ratio()->lo, 1.039);
}

TEST(Result, AStepIsCalledByTheFilesOfBothSides) {
  Job job;
  job.description.name = "scan";
  job.description.sides = {{.name = "CUDA"}, {.name = "Vulkan", .api = SideApi::kVulkan}};
  job.description.sides[0].steps.resize(2);
  job.description.sides[1].steps.resize(3);
  for (Side& side : job.description.sides) {
    for (Step& step : side.steps) step.file = "same.cu";
  }
  job.description.sides[1].steps[1].file = "other.comp";
  std::vector<Measured> steps(3, measured_of({1}));
  for (std::size_t i = 0; i < 3; ++i) steps[i].variant = fmt::format("scan.step{}", i + 1);
  const std::vector<std::string> lines = ending_of(job, steps, {}, {}, {}, 1).lines;
  EXPECT_THAT(lines, testing::Contains(HasSubstr("step 1 (same), ")));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("step 2 (same and other), ")));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("step 3 (same), ")));
}

TEST(Result, TheEndHasFifteenLinesAtMost) {
  Job job;
  job.description.name = "saxpy";
  job.description.sides = {{.name = "CUDA"}, {.name = "Vulkan", .api = SideApi::kVulkan}};
  const Ending few = ending_of(job, {measured_of({1.05, 1.04})}, {}, {}, {.name = "a GPU"}, 2);
  ASSERT_EQ(few.lines.size(), 2U);
  EXPECT_EQ(few.lines[0], "saxpy on a GPU, 2 processes:");
  EXPECT_EQ(few.lines[1],
            "  n = 8, warm: CUDA 1 us, Vulkan 1.04 us; Vulkan is 4.5 % slower (ratio 1.045, 1.039 to 1.051): slower in 2 of 2 "
            "processes");
  Measured other = measured_of({1.3, 1.3});
  other.sizes = "n = 9";
  std::vector<Measured> several(20, measured_of({1, 1}));
  several.push_back(other);
  EXPECT_THAT(ending_of(job, several, {}, {}, {.name = "a GPU"}, 2).slower, testing::ElementsAre("n = 9, warm"))
      << "one among several sizes, even where the console has no line for it";
  Measured three = measured_of({1, 1, 1});
  for (std::size_t i = 0; i < 3; ++i) {
    three.sides[0][i].time_ns.median = i == 0 ? 4000 : 1000;
    three.sides[0][i].gbps = i == 0 ? 100 : 400;
  }
  EXPECT_THAT(ending_of(job, {three}, {}, {}, {}, 3).lines[1], HasSubstr("CUDA 1 us (400 GB/s)"))
      << "of the processes' middle, as the time is";
  for (Timed& process : three.sides[0]) {
    process.time_ns.median = 1234.5e6;
    process.gbps = 4030.4;
  }
  EXPECT_THAT(ending_of(job, {three}, {}, {}, {}, 3).lines[1], HasSubstr("CUDA 1234 ms (4030 GB/s)")) << "not 4.03e+03";
  Measured unchecked = measured_of({1.5});
  unchecked.checks = "off";
  EXPECT_TRUE(ending_of(job, {measured_of({1}), unchecked}, {}, {}, {}, 1).slower.empty())
      << "what the driver does by default counts";
  const Ending software =
      ending_of(job, {measured_of({1.5})}, {}, {}, {.name = "llvmpipe", .driver = "Mesa", .is_software = true}, 1);
  EXPECT_TRUE(software.slower.empty()) << "a software device decides nothing";
  EXPECT_EQ(software.lines[0],
            "saxpy on llvmpipe, driver Mesa, 1 process: a software device, whose times say nothing about GPUs");
  EXPECT_EQ(software.lines[1], "  n = 8, warm: CUDA 1 us, Vulkan 1.5 us");
  const std::vector<Measured> many(40, measured_of({1}));
  const std::vector<std::string> faults(30, "a fault");
  const Ending end = ending_of(job, many, faults, faults, {.name = "a GPU"}, 1);
  EXPECT_LE(end.lines.size(), 15U);
  EXPECT_GE(std::ranges::count(end.lines, "  a fault"), 3);
  EXPECT_THAT(end.lines, testing::Contains(HasSubstr("more: --csv and --json have all")));
}

}  // namespace
}  // namespace bench::own
