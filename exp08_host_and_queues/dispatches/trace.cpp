#include "trace.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "params.h"

Trace trace_of(std::span<const std::uint32_t> words, std::uint32_t blocks) {
  struct Change {
    std::int32_t at;
    std::int32_t by;
  };
  using Ticks = std::numeric_limits<std::int32_t>;
  const std::size_t words_of_dispatch = std::size_t{blocks} * EXP08_TRACE_WORDS;
  const std::uint32_t origin = words[0];
  std::vector<Change> changes;
  std::set<std::uint32_t> sms;
  std::int32_t first = 0;
  std::int32_t last = 0;
  for (std::size_t at = 0; at < words.size(); at += words_of_dispatch) {
    std::int32_t begin = Ticks::max();
    std::int32_t end = Ticks::min();
    for (std::size_t block = at; block < at + words_of_dispatch; block += EXP08_TRACE_WORDS) {
      begin = std::min(begin, static_cast<std::int32_t>(words[block] - origin));
      end = std::max(end, static_cast<std::int32_t>(words[block + 1] - origin));
      sms.insert(words[block + 2]);
    }
    first = std::min(first, begin);
    last = std::max(last, end);
    changes.push_back({begin, 1});
    changes.push_back({end, -1});
  }
  // What ends as another begins was not there at once with it.
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.at != b.at ? a.at < b.at : a.by < b.by; });
  std::int32_t now = 0;
  std::int32_t most = 0;
  for (const Change& one : changes) most = std::max(most, now += one.by);
  return {static_cast<double>(last) - first, static_cast<std::uint32_t>(most),
          sms.contains(EXP08_NO_SM) ? 0 : static_cast<std::uint32_t>(sms.size())};
}
