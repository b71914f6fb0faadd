// What kernels in a cubin or in PTX take, by the code's own records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench::own {

// A parameter, in bytes.
struct CudaParameter {
  enum class Holds : std::uint8_t { kUnknown, kInteger, kFloat, kBytes };
  std::uint32_t index = 0;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  Holds holds = Holds::kUnknown;  // PTX tells: kBytes is a struct; a cubin does not
};

struct CudaKernel {
  std::string name = {};                           // as the code calls it
  std::vector<CudaParameter> parameters = {};      // by index
  std::vector<std::uint32_t> required_block = {};  // x, y, z of __block_size__ or .reqntid; empty: any
  std::uint64_t most_threads = 0;                  // of a block, by __launch_bounds__ or .maxntid; 0: not said
  std::vector<std::string> refused = {};           // what own kernels may not use: "the device global coef, which nothing sets"
};

// The kernels of a cubin, in its order. Throws Error of one line if it is none, or damaged. Sound for any bytes.
std::vector<CudaKernel> cubin_kernels(std::span<const std::byte> cubin);

// The kernels that PTX declares, in its order. Throws Error of one line if it declares none that can be read.
std::vector<CudaKernel> ptx_kernels(std::string_view ptx);

// "void saxpy<float, 4>(float, float const*)" of a mangled name; the name itself if it is none.
std::string demangled(const std::string& name);

}  // namespace bench::own
