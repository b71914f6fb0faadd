#include "reference.h"

#include <algorithm>
#include <span>

#include "core/base/error.h"
#include "core/experiment/verify.h"

namespace {

constexpr std::uint32_t kResults = 4;        // words of a record
constexpr std::int32_t kClockSkewNs = 2000;  // of two SMs' views of the GPU's clock, at most; half of what one thread is late

std::uint32_t chain(std::uint32_t value, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) value = EXP06_CHAIN(value);
  return value;
}

// Where a chase is after so many steps: an offset in bytes.
std::uint32_t chased(std::uint32_t steps, std::uint32_t words) {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < steps; ++i) word = EXP06_NEXT_WORD(word, words);
  return 4 * word;
}

std::uint32_t exchanged(const Config& config, std::uint32_t block) {
  const std::uint32_t peer = block ^ config.distance;  // a cluster's size is a power of two
  const std::uint32_t steps = config.steps();
  std::uint32_t sum = 0;
  for (std::uint32_t slot = 0; slot < EXP06_SLOTS; ++slot) {
    const std::uint32_t turn = config.reads() ? slot : config.op == "bulk" ? EXP06_SOURCE_TURN : steps - EXP06_SLOTS + slot;
    for (std::uint32_t i = 0; i < EXP06_SLOT_WORDS; ++i) {
      const std::uint32_t weight = config.reads() ? steps / EXP06_SLOTS : EXP06_WEIGHT(slot * EXP06_SLOT_WORDS + i);
      sum += EXP06_SENT(peer, i, turn) * weight;
    }
  }
  return sum;
}

bool is_source(const Config& config) { return config.op == "standard" || config.op == "low_latency"; }

// By block of a multicast: the sum of all chunks that its cluster reads.
std::vector<std::uint32_t> multicast_sums(const bench::Workbench& bench, const Config& config, std::uint32_t grid,
                                          WeightedSums& sums) {
  const std::vector<std::uint32_t>& by_chunk = sums.of(bench, config.chunks());
  // Warp w of cluster c reads 4 KiB pieces c * warps + w, and so on in steps of all clusters' warps, be it from a ring of its
  // own or as its part of a larger chunk: the cluster's are known by where they lie among all warps.
  const std::uint32_t clusters = grid / config.cluster;
  std::vector<std::uint32_t> by_cluster(clusters);
  for (std::uint32_t chunk = 0; chunk < config.steps(); ++chunk)
    by_cluster[chunk / EXP06_RING_WARPS % clusters] += by_chunk[chunk % config.chunks()];
  std::vector<std::uint32_t> by_block(grid);
  for (std::uint32_t block = 0; block < grid; ++block) by_block[block] = by_cluster[block / config.cluster];
  return by_block;
}

// The results of every block's record.
std::vector<std::uint32_t> results(const bench::Workbench& bench, const Config& config, std::uint32_t grid,
                                   WeightedSums& sums) {
  std::vector<std::uint32_t> list(std::size_t{grid} * kResults);
  const auto set = [&](const auto& result) {
    for (std::uint32_t block = 0; block < grid; ++block) {
      const std::uint32_t value = result(block);
      for (std::uint32_t i = 0; i < kResults; ++i) list[block * kResults + i] = value;
    }
  };
  const std::uint32_t steps = config.steps();
  switch (config.shape) {
    case Shape::kExample:
      break;
    case Shape::kRounds:
      // An odd number of rounds takes a value to the peer.
      set([&](std::uint32_t block) {
        return is_source(config) ? steps - 1 : chain(steps % 2 == 0 ? block : block ^ config.distance, steps);
      });
      break;
    case Shape::kChase: {
      const std::uint32_t end = chased(steps, config.op == "l2" ? EXP06_L2_TABLE_WORDS : EXP06_TABLE_WORDS);
      set([&](std::uint32_t block) { return block % config.cluster == 0 ? end : 0U; });
      break;
    }
    case Shape::kExchange:
      set([&](std::uint32_t block) { return exchanged(config, block); });
      break;
    case Shape::kBarrier:
      set([&](std::uint32_t block) { return chain(block, std::uint64_t{steps} * config.work); });
      break;
    case Shape::kSpread:
      for (std::uint32_t block = 0; block < grid; ++block) {
        const std::uint32_t words[] = {chain(block, config.work), block % config.cluster, config.cluster,
                                       block / config.cluster};
        std::ranges::copy(words, list.begin() + block * kResults);
      }
      break;
    case Shape::kMulticast: {
      const std::vector<std::uint32_t> blocks = multicast_sums(bench, config, grid, sums);
      set([&](std::uint32_t block) { return blocks[block]; });
      break;
    }
  }
  return list;
}

std::uint32_t example_word(const Config& config, std::uint32_t i) {
  if (config.op == "dsmem") {
    const std::uint32_t block = i / config.block();
    return block * 10000 + i % config.block() + (block ^ 1) * 100;
  }
  const std::uint32_t rank = i / EXP06_EXAMPLE_TILE;
  return (EXP06_EXAMPLE_MASK >> rank & 1) != 0 ? EXP06_EXAMPLE_FIRST + i % EXP06_EXAMPLE_TILE : 0;
}

// Who meets at a barrier: consecutive blocks.
std::uint32_t party(const Config& config, std::uint32_t grid) { return config.op == "grid_counter" ? grid : config.cluster; }

void check_times(const Config& config, const std::vector<std::vector<std::uint32_t>>& found, std::uint32_t grid) {
  const std::uint32_t blocks = party(config, grid);
  for (std::uint32_t first = 0; first < grid; first += blocks) {
    const std::uint32_t start = found[first][EXP06_TIME_IN];
    std::int32_t last_in = 0;
    std::int32_t first_out = INT32_MAX;
    for (std::uint32_t block = first; block < first + blocks; ++block) {
      last_in = std::max(last_in, static_cast<std::int32_t>(found[block][EXP06_TIME_IN] - start));
      first_out = std::min(first_out, static_cast<std::int32_t>(found[block][EXP06_TIME_OUT] - start));
    }
    if (first_out < last_in - kClockSkewNs) {
      throw bench::Error("a block of blocks {} to {} left a barrier {} ns before the last had come to it", first,
                         first + blocks - 1, last_in - first_out);
    }
  }
}

}  // namespace

std::uint32_t WeightedSum::operator()(std::span<const std::uint32_t> words) const {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < words.size(); ++i) sum += words[i] * EXP06_WEIGHT(i);
  return sum;
}

std::vector<std::vector<std::uint32_t>> records(bench::Device& device, const bench::Buffer& out, std::uint32_t grid) {
  std::vector<std::uint32_t> words(std::size_t{grid} * EXP06_RECORD_WORDS);
  device.download(out, 0, std::as_writable_bytes(std::span(words)));
  std::vector<std::vector<std::uint32_t>> list;
  list.reserve(grid);
  for (auto word = words.begin(); word != words.end(); word += EXP06_RECORD_WORDS)
    list.emplace_back(word, word + EXP06_RECORD_WORDS);
  return list;
}

void check(const bench::Workbench& bench, bench::Device& device, const Config& config, const bench::Buffer& out,
           std::uint32_t grid, WeightedSums& sums) {
  const std::uint64_t words = config.out_words(grid);
  if (config.shape == Shape::kExample) {
    bench::verify<std::uint32_t>(device, out, words, bench::kGuardWords,
                                 [&](std::uint64_t i) { return example_word(config, static_cast<std::uint32_t>(i)); });
    return;
  }
  const std::vector<std::vector<std::uint32_t>> found = records(device, out, grid);
  const std::vector<std::uint32_t> expected = results(bench, config, grid, sums);
  bench::verify<std::uint32_t>(device, out, words, bench::kGuardWords, [&](std::uint64_t i) {
    const std::uint64_t block = i / EXP06_RECORD_WORDS;
    const std::uint64_t word = i % EXP06_RECORD_WORDS;
    if (word < kResults) return expected[block * kResults + word];
    if (config.shape != Shape::kBarrier && (word == EXP06_TIME_IN || word == EXP06_TIME_OUT)) return 0U;
    // Times and SMs are what they are, if they were written.
    return found[block][word] == bench::kPoison ? 0U : found[block][word];
  });
  if (config.shape == Shape::kBarrier) check_times(config, found, grid);
}

std::uint64_t pair_map_words(std::uint32_t grid, std::uint32_t cluster) { return std::uint64_t{grid} * (1 + 2 * cluster); }

PairCycles pair_cycles(bench::Device& device, const bench::Buffer& out, std::uint32_t grid, std::uint32_t cluster) {
  std::vector<std::uint32_t> words(pair_map_words(grid, cluster));
  device.download(out, 0, std::as_writable_bytes(std::span(words)));
  const std::uint32_t end = chased(EXP06_PAIR_STEPS, EXP06_TABLE_WORDS);
  PairCycles found;
  for (std::uint32_t reader = 0; reader < grid; ++reader) {
    for (std::uint32_t rank = 0; rank < cluster; ++rank) {
      const std::uint32_t* pair = &words[grid + 2 * (std::size_t{reader} * cluster + rank)];
      const std::uint32_t owner = reader / cluster * cluster + rank;
      if (pair[0] != end) {
        throw bench::Error("wrong output: block {}'s chase through block {}'s memory ended at {}, expected {}", reader, owner,
                           pair[0], end);
      }
      if (owner == reader) continue;
      found.all.push_back(static_cast<double>(pair[1]) / EXP06_PAIR_STEPS);
      if ((words[reader] ^ words[owner]) == 1) found.one_tpc.push_back(found.all.back());
    }
  }
  return found;
}
