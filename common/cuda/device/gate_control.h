// Controls of what the gate does to a sample (see cuda/measure/gate.h): the same work, sampled in another way.
#pragma once

#include <memory>
#include <string_view>

#include "cuda/device/device.h"

namespace bench::cuda {

// For a graph's launch that may take more of a queue than other calls do. Should it wait until the gate gives up, its sample is
// not gated, and other bodies' samples are held as before (see HoldRecord).
void count_as_many(Body& body);

// "led_in": two untimed submissions stand between the gate and the start event. "not_held": there is no gate. The start event
// is recorded on an idle GPU, which may begin while the host still submits, and no sample counts as gated. Anything else: as
// Device::prepare. For a body of one part on one stream. Throws Error.
std::unique_ptr<bench::Subject> prepare_control(Device& device, Body body, std::string_view control);

}  // namespace bench::cuda
