// Which SMs are one GPC's, from where clusters ran.
#pragma once

#include <cstdint>
#include <vector>

// Of the SMs 0, 1, ...: a number for each set of those that some cluster joined, in the order of each set's first SM. `joined`:
// the SMs of one cluster each. Throws Error for an SM that is not among the first `sms`.
std::vector<std::uint32_t> gpcs_of(const std::vector<std::vector<std::uint32_t>>& joined, std::uint32_t sms);
