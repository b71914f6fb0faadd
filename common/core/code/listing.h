// What a driver lists of a kernel (KernelCode::text), where it gives out no bytes: parts that begin with "==== NAME".
#pragma once

#include <string>
#include <string_view>

#include "core/device/device.h"

namespace bench {

// The part whose name has "assembly" in it, without that line: of several the last. "" for none.
std::string_view assembly_of(std::string_view text);

// isa_hash() of the code; where there is none, of what is listed: the words that stand behind the instructions, each after its
// "; " (RADV), without those that fill the end (s_code_end); of an assembly without words its lines. "" for neither.
std::string isa_hash(const KernelCode& code);

}  // namespace bench
