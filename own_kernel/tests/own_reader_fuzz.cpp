// libFuzzer's way into the readers of what a user hands in. Whatever the bytes: a description, what code takes, or one line
// that says what is wrong. By their first bytes: a SPIR-V module, a cubin, PTX, else TOML. Corpus: the examples.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compile/cuda_code.h"
#include "core/base/error.h"
#include "core/code/spirv_module.h"
#include "description/read.h"

namespace {

void expect_line(std::string_view text) {
  if (text.empty() || text.find('\n') != std::string_view::npos) std::abort();
}

void read_as_what_it_is(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  if (text.starts_with("\x03\x02\x23\x07")) {
    const bench::SpirvModule module(bytes);
    for (const std::string& name : module.entries()) module.entry(name, {{0, 64}});
  } else if (text.starts_with("\x7f"
                              "ELF")) {
    bench::own::cubin_kernels(bytes);
  } else if (text.find(".entry") != std::string_view::npos) {
    bench::own::ptx_kernels(text);
  } else {
    bench::own::read_description(text, "/nowhere/fuzz.toml");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT(readability-identifier-naming)
  try {
    read_as_what_it_is({reinterpret_cast<const char*>(data), size});
  } catch (const bench::Error& error) {
    expect_line(error.what());
  } catch (const bench::UsageError& error) {
    expect_line(error.what());
  }
  return 0;
}
