// What Vulkan records of a chain whose dispatches are each handed other buffers than the one before.
#pragma once

#include <memory>

#include "core/device/device.h"

// `turn` after `turn`, each dispatch ordered after the one before: two launches of one kernel without params, the second with
// the first one's two buffers swapped. The pipeline is bound once, and so is what both launches share. Before a dispatch stands
// what its binding takes to hand over other buffers, and nothing else.
std::unique_ptr<bench::Subject> vulkan_chain(bench::Device& device, const bench::Passes& turn, bench::SubmitMode mode);
