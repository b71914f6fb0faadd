// What both APIs' kernels that make and sum up data are held to: the CPU's words for the same.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/device/checksum.h"
#include "core/device/device.h"

namespace bench {

inline std::vector<std::uint32_t> words_in(Device& device, const Buffer& buffer) {
  std::vector<std::uint32_t> words(buffer.bytes() / sizeof(std::uint32_t));
  device.download(buffer, 0, std::as_writable_bytes(std::span(words)));
  return words;
}

// Numbers of words: less than a block, no whole blocks, and more than the largest grid has threads.
inline constexpr std::uint64_t kWordCounts[] = {1, 31, 1000, 4096, 1'100'003};

inline void check_fill_random(Device& device) {
  constexpr std::uint32_t kUntouched = 0x12345678;
  for (const std::uint64_t count : kWordCounts) {
    const auto buffer = device.allocate((count + 10) * sizeof(std::uint32_t), "random words");
    device.fill(*buffer, 0, buffer->bytes(), kUntouched);
    device.fill_random(*buffer, 3, count, random_key(~0ULL - 41, 5));
    const std::vector<std::uint32_t> found = words_in(device, *buffer);
    for (std::uint64_t i = 0; i < found.size(); ++i) {
      const bool is_random = i >= 3 && i < 3 + count;
      ASSERT_EQ(found[i], is_random ? std::bit_cast<std::uint32_t>(random_float(~0ULL - 41, 5, i)) : kUntouched) << i;
    }
  }
}

inline void check_checksum(Device& device) {
  for (const std::uint64_t count : kWordCounts) {
    const auto buffer = device.allocate((count + 1) * sizeof(std::uint32_t), "words to sum up");
    device.fill_random(*buffer, 0, count + 1, random_key(1, 2));
    std::vector<std::uint32_t> words = words_in(device, *buffer);
    words.resize(count);
    const auto expected = [&words] {
      Checksum sum;
      sum.add(0, words);
      return sum;
    };
    ASSERT_EQ(device.checksum(*buffer, count), expected()) << count;
    // The last word counts, and the one behind it does not.
    words.back() ^= 0x80000000U;
    device.upload(*buffer, (count - 1) * sizeof(std::uint32_t), std::as_bytes(std::span(words).last(1)));
    ASSERT_EQ(device.checksum(*buffer, count), expected()) << count;
    device.fill(*buffer, count * sizeof(std::uint32_t), sizeof(std::uint32_t), 0);
    ASSERT_EQ(device.checksum(*buffer, count), expected()) << count;
  }
}

}  // namespace bench
