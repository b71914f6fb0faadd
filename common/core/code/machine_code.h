// Machine code as bytes: taking it out of a cubin, and the hash by which a result names the code that it timed.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/device/device.h"

namespace bench {

// The value of type T at `offset`; nullopt if it does not lie inside `bytes`. Little-endian, as files and host both are.
template <class T>
std::optional<T> read_at(std::span<const std::byte> bytes, std::size_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The part [offset, offset + size); nullopt if it does not lie inside `bytes`.
std::optional<std::span<const std::byte>> part_of(std::span<const std::byte> bytes, std::size_t offset, std::size_t size);

// The first occurrence of `magic` at or after `from`.
std::optional<std::size_t> find_magic(std::span<const std::byte> bytes, std::string_view magic, std::size_t from = 0);

// The contents of the section `name` of a 64-bit little-endian ELF file, e.g. ".text.add_f32" of a cubin; nullopt if there is
// none or more than one, or the file is damaged. Sound for any bytes. Source: System V ABI, chapter 4, "Sections".
std::optional<std::span<const std::byte>> elf_section(std::span<const std::byte> file, std::string_view name);

// Sets code.code and code.container, or code.reason if the cubin has no instructions of `entry`.
void take_cubin(std::span<const std::byte> cubin, std::string_view entry, KernelCode& code);

// Of NVIDIA's since compute capability 7.0.
inline constexpr std::size_t kInstructionBytes = 16;

// NVIDIA code without what fills its end: NOPs, and before them the branch to itself that no thread reaches. Code that is no
// multiple of whole instructions is returned as it is.
std::span<const std::byte> without_padding(std::span<const std::byte> code);

// The first 12 of the 16 hex digits of the 64-bit FNV-1a of without_padding(code); "" for no code.
std::string isa_hash(std::span<const std::byte> code);

}  // namespace bench
