// What a compute entry point of a SPIR-V module takes, whatever compiler made the module.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// A member of a block that is no struct; those of a nested one are called "outer.inner".
struct SpirvMember {
  std::string name = {};
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  bool is_address = false;  // of a buffer (PhysicalStorageBuffer)
  bool is_float = false;    // what it or its elements are
  bool is_signed = false;
};

struct SpirvBinding {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  bool is_uniform = false;  // a uniform buffer; else a storage buffer
  bool is_array = false;    // of descriptors
  std::uint64_t bytes = 0;  // of the block up to an unsized array at its end; 0: the module does not tell
  std::string name = {};    // empty: the module has none
  std::string block = {};   // the name of its type, likewise
  std::string member = {};  // the name of the type's last member, which the data are mostly in, likewise
  // What that member's elements are made of.
  std::uint32_t element_bits = 0;  // 0: a struct, or not told
  bool element_is_float = false;
  bool element_is_signed = false;
  std::uint64_t element_stride = 0;       // bytes from one element of an unsized array at the end to the next; 0: there is none
  std::vector<SpirvMember> members = {};  // of a uniform buffer, by offset; empty where its layout cannot be told
  bool is_readonly = false;               // declared so
  bool is_writeonly = false;
};

struct SpirvConstant {
  std::uint32_t id = 0;
  std::uint32_t bits = 32;  // of a bool, too
  bool is_bool = false;
  bool is_float = false;
  bool is_signed = false;
  std::uint64_t value = 0;  // bits of the default
  std::string name = {};
};

struct SpirvEntry {
  std::string name = {};
  std::array<std::uint32_t, 3> local_size = {1, 1, 1};              // with the constants that were given
  std::array<std::optional<std::uint32_t>, 3> local_size_ids = {};  // the specialization constant that is a dimension
  std::vector<SpirvBinding> bindings = {};                          // that the entry uses, by set and binding
  std::vector<SpirvMember> push = {};                               // by offset
  std::uint32_t push_bytes = 0;                                     // to the end of the last push constant
  std::vector<SpirvConstant> constants = {};                        // the module's, by id
  std::vector<std::uint32_t> capabilities = {};                     // spv::Capability, the module's
  std::vector<std::string> extensions = {};                         // the module's, "SPV_KHR_..."
  std::vector<std::string> no_buffers = {};  // what else it uses: "storage image \"out\" (set 0, binding 1)"
  // What an address points to that it reads out of a buffer, the first of them: "Row", or "a buffer" where the module has no
  // name; empty: all its addresses come from the push constants.
  std::string stored_address = {};
};

// Values of specialization constants in place of their defaults, by id.
using SpirvValues = std::map<std::uint32_t, std::uint64_t>;

class SpirvModule {
 public:
  // Throws Error of one line if the bytes are no whole module. Sound for any bytes.
  explicit SpirvModule(std::span<const std::byte> bytes);
  SpirvModule(SpirvModule&&) noexcept;
  SpirvModule& operator=(SpirvModule&&) noexcept;
  ~SpirvModule() noexcept;

  // Names of the entry points for compute.
  std::vector<std::string> entries() const;
  // Throws Error if there is no such entry point, naming those there are, or if what it takes cannot be told.
  SpirvEntry entry(std::string_view name, const SpirvValues& values = {}) const;

 private:
  struct Content;
  std::unique_ptr<const Content> content_;
};

}  // namespace bench
