#include "core/access_model.h"

#include <set>

namespace bench {

WarpAccess warp_access(std::uint32_t bytes, const std::function<std::uint64_t(std::uint32_t lane)>& address) {
  std::set<std::uint64_t> sectors;
  std::set<std::uint64_t> lines;
  std::set<std::uint64_t> useful;
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    for (std::uint64_t byte = address(lane); byte < address(lane) + bytes; ++byte) {
      sectors.insert(byte / kSectorBytes);
      lines.insert(byte / kLineBytes);
      useful.insert(byte);
    }
  }
  return {1, static_cast<std::uint32_t>(sectors.size()), static_cast<std::uint32_t>(lines.size()),
          static_cast<std::uint32_t>(useful.size())};
}

std::uint64_t distinct_sector_bytes(std::uint32_t count, std::uint32_t bytes,
                                    const std::function<std::uint64_t(std::uint32_t element)>& address) {
  std::set<std::uint64_t> sectors;
  for (std::uint32_t element = 0; element < count; ++element) {
    const std::uint64_t first = address(element);
    for (std::uint64_t sector = first / kSectorBytes; sector * kSectorBytes < first + bytes; ++sector) sectors.insert(sector);
  }
  return sectors.size() * kSectorBytes;
}

WarpAccess operator+(const WarpAccess& a, const WarpAccess& b) {
  return {a.requests + b.requests, a.sectors + b.sectors, a.lines + b.lines, a.useful_bytes + b.useful_bytes};
}

std::vector<std::string> model_columns() {
  return {"warp_elements", "load_requests",  "load_sectors",   "store_requests",
          "store_sectors", "min_read_bytes", "min_write_bytes"};
}

std::vector<std::string> model_cells(const WarpAccess& loads, const WarpAccess& stores, std::uint64_t min_read_bytes,
                                     std::uint64_t min_write_bytes, std::uint32_t warp_elements) {
  return {std::to_string(warp_elements),   std::to_string(loads.requests), std::to_string(loads.sectors),
          std::to_string(stores.requests), std::to_string(stores.sectors), std::to_string(min_read_bytes),
          std::to_string(min_write_bytes)};
}

}  // namespace bench
