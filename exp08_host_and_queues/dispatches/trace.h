// What the kernels' own readings of the GPU's clock say about dispatches.
#pragma once

#include <cstdint>
#include <span>

struct Trace {
  double span = 0;            // ticks from the first block's begin to the last one's end
  std::uint32_t at_once = 0;  // dispatches whose times overlap, at most
  std::uint32_t sms = 0;      // on which their blocks ran; 0: not known
};

// Of EXP08_TRACE_WORDS words a block, `blocks` blocks a dispatch. A dispatch runs from its first block's begin to its last
// one's end. The clock's words are modulo 2^32.
Trace trace_of(std::span<const std::uint32_t> words, std::uint32_t blocks);
