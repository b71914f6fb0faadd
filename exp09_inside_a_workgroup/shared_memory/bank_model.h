// What one warp-wide access of shared memory should cost, from the lanes' addresses alone: wavefronts.
#pragma once

#include <cstdint>
#include <functional>

namespace bench {

// NVIDIA's shared memory has 32 banks, and successive 32-bit words lie in successive banks. In one wavefront each bank serves
// one word, to however many lanes ask for it. Source: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x.
inline constexpr std::uint32_t kBanks = 32;
inline constexpr std::uint32_t kBankBytes = 4;

// The wavefronts of one instruction of a full warp: lane l accesses [address(l), address(l) + bytes), bytes 4, 8 or 16,
// aligned. Lanes are served in groups that ask for 128 bytes at most: all 32, 16, or 8 lanes. No word is shared between groups.
// A group takes as many wavefronts as its busiest bank has distinct words. Throws Error for other widths and alignments.
std::uint32_t warp_wavefronts(std::uint32_t bytes, const std::function<std::uint64_t(std::uint32_t lane)>& address);

}  // namespace bench
