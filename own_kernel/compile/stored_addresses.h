// Addresses of buffers that a shader reads out of other buffers.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace bench::own {

// The name of what such an address points to, of the first that the entry point or a function that it calls reads: "Row", or
// "a buffer" where the module has no name; "" if all its addresses come from the push constants. Sound for any bytes.
std::string stored_address(std::span<const std::byte> spirv, const std::string& entry);

}  // namespace bench::own
