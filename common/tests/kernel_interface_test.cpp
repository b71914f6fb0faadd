#include "core/device/kernel_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

// A kernel of three buffers and 16 bytes of parameters, with one specialization constant of its own.
KernelSpec spec_of(const KernelImages& images) {
  return {.images = &images, .entry = "add", .constants = {7}, .buffers = 3, .params_bytes = 16};
}

std::string complaint(const std::vector<std::size_t>& parameters, const KernelSpec& spec = spec_of({})) {
  return message_of<Error>([&] { check_parameters(spec, parameters); });
}

TEST(CheckParameters, CountAndSizesMustBeThoseGiven) {
  EXPECT_NO_THROW(check_parameters(spec_of({}), std::vector<std::size_t>{8, 8, 8, 16}));
  EXPECT_EQ(complaint({8, 8, 16}), "add: takes 3 parameters (8, 8, 16 bytes); given 4 (8, 8, 8, 16 bytes)");
  EXPECT_THAT(complaint({8, 8, 8, 24}), HasSubstr("takes 4 parameters (8, 8, 8, 24 bytes)"));
  EXPECT_THAT(complaint({8, 8, 8}), HasSubstr("takes 3 parameters"));
  EXPECT_THAT(complaint({8, 8, 8, 16, 4}), HasSubstr("takes 5 parameters"));
  EXPECT_THAT(complaint({16, 8, 8, 8}), HasSubstr("takes 4 parameters (16, 8, 8, 8 bytes)")) << "the order counts";
  EXPECT_THAT(complaint({}), HasSubstr("takes 0 parameters"));
  EXPECT_NO_THROW(check_parameters({.entry = "empty"}, {})) << "a kernel that takes nothing";
}

// A 2-byte scalar, a pointer, and a struct with a pointer at its end.
KernelSpec free_spec() {
  return {.entry = "add",
          .buffers = 2,
          .params_bytes = 32,
          .addresses = {{.offset = 8, .buffer = 1}, {.offset = 24, .buffer = 0}},
          .cuda = {.arguments = {{.offset = 0, .bytes = 2}, {.offset = 8, .bytes = 8}, {.offset = 16, .bytes = 16}}}};
}

TEST(CheckParameters, ArgumentsOfAnyOrderMustBeThoseGiven) {
  EXPECT_NO_THROW(check_parameters(free_spec(), std::vector<std::size_t>{2, 8, 16}));
  EXPECT_EQ(complaint({2, 8}, free_spec()), "add: takes 2 parameters (2, 8 bytes); given 3 (2, 8, 16 bytes)");
  EXPECT_THAT(complaint({8, 2, 16}, free_spec()), HasSubstr("takes 3 parameters (8, 2, 16 bytes)"));
  KernelSpec beyond = free_spec();
  beyond.params_bytes = 24;
  EXPECT_EQ(complaint({2, 8, 16}, beyond), "add: an argument of 16 bytes at byte 16 of 24");
}

TEST(CheckSpirv, AnInterfaceOfItsOwnIsCheckedByKindSetAndConstant) {
  const auto complaint_of = [](const VulkanInterface& interface, const SpirvInterface& takes) {
    const KernelImages images = {.stem = "add", .cuda = {}, .spirv = {}, .takes = takes};
    const KernelSpec spec = {
        .images = &images, .entry = "work", .buffers = 2, .params_bytes = 16, .vulkan = {.interface = interface}};
    return message_of<Error>([&] { check_spirv(spec); });
  };
  const VulkanInterface given = {.descriptors = {{.set = 2, .binding = 1, .buffer = 0, .is_uniform = true}},
                                 .constants = {{.id = 9, .value = std::vector<std::byte>(8)}}};
  EXPECT_EQ(complaint_of(given, {{{2, 1, true}}, 16, {3, 9}}), "(nothing was thrown)");
  EXPECT_EQ(complaint_of(given, {{}, 0, {9}}), "(nothing was thrown)") << "it may take less";
  EXPECT_THAT(complaint_of(given, {{{2, 1}}, 16, {9}}), HasSubstr("takes storage buffer at 1 of set 2; given uniform buffer"));
  EXPECT_THAT(complaint_of(given, {{{0, 1, true}}, 16, {9}}), HasSubstr("takes uniform buffer at 1; given"));
  EXPECT_THAT(complaint_of(given, {{{2, 1, true}}, 20, {9}}), HasSubstr("takes 20 bytes of push constants; given 16"));
  EXPECT_THAT(complaint_of(given, {{{2, 1, true}}, 16, {0}}), HasSubstr("takes the specialization constants 0; given 9"));
}

std::string complaint(const SpirvInterface& takes, BufferBinding binding = BufferBinding::kDescriptors) {
  const KernelImages images = {.stem = "add", .cuda = {}, .spirv = {}, .takes = takes};
  KernelSpec spec = spec_of(images);
  spec.vulkan.binding = binding;
  return message_of<Error>([&] { check_spirv(spec); });
}

const std::string kNothing = "(nothing was thrown)";
const SpirvInterface kRight = {{{0, 1}, {0, 0}, {0, 2}}, 16, {0, 1}};

TEST(CheckSpirv, BindingsMustBeThoseOfTheLayout) {
  EXPECT_EQ(complaint(kRight), kNothing);
  EXPECT_EQ(complaint(kRight, BufferBinding::kPushDescriptors), kNothing);
  EXPECT_EQ(complaint(kRight, BufferBinding::kDescriptorBuffer), kNothing);
  SpirvInterface other = kRight;
  other.buffers = {{0, 0}, {0, 1}};
  EXPECT_EQ(complaint(other),
            "kernel add: takes storage buffer at 0, storage buffer at 1; given storage buffer at 0, storage buffer at 1, "
            "storage buffer at 2 (3 buffers, descriptors)");
  other.buffers = {{0, 0}, {0, 1}, {0, 3}};
  EXPECT_THAT(complaint(other), HasSubstr("storage buffer at 3; given"));
  other.buffers = {{0, 0}, {0, 1}, {1, 2}};
  EXPECT_THAT(complaint(other), HasSubstr("storage buffer at 2 of set 1; given"));
  other.buffers = {{0, 0}, {0, 0}, {0, 1}, {0, 2}};
  EXPECT_EQ(complaint(other), kNothing) << "two views of one buffer";
  EXPECT_THAT(complaint(kRight, BufferBinding::kUniform), HasSubstr("given uniform buffer at 0, uniform buffer at 1, storage"));
  other.buffers = {{0, 0, true}, {0, 1, true}, {0, 2}};
  EXPECT_EQ(complaint(other, BufferBinding::kUniform), kNothing);
  EXPECT_THAT(complaint(other), HasSubstr("takes uniform buffer at 0"));
}

TEST(CheckSpirv, BuffersInPushConstantsCount) {
  EXPECT_EQ(complaint({{}, 3 * 8 + 16, {0, 1}}, BufferBinding::kAddress), kNothing);
  EXPECT_THAT(complaint({{}, 2 * 8 + 16, {0, 1}}, BufferBinding::kAddress),
              HasSubstr("kernel add: takes 32 bytes of push constants; given 40"));
  EXPECT_THAT(complaint(kRight, BufferBinding::kAddress), HasSubstr("given none (3 buffers, address)"));
  const SpirvInterface bindless = {{{0, 0, false, true}}, 3 * 4 + 16, {0, 1}};
  EXPECT_EQ(complaint(bindless, BufferBinding::kBindless), kNothing);
  EXPECT_THAT(complaint(bindless), HasSubstr("takes storage buffers at 0; given"));
}

TEST(CheckSpirv, AKernelMayTakeLessOnPurposeButNeverMore) {
  const auto complaint_of_less = [](const SpirvInterface& takes) {
    const KernelImages images = {.stem = "add", .cuda = {}, .spirv = {}, .takes = takes};
    KernelSpec spec = spec_of(images);
    spec.vulkan.takes_less = true;
    return message_of<Error>([&] { check_spirv(spec); });
  };
  EXPECT_EQ(complaint_of_less({{}, 0, {0}}), kNothing);
  EXPECT_EQ(complaint_of_less({{{0, 1}}, 12, {0, 1}}), kNothing);
  EXPECT_THAT(complaint_of_less({{{0, 3}}, 0, {0}}), HasSubstr("takes storage buffer at 3"));
  EXPECT_THAT(complaint_of_less({{{0, 1, true}}, 0, {0}}), HasSubstr("takes uniform buffer at 1"));
  EXPECT_THAT(complaint_of_less({{}, 20, {0}}), HasSubstr("takes 20 bytes"));
  EXPECT_THAT(complaint_of_less({{}, 0, {2}}), HasSubstr("constants 2; given"));
}

TEST(CheckSpirv, ConstantsMustBeAmongThoseGiven) {
  SpirvInterface other = kRight;
  other.constants = {0, 1, 2};
  EXPECT_EQ(complaint(other), "kernel add: takes the specialization constants 0, 1, 2; given 0, 1");
  other.constants = {0};
  EXPECT_EQ(complaint(other), kNothing);
  other = kRight;
  other.push_bytes = 12;
  EXPECT_THAT(complaint(other), HasSubstr("takes 12 bytes of push constants; given 16"));
}

}  // namespace
}  // namespace bench
