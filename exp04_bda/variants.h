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
    {"load_f32", "vulkan_address", "", "_address", {256}},
    {"store_u32", "none", "", "", {256}},
    {"store_u32", "vulkan_address", "", "_address", {256}},
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

    {"inner_struct", "none", "", "", {256}},
    {"inner_struct", "cuda_strong_store", "_strong_store", "", {256}},
    {"inner_struct", "cuda_constant_load", "_constant_load", "", {256}},
    {"inner_struct", "cuda_all", "_all_256", "", {256}},
    {"inner_struct", "vulkan_address", "", "_address", {256}},
    {"inner_struct", "vulkan_address_private", "", "_address_private", {256}},
};
// Plain against plain, Vulkan's side on a device of its own: a queue with graphics, a queue of another priority among all
// processes', pages bound by the queue, a second device beside it. Cases of one device side by side, so that it is opened once.
inline const Variant kOtherDevices[] = {
    {"add_f32", kGraphicsQueueFeature, "", "", {256}},
    {"copy_f32", kGraphicsQueueFeature, "", "", {128, 256, 1024}},
    {"empty", kGraphicsQueueFeature, "", "", {256, 1024}},
    {"load_f32", kGraphicsQueueFeature, "", "", {256}},
    {"write_u32x4", kGraphicsQueueFeature, "", "", {256}},
    {"copy_f32", kLowPriority, "", "", {256}},
    {"write_u32x4", kLowPriority, "", "", {256}},
    {"copy_f32", kHighPriority, "", "", {256}},
    {"write_u32x4", kHighPriority, "", "", {256}},
    {"copy_f32", "none", "", "", {256}, bench::Memory::kSparse},
    {"copy_f32", "none", "", "", {256}, bench::Memory::kScattered},
    {"write_u32x4", "none", "", "", {256}, bench::Memory::kSparse},
    {"write_u32x4", "none", "", "", {256}, bench::Memory::kScattered},
    {"copy_f32", kSecondDevice, "", "", {256}},
    {"write_u32x4", kSecondDevice, "", "", {256}},
};
// The square: {CUDA's code, Vulkan's through descriptors with the driver's checks, without, through addresses} x {launched by
// CUDA, by Vulkan}. Launched by their own APIs they stand above, and here without checks and through addresses, ...
inline constexpr bench::Memory kOwn = bench::Memory::kOwn;
inline constexpr bench::Checks kOff = bench::Checks::kOff;
inline const Variant kUnchecked[] = {
    {"add_f32", "none", "", "", {256}, kOwn, kOff},
    {"add_f32x4", "none", "", "", {256}, kOwn, kOff},
    {"copy_f32", "none", "", "", {128, 256, 1024}, kOwn, kOff},
    {"loop_f32", "none", "", "", {256}, kOwn, kOff},
    {"load_f32", "none", "", "", {256}, kOwn, kOff},
    {"store_u32", "none", "", "", {256}, kOwn, kOff},
    {"write_u32x4", "none", "", "", {256}, kOwn, kOff},
    {"inner_struct", "none", "", "", {256}, kOwn, kOff},
    {"gather_u32", "none", "", "", {256}, kOwn, kOff},
};
// ... launched by the other API here. Last of all: should a driver not bear it, nothing else is lost.
inline const Variant kUncheckedCode[] = {
    {"add_f32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}, kOwn, kOff},
    {"add_f32x4", "cuda_runs_vulkan_code", kVulkanCode, "", {256}, kOwn, kOff},
    {"copy_f32", "cuda_runs_vulkan_code", kVulkanCode, "", {128, 256, 1024}, kOwn, kOff},
    {"loop_f32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}, kOwn, kOff},
    {"load_f32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}, kOwn, kOff},
    {"store_u32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}, kOwn, kOff},
    {"write_u32x4", "cuda_runs_vulkan_code", kVulkanCode, "", {256}, kOwn, kOff},
    {"inner_struct", "cuda_runs_vulkan_code", kVulkanCode, "", {256}, kOwn, kOff},
    {"gather_u32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}, kOwn, kOff},
};
inline const Variant kForeignCode[] = {
    {"add_f32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"add_f32", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
    {"add_f32", "vulkan_runs_cuda_code", "", kCudaCode, {256}},
    {"add_f32x4", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"add_f32x4", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
    {"add_f32x4", "vulkan_runs_cuda_code", "", kCudaCode, {256}},
    {"copy_f32", "cuda_runs_vulkan_code", kVulkanCode, "", {128, 256, 1024}},
    {"copy_f32", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {128, 256, 1024}},
    {"copy_f32", "vulkan_runs_cuda_code", "", kCudaCode, {128, 256, 1024}},
    {"loop_f32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"loop_f32", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
    {"loop_f32", "vulkan_runs_cuda_code", "", kCudaCode, {256}},
    {"load_f32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"load_f32", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
    {"load_f32", "vulkan_runs_cuda_code", "", kCudaCode, {256}},
    {"store_u32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"store_u32", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
    {"store_u32", "vulkan_runs_cuda_code", "", kCudaCode, {256}},
    {"write_u32x4", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"write_u32x4", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
    {"write_u32x4", "vulkan_runs_cuda_code", "", kCudaCode, {256}},
    {"inner_struct", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"inner_struct", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
    {"inner_struct", "vulkan_runs_cuda_code", "", kCudaCode, {256}},
    {"gather_u32", "cuda_runs_vulkan_code", kVulkanCode, "", {256}},
    {"gather_u32", "cuda_runs_vulkan_address_code", kVulkanCode, "_address", {256}},
    {"gather_u32", "vulkan_runs_cuda_code", "", kCudaCode, {256}},
};
// CUDA's code on CUDA's pages: of Vulkan only what launches it is left.
inline const Variant kForeignPages[] = {
    {"copy_f32", "vulkan_runs_cuda_code", "", kCudaCode, {256}, kFromCuda},
    {"write_u32x4", "vulkan_runs_cuda_code", "", kCudaCode, {256}, kFromCuda},
};
// How much shared memory a block may have: of a pipeline the device tells; and of CUDA's code that Vulkan launches?
inline constexpr bench::Checks kDefault = bench::Checks::kDefault;
inline const Variant kSharedMemory[] = {
    {"shared_u32", "none", "", "", {256}, kOwn, kDefault, 16U << 10},
    {"shared_u32", "none", "", "", {256}, kOwn, kDefault, 48U << 10},
    {"shared_u32", "none", "", "", {256}, kOwn, kDefault, 99U << 10},
    {"shared_u32", "none", "", "", {256}, kOwn, kDefault, 100U << 10},
    {"shared_u32", "none", "", "", {256}, kOwn, kDefault, 112U << 10},
    {"shared_u32", "none", "", "", {256}, kOwn, kDefault, 160U << 10},
    {"shared_u32", "vulkan_runs_cuda_code", "", kCudaCode, {256}, kOwn, kDefault, 48U << 10},
    {"shared_u32", "vulkan_runs_cuda_code", "", kCudaCode, {256}, kOwn, kDefault, 99U << 10},
    {"shared_u32", "vulkan_runs_cuda_code", "", kCudaCode, {256}, kOwn, kDefault, 112U << 10},
};
