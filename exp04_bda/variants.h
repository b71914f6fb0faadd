// The experiment, as tables.
#pragma once

#include "variant.h"

inline constexpr bench::Memory kFromVulkan = bench::Memory::kFromVulkan;
inline constexpr bench::Memory kFromCuda = bench::Memory::kFromCuda;
// `none` is plain CUDA against plain descriptors; cuda_* and vulkan_* change that one side.
inline const Variant kVariants[] = {
    {"add_f32", "none", "", "", {256}},
    {"add_f32", "vulkan_address", "", "_address", {256}},
    {"add_f32x4", "none", "", "", {256}},
    {"add_f32x4", "none", "", "", {256}, kFromVulkan},
    {"add_f32x4", "none", "", "", {256}, kFromCuda},
    {"add_f32x4", "vulkan_address", "", "_address", {256}},
    {"chase", "none", "", "", {32}},
    {"chase", "vulkan_address", "", "_address", {32}},

    {"copy_f32", "none", "", "", {128, 256, 1024}},
    {"copy_f32", "none", "", "", {256}, kFromVulkan},
    {"copy_f32", "none", "", "", {256}, kFromCuda},
    {"copy_f32", "no_qualifier", "_plain", "_plain", {256}},
    {"copy_f32", "restrict", "_restrict", "_restrict", {256}},
    {"copy_f32", "coherent", "_coherent", "_coherent", {256}},
    {"copy_f32", "volatile", "_volatile", "_volatile", {256}},
    {"copy_f32", "nonprivate", "_strong_store", "_nonprivate", {256}},
    {"copy_f32x4", "align16", "", "_address", {256}},
    {"copy_f32x4", "align4", "_align4", "_address_align4", {256}},

    {"copy_f32", "cuda_strong_store", "_strong_store", "", {256}},
    {"copy_f32", "cuda_constant_load", "_constant_load", "", {256}},
    {"copy_f32", "cuda_constant_strong", "_constant_strong", "", {256}},
    {"copy_f32", "cuda_bounds", "_bounds", "", {256}},
    {"copy_f32", "cuda_offset32", "_offset32", "", {256}},
    {"copy_f32", "cuda_block_constant", "_block_256", "", {256}},
    {"copy_f32", "cuda_all", "_all_256", "", {256}},
    {"copy_f32", "cuda_all", "_all_1024", "", {1024}},
    {"copy_f32", "vulkan_private", "", "_private", {256}},
    {"copy_f32", "vulkan_address", "", "_address", {128, 256, 1024}},
    {"copy_f32", "vulkan_address_plain", "", "_address_plain", {256}},
    {"copy_f32", "vulkan_address_private", "", "_address_private", {256}},

    {"spin_u32", "none", "", "", {32}},
    {"gather_u32", "none", "", "", {256}},
    {"gather_u32", "vulkan_address", "", "_address", {256}},

    {"empty", "none", "", "", {128, 256, 1024}},
    {"empty", "cuda_16_registers", "_16_registers", "", {256, 1024}},
    {"empty", "one_slot", "_one_slot", "_one_slot", {256}},
    {"empty", kCudaOneSlot, "", "", {128, 256, 512, 1024}},
    {"load_f32", "none", "", "", {256}},
    {"store_u32", "none", "", "", {256}},
    {"loop_f32", "none", "", "", {256}},
    {"loop_f32", "vulkan_address", "", "_address", {256}},

    {"write_u32x4", "none", "", "", {256}},
    {"write_u32x4", "none", "", "", {256}, kFromVulkan},
    {"write_u32x4", "none", "", "", {256}, kFromCuda},
    {"write_u32x4", "cuda_strong_store", "_strong_store", "", {256}},
    {"write_u32x4", "cuda_all", "_all_256", "", {256}},
    {"write_u32x4", "vulkan_address", "", "_address", {256}},
    {"write_u32x4", "vulkan_address_private", "", "_address_private", {256}},
    {"write_ramp", "none", "", "", {256}},
    {"write_ramp", "none", "", "", {256}, kFromVulkan},
    {"write_ramp", "none", "", "", {256}, kFromCuda},
    {"write_zero", "none", "", "", {256}},
    {"write_share", "none", "", "", {256}},
    {"write_share", "none", "", "", {256}, kFromVulkan},
    {"write_share", "none", "", "", {256}, kFromCuda},
    {"write_share", kInL2, "", "", {256}},

    {"inner_struct", "none", "", "", {256}},
    {"inner_struct", "cuda_strong_store", "_strong_store", "", {256}},
    {"inner_struct", "cuda_constant_load", "_constant_load", "", {256}},
    {"inner_struct", "cuda_all", "_all_256", "", {256}},
    {"inner_struct", "vulkan_address", "", "_address", {256}},
    {"inner_struct", "vulkan_address_private", "", "_address_private", {256}},
};
// Plain against plain, Vulkan's side on a queue with graphics.
inline const Variant kGraphicsQueue[] = {
    {"add_f32", "vulkan_graphics_queue", "", "", {256}},     {"copy_f32", "vulkan_graphics_queue", "", "", {128, 256, 1024}},
    {"empty", "vulkan_graphics_queue", "", "", {256, 1024}}, {"load_f32", "vulkan_graphics_queue", "", "", {256}},
    {"write_u32x4", "vulkan_graphics_queue", "", "", {256}},
};
// Both sides run Vulkan's machine code. Last of all: should a driver's code not bear it, nothing else is lost.
inline const Variant kSameCode[] = {
    {"add_f32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"add_f32", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
    {"copy_f32", "cuda_runs_vulkan_code", kVulkanCode, "", {128, 256, 1024}},
    {"copy_f32", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256, 1024}},
    {"gather_u32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"gather_u32", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
    {"write_u32x4", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"inner_struct", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"inner_struct", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
};
