// The runs that time nothing: --dump-isa and --profile.
#pragma once

#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/run/open_devices.h"

namespace bench {

// Sets every case up as for timing, so that its kernels are loaded (and right), and writes down their code in `folder`.
// `listed` are all devices that there are, opened or not: an API may name the architecture of a GPU that another has open.
// Returns the program's exit code. Throws what IsaDump does.
int dump_kernels(const Experiment& experiment, const std::vector<Case>& cases, const std::string& folder,
                 const DeviceList& listed, OpenDevices& devices);

// Every case's kernel once, alone in a range of the case's name. Whoever profiles sets its own caches and clocks. Returns the
// program's exit code.
int run_for_profiler(const Experiment& experiment, const std::vector<Case>& cases, OpenDevices& devices);

}  // namespace bench
