// When blocks ran, by the GPU's clock: what two kernels' blocks say of whether they ran at once.
#pragma once

#include <cstdint>
#include <span>

// From the first block's beginning to the last one's end, in ticks of the clock from some tick that both kernels share.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t length() const { return end - begin; }
};

// `words`: EXP08_STAY_WORDS a block, lower halves of the clock; `origin`: any of them, for all spans that are compared. Throws
// Error if a block stayed less than `ticks`, or far longer, or stored nothing.
Span span_of(std::span<const std::uint32_t> words, std::uint32_t origin, std::uint32_t ticks);

// Of the shorter span the share in which the other ran, too: 0 to 1.
double overlap(const Span& a, const Span& b);

// Of `a` the share that was left when `b` ended: 0 (all of it was over) to 1.
double left_after(const Span& a, const Span& b);
