// Launches that must all start from the same state, timed and counted.
#pragma once

#include <memory>
#include <vector>

#include "core/device/device.h"

namespace bench {

// `work`, with `before` ahead of every launch of it. A sample is one launch and has no untimed launches before it, because they
// would start from another state. What restore() does is in no count of the time_host() after it. The device outlives it.
std::unique_ptr<Subject> restored(Device& device, const Work& work, const std::vector<Work>& before);

}  // namespace bench
