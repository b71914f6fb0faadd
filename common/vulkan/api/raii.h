// Vulkan-Hpp's RAII layer, and the check that every call goes through. Slow to compile: device/backend.h does without.
#pragma once

#include "core/base/error.h"

// Every entry point comes from the loader opened at run time.
#define VK_NO_PROTOTYPES 1
#define VULKAN_HPP_NO_STRUCT_CONSTRUCTORS 1  // designated initializers
#define VULKAN_HPP_NO_SETTERS 1              // the same; a quarter of the header's time
#define VULKAN_HPP_NO_SMART_HANDLE 1         // vk::raii instead
#include <vulkan/vulkan_raii.hpp>

#include <string>

namespace bench::vulkan {

// Throws Error, or OutOfMemory for the two codes that say so, or DeviceLost: where, which call, the code's name and number,
// `details`, a hint.
[[noreturn]] void throw_failed_call(const char* file, int line, const char* call, const vk::SystemError& error,
                                    const std::string& details);

template <class Call, class Details>
decltype(auto) checked(const char* file, int line, const char* text, Call&& call, Details&& details) {
  try {
    return call();
  } catch (const vk::SystemError& error) {
    throw_failed_call(file, line, text, error, details());
  }
}

// One structure of what a device tells of itself: features, or properties.
template <class Feature>
Feature features_of(const vk::raii::PhysicalDevice& device) {
  return device.getFeatures2<vk::PhysicalDeviceFeatures2, Feature>().template get<Feature>();
}
template <class Properties>
Properties properties_of(const vk::raii::PhysicalDevice& device) {
  return device.getProperties2<vk::PhysicalDeviceProperties2, Properties>().template get<Properties>();
}

}  // namespace bench::vulkan

// BENCH_VK(call) or BENCH_VK(call, format, arguments...): the call's value; a failed VkResult throws (see throw_failed_call),
// with the formatted details (values asked for). Positive results are values: the caller looks at them.
#define BENCH_VK(call, ...)                                                \
  ::bench::vulkan::checked(                                                \
      __FILE__, __LINE__, #call, [&]() -> decltype(auto) { return call; }, \
      [&]() -> std::string { return {__VA_OPT__(fmt::format(__VA_ARGS__))}; })
