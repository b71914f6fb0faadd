// NumPy's .npy files: one array of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "description/description.h"

namespace bench::own {

// The elements of a file of `elements` numbers of `type`, little-endian, in C's order, whatever the array's shape. A bf16 is
// stored as its 16 bits (NumPy has no such type): u16. Source: NumPy Enhancement Proposal 1.
// Throws Error of one line: what the file holds, and what is wanted.
std::vector<std::byte> read_npy(const std::filesystem::path& file, Type type, std::uint64_t elements);

}  // namespace bench::own
