#include "bank_model.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/error.h"
#include "core/experiment/access_model.h"

namespace bench {

std::uint32_t warp_wavefronts(std::uint32_t bytes, const std::function<std::uint64_t(std::uint32_t lane)>& address) {
  if (bytes != 4 && bytes != 8 && bytes != 16) throw Error("no access of shared memory is {} bytes wide here", bytes);
  const std::uint32_t group = kWarpLanes * kBankBytes / bytes;
  std::uint32_t wavefronts = 0;
  for (std::uint32_t first = 0; first < kWarpLanes; first += group) {
    std::array<std::set<std::uint64_t>, kBanks> words;
    for (std::uint32_t lane = first; lane < first + group; ++lane) {
      const std::uint64_t begin = address(lane);
      if (begin % bytes != 0) throw Error("lane {}'s address {} is no multiple of {}", lane, begin, bytes);
      for (std::uint64_t byte = begin; byte < begin + bytes; byte += kBankBytes) {
        words[byte / kBankBytes % kBanks].insert(byte / kBankBytes);
      }
    }
    std::size_t busiest = 0;
    for (const auto& of_bank : words) busiest = std::max(busiest, of_bank.size());
    wavefronts += static_cast<std::uint32_t>(busiest);
  }
  return wavefronts;
}

}  // namespace bench
