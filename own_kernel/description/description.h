// A user's TOML file, read: what is launched, on what data, and what must come out. Plain structs; read.h makes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device/device.h"

namespace bench::own {

// What would move a terminal's cursor or break a line.
constexpr bool is_control_character(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }
constexpr bool has_control_character(std::string_view text) { return std::ranges::any_of(text, is_control_character); }

// A number of one size, as an integer up to 2^53 in magnitude is exact in it.
using Sizes = std::map<std::string, double>;

// Text that is evaluated with the sizes (expression.h): "ceil(n / 256)", or a number as it was written.
struct Expression {
  std::string text = {};
  std::uint32_t line = 0;  // of the TOML file
};

enum class Type : std::uint8_t { kF16, kBf16, kF32, kF64, kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kBool };
constexpr std::array<std::string_view, 13> kTypeNames = {"f16", "bf16", "f32", "f64", "i8",  "u8",  "i16",
                                                         "u16", "i32",  "u32", "i64", "u64", "bool"};
constexpr std::string_view to_string(Type type) { return kTypeNames.at(static_cast<std::size_t>(type)); }
// Bytes of one element. A bool is for a specialization constant alone: 4 bytes, 0 or 1 (VkBool32).
constexpr std::size_t bytes_of(Type type) {
  constexpr std::array<std::size_t, 13> kBytes = {2, 2, 4, 8, 1, 1, 2, 2, 4, 4, 8, 8, 4};
  return kBytes.at(static_cast<std::size_t>(type));
}
constexpr bool is_float(Type type) { return type <= Type::kF64; }

enum class Content : std::uint8_t {
  kRandom,    // floats in [0, 1), integers over all their values, or both in `range`; `seed`
  kZeros,     //
  kCounting,  // 0, 1, 2, ...
  kFile,      // a .npy file of the buffer's type and number of elements
  kValues,    // Buffer::values
};
enum class Role : std::uint8_t {
  kIn,
  kOut,
  kInout,
  kScratch,  // between the launches of one side: zeros at first, never compared
};

struct Buffer {
  std::string name = {};
  Type type = Type::kF32;
  Expression elements = {};
  Content content = Content::kRandom;      // of an output: zeros
  std::optional<std::uint64_t> seed = {};  // buffers of one seed hold the same; none: each its own numbers
  std::vector<Expression> range = {};      // of random numbers, two or none: floats below the second, integers up to it
  std::filesystem::path file = {};         // absolute, as all paths here
  std::vector<Expression> values = {};     // one for all elements, or one for each
  Role role = Role::kIn;
  std::filesystem::path expected = {};  // a .npy file; empty: the sides are compared with each other
  std::uint32_t line = 0;
};

struct Scalar {
  std::string name = {};
  Type type = Type::kU32;
  Expression value = {};
  std::uint32_t line = 0;
};

// Of a struct: a number, or the address of a buffer.
struct Member {
  std::string name = {};
  Type type = Type::kU32;  // of an address: u64
  Expression value = {};
  std::optional<std::size_t> buffer = {};  // index into Description::buffers, whose address stands here
  std::uint32_t offset = 0;                // bytes from the struct's begin
  std::uint32_t line = 0;
};

// Members at their natural alignment, as in C, unless one gives its own offset.
struct Struct {
  std::string name = {};
  std::vector<Member> members = {};
  std::uint32_t bytes = 0;  // with the padding behind the last member
  std::uint32_t alignment = 1;
  std::uint32_t line = 0;
};

// How a Vulkan kernel gets an argument.
enum class As : std::uint8_t {
  kParameter,  // CUDA: the next parameter of the kernel; a buffer's is its address
  kStorage,    // a storage buffer at (set, binding). A scalar or struct here gets a buffer of its own
  kUniform,    // a uniform buffer at (set, binding), likewise
  kPush,       // in the push constants at byte `push`; a buffer's is its 64-bit address
};

struct Argument {
  enum class Kind : std::uint8_t { kBuffer, kScalar, kStruct };
  std::string name = {};
  Kind kind = Kind::kBuffer;
  std::size_t index = 0;  // into Description's buffers, scalars or structs
  As as = As::kParameter;
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  std::uint32_t push = 0;
  std::uint32_t line = 0;
};

// A specialization constant.
struct Constant {
  std::uint32_t id = 0;
  Type type = Type::kU32;
  Expression value = {};
};

// One launch. Lists that CUDA or Vulkan does not have are empty.
struct Step {
  std::filesystem::path file = {};  // .cu .ptx .cubin .comp .spv
  std::string entry = {};           // CUDA: the function's name; SPIR-V: the entry point, main by default
  std::string instance = {};        // of a template: "saxpy<float, 4>"; empty: none
  std::vector<Argument> arguments = {};
  std::array<Expression, 3> block = {};  // threads in x, y, z; an absent one is "1"
  std::array<Expression, 3> grid = {};   // blocks (workgroups) in x, y, z
  Expression shared_bytes = {"0"};       // CUDA: dynamic shared memory
  std::vector<std::string> flags = {};
  std::vector<std::filesystem::path> include = {};
  std::vector<std::pair<std::string, std::string>> defines = {};
  std::vector<Constant> constants = {};  // Vulkan, by id
  std::uint32_t subgroup_size = 0;       // Vulkan; 0: the driver's choice. CUDA: 32
  bool barrier = true;                   // before this step: it waits for the earlier ones. Of the first step: no meaning
  std::uint32_t line = 0;
};

enum class SideApi : std::uint8_t { kCuda, kVulkan };
constexpr std::string_view to_string(SideApi api) { return api == SideApi::kCuda ? "CUDA" : "Vulkan"; }

// A kernel with its launch, or a pipeline of them. All steps are of one API, which follows from the files' endings.
struct Side {
  std::string name = {};  // "CUDA", "Vulkan"; of two sides of one API: `name`, else the file's name, each its own
  SideApi api = SideApi::kCuda;
  std::vector<Step> steps = {};  // at least one
  std::uint32_t line = 0;
};

// How far an output may be from what is expected; |a - b| <= value, <= value * |b|, or at most `value` floats apart.
struct Tolerance {
  enum class Kind : std::uint8_t { kAbsolute, kRelative, kUlp };
  Kind kind = Kind::kUlp;
  double value = 0;
};

struct Description {
  std::filesystem::path file = {};
  std::string name = {};
  Expression useful_bytes = {};        // per side and launch of all steps; empty text: all buffers' bytes, an inout's twice
  Expression operations = {};          // empty text: not told
  std::vector<Cache> caches = {};      // empty: by footprint
  std::optional<Tolerance> tolerance;  // none: integers exactly, floats to 2 ulp
  bool restores_each = false;          // one launch per sample, the inout buffers put back before it
  std::vector<Sizes> sizes = {};       // at least one; {} where the file names no sizes
  std::vector<Buffer> buffers = {};
  std::vector<Scalar> scalars = {};
  std::vector<Struct> structs = {};
  std::vector<Side> sides = {};  // one or two
};

}  // namespace bench::own
