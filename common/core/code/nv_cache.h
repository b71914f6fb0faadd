// The machine code in NVIDIA's Vulkan pipeline cache: found by magics and sizes, in bytes that need not be what they claim.
#pragma once

#include <cstddef>
#include <span>

#include "core/device/device.h"

namespace bench {

// Both give a KernelCode's code, its container, which is the object from the magic NVuc on (what nvdisasm reads as a file), and
// the reason.

// Takes the code out of the data of a VkPipelineCache that holds one compute pipeline. Any bytes will do: damage, another
// driver's container or an object over `max_object_bytes` is a reason, never an exception or a read outside the data.
//
// The layout, as driver 580.159.04 writes it (offsets differ by driver, so the parts are found by their magics):
//   VkPipelineCacheHeaderVersionOne (Vulkan 1.3, section 10.7.3), `CPKV` ..., the object's size (32 bits), one zstd frame.
// The frame holds `NVDANVVM` and an object for read_nvuc().
KernelCode read_nv_cache(std::span<const std::byte> cache, std::size_t max_object_bytes = std::size_t{64} << 20);

// The object with the magic `NVuc`: the third word's low half is the number of sections; the table at byte 32 has 32 bytes a
// section, which begin with type, size and offset (from the magic). Type 1 is code. The first three words of an entry and the
// code's type are as nvcachetools' nvucdump (github.com/therontarigo/nvcachetools) describes them.
KernelCode read_nvuc(std::span<const std::byte> object);

}  // namespace bench
