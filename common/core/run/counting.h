// The run that counts instead of timing: --count. Both APIs by one instrument, the GPU's own counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/run/open_devices.h"

namespace bench {

// Every case's kernel, counted in two or three sessions, one of them for executed instructions: a row a case and API in the CSV
// `path`, which keys it as the result files do. All figures are of one launch.
//
// warm: after one launch that is not counted, so many that their traffic, or their time, is well above an idle GPU's.
// cold: the L2 is evicted before the session, and the session holds one launch. What it wrote may still lie in the L2 then: the
// bytes to memory are those of a session that ends with another eviction, whose own traffic to memory is none but reads.
//
// First the instrument is checked through each API, by a kernel of known traffic, the L2's eviction: where it does not see
// that, the API's rows have no counts. The same goes for what the machine lacks; stderr says it in one line.
// `evict_bytes`: that the eviction reads. Returns the program's exit code.
int count_cases(const Experiment& experiment, const std::vector<Case>& cases, const std::string& path,
                std::uint64_t evict_bytes, OpenDevices& devices);

}  // namespace bench
