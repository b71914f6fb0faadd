// The shapes of Vulkan's products that the search tries.
#pragma once

#include <vector>

#include "core/experiment/experiment.h"
#include "variants.h"

// In each type, of both kinds of kernel (a workgroup's matrices, a subgroup's), for both layouts of B, by two orders of tiles:
// all tiles of 64 to 256 rows and columns and 16 to 64 elements (8-bit types: 32 to 128) deep, by 128, 256 and 512 invocations,
// whose sums fit the registers and whose operands fit 48 KiB of shared memory.
std::vector<Shape> search_space();
