// A step of a side with its sizes, as a launch of common/core: no device is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "core/device/device.h"
#include "description/description.h"

namespace bench::own {

// A step's code, kept where the kernels that are loaded from it can point to it.
class Code {
 public:
  // `stem` is how messages and listings call it. `arch`: of the GPU, "sm_90a"; its digits are what the image is said to be for.
  Code(Compiled compiled, std::string stem, const std::string& arch);
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  const Compiled& compiled() const { return compiled_; }
  const KernelImages& images() const { return images_; }

 private:
  Compiled compiled_;
  std::string stem_;
  std::vector<CudaImage> cuda_;
  KernelImages images_;
};

// A side that compiled.
struct CompiledSide {
  std::vector<std::unique_ptr<Code>> steps;
};

struct Packed {
  // A buffer of the launch: one of the description's, or bytes of a scalar or struct that a descriptor wants in memory.
  struct Use {
    std::optional<std::size_t> buffer = {};  // into Description::buffers
    std::string label = {};
    std::vector<std::byte> bytes = {};
  };
  KernelSpec spec = {};
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::vector<std::byte> params = {};
  std::vector<Use> uses = {};
};

// Bytes of a buffer's elements.
std::uint64_t bytes_of(const Buffer& buffer, const Sizes& sizes);

// Throws Error: an expression without a value that counts.
Packed pack(const Description& description, SideApi api, const Step& step, const Code& code, const Sizes& sizes,
            Robustness robustness);

}  // namespace bench::own
