#include "core/experiment/access_model.h"

#include <set>

namespace bench {

std::uint64_t distinct_sector_bytes(std::uint32_t count, std::uint32_t bytes,
                                    const std::function<std::uint64_t(std::uint32_t element)>& address) {
  std::set<std::uint64_t> sectors;
  for (std::uint32_t element = 0; element < count; ++element) {
    const std::uint64_t first = address(element);
    for (std::uint64_t sector = first / kSectorBytes; sector * kSectorBytes < first + bytes; ++sector) sectors.insert(sector);
  }
  return sectors.size() * kSectorBytes;
}

WarpAccess warp_access(std::uint32_t bytes, const std::function<std::uint64_t(std::uint32_t lane)>& address) {
  return {1, static_cast<std::uint32_t>(distinct_sector_bytes(kWarpLanes, bytes, address) / kSectorBytes)};
}

WarpAccess operator+(const WarpAccess& a, const WarpAccess& b) { return {a.requests + b.requests, a.sectors + b.sectors}; }

std::vector<Column> model_columns() {
  return {Column::integer("warp_elements", "", "that a warp handles with the predicted requests"),
          Column::integer("load_requests", "", "a warp's, predicted"),
          Column::integer("load_sectors", "", "of 32 bytes, a warp's, predicted"),
          Column::integer("store_requests", "", "a warp's, predicted"),
          Column::integer("store_sectors", "", "of 32 bytes, a warp's, predicted"),
          Column::integer("min_read_bytes", "bytes", "distinct, that one launch must read"),
          Column::integer("min_write_bytes", "bytes", "distinct, that one launch must write")};
}

Values model_values(const WarpAccess& loads, const WarpAccess& stores, std::uint64_t min_read_bytes,
                    std::uint64_t min_write_bytes, std::uint32_t warp_elements) {
  return {{"warp_elements", warp_elements},    {"load_requests", loads.requests}, {"load_sectors", loads.sectors},
          {"store_requests", stores.requests}, {"store_sectors", stores.sectors}, {"min_read_bytes", min_read_bytes},
          {"min_write_bytes", min_write_bytes}};
}

}  // namespace bench
