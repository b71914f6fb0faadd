// own_kernel FILE --chip NAME: what other GPUs' compilers make of the Vulkan sides, on a machine without such a GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace bench::own {

struct OtherChip {
  std::string name;        // as scripts/dump_sass.py --chip has it; "": none
  std::uint32_t wave = 0;  // threads per subgroup, where the file leaves them open; 0: the driver's choice
};

// Becomes scripts/run.sh --kernel FILE --chip NAME, which knows how a driver is started for a chip that is not here, and starts
// this program again on it. `out`: the folder to write into; "": the script's. Throws UsageError where the scripts are not
// beside this program.
[[noreturn]] void list_for(const OtherChip& chip, const std::filesystem::path& file, const std::string& out);

}  // namespace bench::own
