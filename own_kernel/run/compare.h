// Whether two outputs are the same within a tolerance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "description/description.h"

namespace bench::own {

// What the elements are held against, and how the two are called in messages.
struct Compared {
  std::span<const std::byte> found;
  std::string found_by = {};  // "CUDA"
  std::span<const std::byte> expected;
  std::string expected_by = {};  // "Vulkan", "y.npy"
};

// How many floats lie between two of one type, zeros of both signs being one; an integer's difference. NaN: nothing is near.
double ulps_between(Type type, const std::byte* a, const std::byte* b);

// "" if all elements are within the tolerance; else how many are not, and of the first and the worst the index and both values.
// NaN is never within. `tolerance`: none is 0 of integers, 2 ulp of floats.
std::string differences(const Buffer& buffer, const Compared& of, const std::optional<Tolerance>& tolerance);

// "" or how many floats are NaN, with the first one's index. "" of integers.
std::string nans_in(const Buffer& buffer, std::span<const std::byte> found);

}  // namespace bench::own
