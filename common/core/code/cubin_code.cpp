#include "core/code/cubin_code.h"

#include <fmt/format.h>

#include "core/code/machine_code.h"

namespace bench {

void take_cubin(std::span<const std::byte> cubin, const std::string& entry, KernelCode& code) {
  const auto section = elf_section(cubin, ".text." + entry);
  if (!section || section->empty()) {
    code.reason = fmt::format("the cubin has no section .text.{}", entry);
    return;
  }
  code.code.assign(section->begin(), section->end());
  code.container.assign(cubin.begin(), cubin.end());
}

}  // namespace bench
