// What the ruler's kernels have written down, in nanoseconds.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

// Of one sample, by the clock that its kernels read; ns.
struct Reading {
  double own = 0;      // a launch: from its first block's beginning to its last block's end
  double outside = 0;  // what the stamps read beyond the span from the first launch's beginning to the last one's end
  double gap = 0;      // between a launch's end and the next one's beginning
  double step = std::numeric_limits<double>::infinity();  // the least by which the clock went on
};

// Of the last `batch` launches, RULER_SLOTS at most, of so many blocks, between two stamps that are `stamped_ns` apart.
// `words`: the ruler's buffer (params.h).
Reading read_stamps(std::span<const std::uint32_t> words, std::uint32_t blocks, std::uint32_t batch, double tick_ns,
                    double stamped_ns);
