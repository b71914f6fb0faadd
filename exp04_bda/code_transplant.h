// One driver's machine code in the other's clothes: a Vulkan kernel's instructions in a CUDA cubin, so that a launch of CUDA's
// runs them. What is then left of a difference in time is not the code's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// Where the parameters of `entry` begin in constant bank 0, in bytes; nullopt if the cubin does not tell.
// Source: section .nv.info.<entry>, attribute EIATTR_PARAM_CBANK (0x0a), as ptxas 13.0 writes it.
std::optional<std::uint32_t> parameter_offset(std::span<const std::byte> cubin, std::string_view entry);

// What the code must read of constant bank 0, and where that is found in CUDA's launch: a driver's layout of a kernel's buffers
// and push constants, which no API tells.
struct ConstantLayout {
  // For the constant at a byte offset, its offset in CUDA's launch; nullopt for one that CUDA's launch does not have.
  std::function<std::optional<std::uint32_t>(std::uint32_t offset)> moved;
  // Offsets that the kernel reads if this is the layout, e.g. of each buffer's address. Where the code leaves one out, the
  // layout is another, and what it reads elsewhere means something else.
  std::vector<std::uint32_t> read;
};

struct Transplant {
  std::vector<std::byte> cubin;  // empty if it cannot be done
  std::string reason;            // why not
};

// `cubin`, which is of `arch` ("sm_90a"), with the instructions of `entry` replaced by `code`: for compute capabilities 7.0 to
// 9.x, whose instructions these are. The code must keep to `registers` registers, which the entry must have, and read of
// constants just what `layout` says.
Transplant transplant(std::string_view arch, std::span<const std::byte> cubin, std::string_view entry,
                      std::span<const std::byte> code, std::uint32_t registers, const ConstantLayout& layout);

}  // namespace bench
