// What an entry point of a SPIR-V module takes, of whatever compiler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bench {

struct SpirvBinding {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  bool is_uniform = false;  // a uniform buffer; else a storage buffer
  bool is_array = false;    // of descriptors
  std::uint32_t bytes = 0;  // of the block up to an unsized array at its end
  std::string name = {};    // empty: the module has none
};

// A member of the push constants that is no struct; those of a nested one are listed as "outer.inner".
struct SpirvMember {
  std::string name = {};
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  bool is_address = false;  // of a buffer (PhysicalStorageBuffer)
  bool is_float = false;
  bool is_signed = false;
};

struct SpirvConstant {
  std::uint32_t id = 0;
  std::uint32_t bits = 32;  // 32 of a bool, too
  bool is_bool = false;
  bool is_float = false;
  bool is_signed = false;
  std::uint64_t value = 0;  // the default's bits
  std::string name = {};
};

struct SpirvEntry {
  std::string name = {};
  std::array<std::uint32_t, 3> local_size = {1, 1, 1};              // with the constants' defaults
  std::array<std::optional<std::uint32_t>, 3> local_size_ids = {};  // of a dimension: the specialization constant that sets it
  std::vector<SpirvBinding> bindings = {};                          // by set and binding
  std::vector<SpirvMember> push = {};                               // by offset
  std::uint32_t push_bytes = 0;                                     // to the end of the last push constant
  std::vector<SpirvConstant> constants = {};                        // by id
  std::vector<std::uint32_t> capabilities = {};                     // spv::Capability, of the module
  std::vector<std::string> extensions = {};                         // "SPV_KHR_..."
};

}  // namespace bench
