// libFuzzer's way into the parsers of what a driver hands out. Whatever the bytes: no read outside them, no exception, and code
// or a reason. Corpus: fuzz_corpus/, pipeline caches, NVuc objects and cubins.
#include <cstdint>
#include <cstdlib>

#include "core/code/machine_code.h"
#include "core/code/nv_cache.h"

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

void check(const bench::KernelCode& found) {
  expect(found.code.empty() != found.reason.empty());
  expect(found.code.size() % 16 == 0 && found.code.size() <= found.container.size());
  expect(bench::isa_hash(found.code).size() == (found.code.empty() ? 0 : 12));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT(readability-identifier-naming)
  const auto bytes = std::as_bytes(std::span(data, size));
  check(bench::read_nv_cache(bytes, std::size_t{1} << 20));
  check(bench::read_nvuc(bytes));
  if (const auto section = bench::elf_section(bytes, ".text.kernel")) expect(section->size() <= size);
  expect(bench::without_padding(bytes).size() <= size);
  return 0;
}
