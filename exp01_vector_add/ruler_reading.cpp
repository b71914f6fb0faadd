#include "ruler_reading.h"

#include <algorithm>

#include "params.h"

Reading read_stamps(std::span<const std::uint32_t> words, std::uint32_t blocks, std::uint32_t batch, double tick_ns,
                    double stamped_ns) {
  const std::uint32_t launches = words[RULER_LAUNCHES];
  const auto stamp = [&](std::uint32_t launch, std::uint32_t block, std::uint32_t which) {
    return words[RULER_HEAD + (std::size_t{launch % RULER_SLOTS} * blocks + block) * RULER_WORDS + which];
  };
  const std::uint32_t origin = stamp(launches - batch, 0, 0);
  // Modulo 2^32, and a block may begin before the first one.
  const auto since = [&](std::uint32_t ticks) { return static_cast<std::int32_t>(ticks - origin) * tick_ns; };
  Reading reading;
  double first = 0;
  double last_end = 0;
  for (std::uint32_t i = 0; i < batch; ++i) {
    double begin = std::numeric_limits<double>::infinity();
    double end = -begin;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      begin = std::min(begin, since(stamp(launches - batch + i, block, 0)));
      end = std::max(end, since(stamp(launches - batch + i, block, 1)));
      reading.step = std::min(reading.step, stamp(launches - batch + i, block, 2) * tick_ns);
    }
    if (i == 0) {
      first = begin;
    } else {
      reading.gap += (begin - last_end) / (batch - 1);
    }
    reading.own += (end - begin) / batch;
    last_end = end;
  }
  reading.outside = stamped_ns - (last_end - first);
  return reading;
}
