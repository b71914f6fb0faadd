// One side of a case on its device: buffers filled, launched once, verified; then ready to be timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "description/description.h"
#include "run/pack.h"

namespace bench::own {

// A description whose sides have been compiled.
struct Job {
  Description description;
  std::vector<std::optional<CompiledSide>> sides;  // of the description; none: it is not to be run
  std::vector<std::string> toolkits;               // what compiled each
};

// What the sides of the case in hand left in their outputs, by buffer: the second side's are held against the first's.
struct Outputs {
  std::string by;
  std::map<std::size_t, std::shared_ptr<const std::vector<std::byte>>> of;
};

struct SideCase {
  std::size_t side = 0;
  std::size_t sizes = 0;            // of the description
  std::optional<std::size_t> step;  // which is timed alone; none: all of them
  Robustness robustness = Robustness::kDefault;
  bool restores = false;  // each sample is one launch with the inout buffers put back
  bool replays = false;   // of a step: likewise, with all that it is given put back as the steps before it leave it
  bool alone = false;     // nothing is held against the other side; instead every element of an output must be written
  bool is_first = true;   // of the case's sides
};

// Throws Error where the output is wrong, with the buffer, an index and both values; Skip where the device lacks something.
// Both outlive what is returned.
Prepared set_up(Workbench& bench, const Job& job, const SideCase& of, Outputs& outputs);

// Whether a step, launched again and again, may find what it is given in a state that no step of its side leaves to it: another
// step writes there, too, and the code does not say that this one only reads or only writes there. A counter that another step
// clears would send it past the ends of its buffers. What either side's code says of a buffer counts for both.
bool must_replay(const Job& job, std::size_t step);

// Bytes that a side's buffers take on the device, copies to restore from and guards included.
std::uint64_t device_bytes(const Description& description, const Side& side, const Sizes& sizes);

}  // namespace bench::own
