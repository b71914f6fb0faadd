// What a SPIR-V module takes, as the initializer of a bench::SpirvInterface (common/core/device/kernel_images.h).
//   spirv_interface <file.spv> <file.inc>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/code/spirv_module.h"

namespace {

bench::SpirvModule module_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return bench::SpirvModule(std::as_bytes(std::span(bytes)));
}

std::string interface_of(const bench::SpirvModule& module) {
  const std::vector<std::string> entries = module.entries();
  if (entries.size() != 1) throw bench::Error("{} entry points for compute; a kernel of the suite has one", entries.size());
  const bench::SpirvEntry entry = module.entry(entries[0]);
  if (!entry.no_buffers.empty()) throw bench::Error("takes a {}; kernels of the suite take buffers alone", entry.no_buffers[0]);
  std::string storage;
  std::string uniform;
  for (const bench::SpirvBinding& one : entry.bindings) {
    (one.is_uniform ? uniform : storage) +=
        fmt::format("{{{}, {}, {}, {}}}, ", one.set, one.binding, one.is_uniform, one.is_array);
  }
  std::set<std::uint32_t> ids;
  for (const bench::SpirvConstant& one : entry.constants) ids.insert(one.id);
  return fmt::format("{{{{{}{}}}, {}, {{{}}}}}\n", storage, uniform, entry.push_bytes, fmt::join(ids, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw bench::UsageError("usage: spirv_interface <file.spv> <file.inc>");
    const std::string text = interface_of(module_of(argv[1]));
    std::ofstream out(argv[2]);
    out << text;
    if (!out.flush()) throw bench::Error("{} cannot be written", argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argc > 1 ? argv[1] : argv[0], error.what());
    return 1;
  }
}
