// Whether what a description gives is what the compiled code takes. Needs no GPU.
#pragma once

#include <string>

#include "compile/compile.h"
#include "description/description.h"

namespace bench::own {

// "" if they agree; else what differs in one line, and both layouts side by side, as several lines without an end of the last.
// CUDA: number, sizes and offsets of the parameters, and whether they are floats where PTX tells. Vulkan: bindings, push
// constants, specialization constants, and the local size against `block` for all sizes.
std::string layout_difference(const Description& description, const Step& step, const Compiled& compiled);

// "" or one line: useful_bytes of some sizes is more than all buffers hold, those of an inout twice, in a launch that is alone.
// Probably a buffer's `elements` are too few: a kernel that reads past the end is seen by nothing else.
std::string doubtful_bytes(const Description& description);

// What `own_kernel --check` prints: a line for each launch, and for each struct its layout. `exit_code` is kOk where all agree,
// kFailed where something differs or does not compile, kAllSkipped where a compiler is missing and nothing else is wrong.
struct CheckReport {
  std::string text = {};
  int exit_code = 0;
};
CheckReport check(const Description& description, const Target& target);

}  // namespace bench::own
