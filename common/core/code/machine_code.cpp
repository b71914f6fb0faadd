#include "core/code/machine_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace bench {
namespace {

std::uint64_t word(std::span<const std::byte> instruction, std::size_t index) {
  std::uint64_t value = 0;
  std::memcpy(&value, instruction.data() + index * sizeof value, sizeof value);
  return value;
}

// Bits 11:0 are the opcode.
bool is_nop(std::span<const std::byte> instruction) { return (word(instruction, 0) & 0xfff) == 0x918; }

// BRA with an offset of -16 from the next instruction. The offset, in 4-byte units, is bits 81:34; from compute capability 9.0
// on its lowest 8 bits are bits 23:16. Both forms as ptxas 13.0 writes them for sm_80 and sm_90a.
bool is_self_branch(std::span<const std::byte> instruction) {
  const std::uint64_t low = word(instruction, 0);
  const std::uint64_t offset_low = low >> 34;                        // bits 63:34
  const std::uint64_t offset_high = word(instruction, 1) & 0x3ffff;  // bits 81:64
  const std::uint64_t offset_byte = low >> 16 & 0xff;
  const bool before_9 = offset_low == 0x3ffffffc && offset_byte == 0;
  const bool since_9 = offset_low == 0x3fffffff && offset_byte == 0xfc;
  return (low & 0xfff) == 0x947 && offset_high == 0x3ffff && (before_9 || since_9);
}

// The zero-terminated text at `offset` of a string table equals `name`.
bool names(std::span<const std::byte> strings, std::size_t offset, std::string_view name) {
  const auto found = part_of(strings, offset, name.size() + 1);
  return found && std::memcmp(found->data(), name.data(), name.size()) == 0 && found->back() == std::byte{0};
}

}  // namespace

std::optional<std::span<const std::byte>> part_of(std::span<const std::byte> bytes, std::size_t offset, std::size_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  return bytes.subspan(offset, size);
}

std::optional<std::size_t> find_magic(std::span<const std::byte> bytes, std::string_view magic, std::size_t from) {
  if (from > bytes.size()) return std::nullopt;
  const auto wanted = std::as_bytes(std::span(magic));
  const auto tail = bytes.subspan(from);
  const auto found = std::search(tail.begin(), tail.end(), wanted.begin(), wanted.end());
  if (found == tail.end()) return std::nullopt;
  return from + static_cast<std::size_t>(found - tail.begin());
}

std::optional<std::span<const std::byte>> elf_section(std::span<const std::byte> file, std::string_view name) {
  constexpr std::string_view kElf64LittleEndian =
      "\x7f"
      "ELF\x02\x01";
  constexpr std::uint32_t kNoBits = 8;  // SHT_NOBITS: takes no room in the file
  constexpr std::size_t kHeaderBytes = 64;
  if (find_magic(file.first(std::min(file.size(), kElf64LittleEndian.size())), kElf64LittleEndian) != 0U) return std::nullopt;
  const auto table = read_at<std::uint64_t>(file, 0x28);
  const auto entry_bytes = read_at<std::uint16_t>(file, 0x3a);
  const auto entries = read_at<std::uint16_t>(file, 0x3c);
  const auto names_index = read_at<std::uint16_t>(file, 0x3e);
  if (!table || !entry_bytes || !entries || !names_index || *entry_bytes != kHeaderBytes) return std::nullopt;
  const auto headers = part_of(file, *table, std::size_t{*entries} * kHeaderBytes);
  if (!headers || *names_index >= *entries) return std::nullopt;

  const auto contents = [&](std::size_t index) -> std::optional<std::span<const std::byte>> {
    const auto header = headers->subspan(index * kHeaderBytes, kHeaderBytes);
    if (read_at<std::uint32_t>(header, 4) == kNoBits) return std::nullopt;
    return part_of(file, *read_at<std::uint64_t>(header, 24), *read_at<std::uint64_t>(header, 32));
  };
  const auto strings = contents(*names_index);
  if (!strings) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < *entries; ++i) {
    if (!names(*strings, *read_at<std::uint32_t>(*headers, i * kHeaderBytes), name)) continue;
    if (found) return std::nullopt;  // which of the two a loader takes is not said
    found = i;
  }
  return found ? contents(*found) : std::nullopt;
}

void take_cubin(std::span<const std::byte> cubin, std::string_view entry, KernelCode& code) {
  const auto section = elf_section(cubin, fmt::format(".text.{}", entry));
  if (!section || section->empty()) {
    code.reason = fmt::format("the cubin has not exactly one section .text.{}", entry);
    return;
  }
  code.code.assign(section->begin(), section->end());
  code.container.assign(cubin.begin(), cubin.end());
  code.container_type = "cubin";
}

std::span<const std::byte> without_padding(std::span<const std::byte> code) {
  if (code.size() % kInstructionBytes != 0) return code;
  const auto drop_last = [&code](auto is_padding) {
    if (code.empty() || !is_padding(code.last(kInstructionBytes))) return false;
    code = code.first(code.size() - kInstructionBytes);
    return true;
  };
  while (drop_last(is_nop)) {
  }
  drop_last(is_self_branch);
  return code;
}

std::string isa_hash(std::span<const std::byte> code) {
  if (code.empty()) return "";
  std::uint64_t hash = 0xcbf29ce484222325;  // offset basis and prime: http://www.isthe.com/chongo/tech/comp/fnv/
  for (const std::byte byte : without_padding(code)) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  return fmt::format("{:016x}", hash).substr(0, 12);
}

}  // namespace bench
