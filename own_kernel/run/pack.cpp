#include "run/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "description/expression.h"
#include "description/values.h"

namespace bench::own {
namespace {

struct Arch {
  int major = 0;
  int minor = 0;
  bool specific = false;
};

// "sm_90a", "sm_120"
Arch parse_arch(std::string_view text) {
  Arch arch;
  text.remove_prefix(std::min(text.size(), std::string_view("sm_").size()));
  arch.specific = text.ends_with('a');
  if (arch.specific) text.remove_suffix(1);
  const int digits = parse_number<int>(text).value_or(0);
  arch.major = digits / 10;
  arch.minor = digits % 10;
  return arch;
}

SpirvInterface interface_of(const SpirvEntry& entry) {
  SpirvInterface takes;
  for (const SpirvBinding& one : entry.bindings) takes.buffers.push_back({one.set, one.binding, one.is_uniform, one.is_array});
  takes.push_bytes = entry.push_bytes;
  for (const SpirvConstant& one : entry.constants) takes.constants.push_back(one.id);
  return takes;
}

// An absent one is 1, of a length 0.
std::uint32_t dimension(const Expression& expression, const Sizes& sizes, std::uint32_t absent = 1) {
  if (expression.text.empty()) return absent;
  const std::uint64_t count = count_of(expression, sizes);
  if (count > 0xffffffffU)
    throw Error("line {}: {} is {}: more than a dimension can have", expression.line, expression.text, count);
  return static_cast<std::uint32_t>(count);
}

class Packing {
 public:
  Packing(const Description& description, const Sizes& sizes) : description_(description), sizes_(sizes) {}

  // In CUDA's order. Each lies where no type needs more alignment.
  void add_parameter(const Argument& argument) {
    const std::uint32_t bytes = bytes_of_value(argument);
    const auto offset = static_cast<std::uint32_t>((packed_.params.size() + kAlignment - 1) / kAlignment * kAlignment);
    put(argument, offset);
    packed_.spec.cuda.arguments.push_back({offset, bytes});
  }

  void add_push(const Argument& argument) { put(argument, argument.push); }

  void add_descriptor(const Argument& argument) {
    VulkanInterface::Descriptor descriptor = {
        .set = argument.set, .binding = argument.binding, .is_uniform = argument.as == As::kUniform};
    if (argument.kind == Argument::Kind::kBuffer) {
      descriptor.buffer = use(argument.index);
      descriptor.bytes = own::bytes_of(description_.buffers[argument.index], sizes_);
    } else {
      descriptor.buffer = static_cast<std::uint32_t>(packed_.uses.size());
      descriptor.bytes = bytes_of_value(argument);
      packed_.uses.push_back({.label = argument.name, .bytes = value(argument)});
    }
    interface().descriptors.push_back(descriptor);
  }

  VulkanInterface& interface() {
    if (!packed_.spec.vulkan.interface) packed_.spec.vulkan.interface.emplace();
    return *packed_.spec.vulkan.interface;
  }
  Packed& packed() { return packed_; }

 private:
  static constexpr std::uint32_t kAlignment = 16;

  std::uint32_t bytes_of_value(const Argument& argument) const {
    if (argument.kind == Argument::Kind::kBuffer) return sizeof(std::uint64_t);
    if (argument.kind == Argument::Kind::kStruct) return description_.structs[argument.index].bytes;
    return static_cast<std::uint32_t>(own::bytes_of(description_.scalars[argument.index].type));
  }

  // Of a scalar or struct; the addresses in a struct are still 0.
  std::vector<std::byte> value(const Argument& argument) const {
    if (argument.kind == Argument::Kind::kScalar) {
      const Scalar& scalar = description_.scalars[argument.index];
      return bytes_of_number(scalar.type, value_of(scalar.value, sizes_));
    }
    std::vector<std::byte> bytes(bytes_of_value(argument));
    if (argument.kind != Argument::Kind::kStruct) return bytes;
    for (const Member& member : description_.structs[argument.index].members) {
      if (!member.buffer) put_number(member.type, value_of(member.value, sizes_), bytes.data() + member.offset);
    }
    return bytes;
  }

  void put(const Argument& argument, std::uint32_t offset) {
    const std::vector<std::byte> bytes = value(argument);
    if (packed_.params.size() < offset + bytes.size()) packed_.params.resize(offset + bytes.size());
    std::memcpy(packed_.params.data() + offset, bytes.data(), bytes.size());
    if (argument.kind == Argument::Kind::kBuffer) packed_.spec.addresses.push_back({offset, use(argument.index)});
    if (argument.kind != Argument::Kind::kStruct) return;
    for (const Member& member : description_.structs[argument.index].members) {
      if (member.buffer) packed_.spec.addresses.push_back({offset + member.offset, use(*member.buffer)});
    }
  }

  // The launch's number of a description's buffer.
  std::uint32_t use(std::size_t buffer) {
    const auto found = std::ranges::find_if(packed_.uses, [&](const Packed::Use& one) { return one.buffer == buffer; });
    if (found == packed_.uses.end()) {
      packed_.uses.push_back({.buffer = buffer, .label = description_.buffers[buffer].name});
      return static_cast<std::uint32_t>(packed_.uses.size() - 1);
    }
    return static_cast<std::uint32_t>(found - packed_.uses.begin());
  }

  const Description& description_;
  const Sizes& sizes_;
  Packed packed_;
};

// As wide and of the kind that the module has it.
std::vector<std::byte> bytes_of_constant(const SpirvConstant& constant, double number) {
  Type type = Type::kU32;
  if (constant.is_bool) {
    type = Type::kBool;
  } else if (constant.is_float) {
    type = constant.bits == 16 ? Type::kF16 : constant.bits == 64 ? Type::kF64 : Type::kF32;
  } else {
    type = constant.bits == 8 ? Type::kU8 : constant.bits == 16 ? Type::kU16 : constant.bits == 64 ? Type::kU64 : Type::kU32;
  }
  return bytes_of_number(type, number);
}

void add_constants(const Step& step, const SpirvEntry& takes, const std::optional<std::array<std::uint32_t, 3>>& block,
                   const Sizes& sizes, VulkanInterface& interface) {
  const auto add = [&](std::uint32_t id, double number) {
    const auto found = std::ranges::find(takes.constants, id, &SpirvConstant::id);
    if (found == takes.constants.end()) throw Error("line {}: the module has no specialization constant {}", step.line, id);
    interface.constants.push_back({id, bytes_of_constant(*found, number)});
  };
  for (const Constant& one : step.constants) add(one.id, value_of(one.value, sizes));
  // The workgroup's size follows the block, unless the file says otherwise.
  for (std::size_t i = 0; i < 3 && block; ++i) {
    const auto id = takes.local_size_ids[i];
    if (id && std::ranges::find(step.constants, *id, &Constant::id) == step.constants.end()) add(*id, (*block)[i]);
  }
}

}  // namespace

Code::Code(Compiled compiled, std::string stem, const std::string& arch)
    : compiled_(std::move(compiled)), stem_(std::move(stem)) {
  images_.stem = stem_;
  if (compiled_.kind == Compiled::Kind::kSpirv) {
    images_.spirv = compiled_.bytes;
    images_.takes = interface_of(compiled_.spirv);
    images_.spirv_by = compiled_.by;
    return;
  }
  const Arch of = parse_arch(arch);
  cuda_.push_back({.major = of.major,
                   .minor = of.minor,
                   .arch_specific = of.specific,
                   .is_ptx = compiled_.kind == Compiled::Kind::kPtx,
                   .bytes = compiled_.bytes});
  images_.cuda = cuda_;
  images_.cuda_by = compiled_.by;
}

std::uint64_t bytes_of(const Buffer& buffer, const Sizes& sizes) {
  return count_of(buffer.elements, sizes, 1) * own::bytes_of(buffer.type);
}

Packed pack(const Description& description, SideApi api, const Step& step, const Code& code, const Sizes& sizes,
            Robustness robustness) {
  Packing packing(description, sizes);
  for (const Argument& argument : step.arguments) {
    if (argument.as == As::kParameter) {
      packing.add_parameter(argument);
    } else if (argument.as == As::kPush) {
      packing.add_push(argument);
    } else {
      packing.add_descriptor(argument);
    }
  }
  Packed& packed = packing.packed();
  KernelSpec& spec = packed.spec;
  const Sizes of_step = sizes_of(step, sizes);
  std::array<std::uint32_t, 3> block = {};
  for (std::size_t i = 0; i < 3; ++i) {
    packed.grid[i] = dimension(step.grid[i], of_step);
    block[i] = dimension(step.block[i], of_step);
  }
  // A file may leave a shader's workgroup to the shader.
  const bool has_block = api == SideApi::kCuda || !step.block[0].text.empty();
  if (!has_block) block = own::interface_of(code.compiled(), step, sizes).local_size;
  if (api == SideApi::kVulkan) {
    packing.interface().subgroup_size = step.subgroup_size;
    add_constants(step, code.compiled().spirv, has_block ? std::optional(block) : std::nullopt, of_step, packing.interface());
    packed.params.resize((packed.params.size() + 3) / 4 * 4);  // push constants come in words
    spec.vulkan.robustness = robustness;
  }
  spec.images = &code.images();
  spec.entry = code.compiled().entry;
  spec.block_x = block[0];
  spec.block_y = block[1];
  spec.block_z = block[2];
  spec.buffers = static_cast<std::uint32_t>(packed.uses.size());
  spec.params_bytes = static_cast<std::uint32_t>(packed.params.size());
  spec.shared_bytes = api == SideApi::kCuda ? dimension(step.shared_bytes, of_step, 0) : 0;
  return packed;
}

}  // namespace bench::own
