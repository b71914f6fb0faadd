// What both APIs' launches that start from one state are held to.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/device/restored_subject.h"
#include "data_kernels_check.h"

namespace bench {

// It has no lead-in, and what restore() does comes before a time_host(), not in it.
inline void check_restored(Device& device) {
  // What comes before moves the 1 on by one buffer.
  std::vector<std::unique_ptr<Buffer>> moved;
  for (std::uint32_t i = 0; i < 4; ++i) {
    moved.push_back(device.allocate(4096, "moved"));
    device.fill(*moved.back(), 0, 4096, i == 0 ? 1 : 0);
  }
  std::vector<Work> before;
  for (std::size_t i = 3; i > 0; --i) before.emplace_back(Copy{moved[i - 1].get(), moved[i].get(), 4096});
  const auto unused = device.allocate(4096, "unused");
  const auto subject = restored(device, Copy{moved[0].get(), unused.get(), 4096}, before);
  subject->time_host(1);
  subject->restore();
  subject->time_host(1);
  EXPECT_EQ(words_in(device, *moved[2])[0], 1U);
  EXPECT_EQ(words_in(device, *moved[3])[0], 0U) << "twice so far";
  EXPECT_TRUE(subject->restores());
  for (const auto& one : moved) device.fill(*one, 0, 4096, one == moved[0] ? 1 : 0);
  subject->time_device({.lead_in = 2});
  EXPECT_EQ(words_in(device, *moved[1])[0], 1U);
  EXPECT_EQ(words_in(device, *moved[2])[0], 0U) << "once";
}

}  // namespace bench
