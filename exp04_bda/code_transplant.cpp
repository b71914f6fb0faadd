#include "code_transplant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/code/machine_code.h"

namespace bench {
namespace {

constexpr std::uint32_t kNoRegister = 255;  // RZ

// NOP, as ptxas 13.0 fills the end of a kernel with.
constexpr std::uint64_t kNopWords[] = {0x0000000000007918, 0x000fc00000000000};

std::uint32_t bits(std::uint64_t word, std::uint32_t first, std::uint32_t count) {
  return static_cast<std::uint32_t>(word >> first & ((1ULL << count) - 1));
}

// Fields of an instruction's lower 64 bits, seen in the listings of ptxas 13.0 and of driver 580.
std::uint32_t opcode(std::uint64_t word) { return bits(word, 0, 12); }
std::uint32_t destination(std::uint64_t word) { return bits(word, 16, 8); }
std::uint32_t constant_offset(std::uint64_t word) { return bits(word, 38, 16); }
std::uint32_t constant_bank(std::uint64_t word) { return bits(word, 54, 5); }

// Bits 11:9 say where an operand comes from: 3 and 5 are the constant bank, as the third or second source.
bool reads_constant(std::uint64_t word) { return bits(word, 9, 3) == 3 || bits(word, 9, 3) == 5; }

// Branches have a part of their offset where others have a destination; of stores it is 0.
bool is_branch(std::uint64_t word) { return opcode(word) == 0x947; }

std::string check_registers(std::uint64_t word, std::size_t at, std::uint32_t registers) {
  // The widest write, 128 bits, takes three more.
  const bool fits = is_branch(word) || destination(word) == kNoRegister || destination(word) + 3 < registers;
  return fits ? "" : fmt::format("instruction {:#x} may write more than {} registers", at, registers);
}

// "sm_70" to "sm_9x", with or without a letter behind.
bool has_these_instructions(std::string_view arch) {
  if (!arch.starts_with("sm_")) return false;
  arch.remove_prefix(3);
  const std::size_t digits = std::min(arch.find_first_not_of("0123456789"), arch.size());
  return digits == 2 && arch[0] >= '7' && arch.size() - digits <= 1;
}

// `read` gets the offset.
std::string move_constant(std::uint64_t& word, std::size_t at, const ConstantLayout& layout, std::set<std::uint32_t>& read) {
  if (!reads_constant(word)) return "";
  const std::uint32_t offset = constant_offset(word);
  read.insert(offset);
  const auto target = constant_bank(word) == 0 ? layout.moved(offset) : std::nullopt;
  if (!target || *target > 0xffff) {
    return fmt::format("instruction {:#x} reads c[{:#x}][{:#x}], which a CUDA launch does not have", at, constant_bank(word),
                       offset);
  }
  word = (word & ~(0xffffULL << 38)) | std::uint64_t{*target} << 38;
  return "";
}

}  // namespace

std::optional<std::uint32_t> parameter_offset(std::span<const std::byte> cubin, std::string_view entry) {
  const auto info = elf_section(cubin, fmt::format(".nv.info.{}", entry));
  if (!info) return std::nullopt;
  // Attributes: format, name, and then 16 bits of value (format 4: of size, before the value).
  for (std::size_t at = 0; at + 4 <= info->size();) {
    const auto format = *read_at<std::uint8_t>(*info, at);
    const auto name = *read_at<std::uint8_t>(*info, at + 1);
    const auto size = *read_at<std::uint16_t>(*info, at + 2);
    if (format == 4 && name == 0x0a) return read_at<std::uint16_t>(*info, at + 8);
    at += format == 4 ? 4U + size : 4U;
  }
  return std::nullopt;
}

Transplant transplant(std::string_view arch, std::span<const std::byte> cubin, std::string_view entry,
                      std::span<const std::byte> code, std::uint32_t registers, const ConstantLayout& layout) {
  if (!has_these_instructions(arch)) {
    return {{}, fmt::format("the architecture is {}, and this is for sm_70 to sm_9x", arch.empty() ? "unknown" : arch)};
  }
  const auto section = elf_section(cubin, fmt::format(".text.{}", entry));
  if (!section) return {{}, fmt::format("the cubin has no section .text.{}", entry)};
  const std::span<const std::byte> instructions = without_padding(code);
  if (instructions.empty() || instructions.size() % kInstructionBytes != 0) return {{}, "no instructions of 16 bytes"};
  if (instructions.size() > section->size()) {
    return {{}, fmt::format("{} bytes of code do not fit {} bytes of {}", instructions.size(), section->size(), entry)};
  }
  Transplant result = {{cubin.begin(), cubin.end()}, ""};
  std::set<std::uint32_t> read;
  std::byte* target = result.cubin.data() + (section->data() - cubin.data());
  for (std::size_t at = 0; at + kInstructionBytes <= section->size(); at += kInstructionBytes) {
    std::uint64_t words[] = {kNopWords[0], kNopWords[1]};
    if (at < instructions.size()) {
      std::memcpy(words, instructions.data() + at, kInstructionBytes);
      std::string reason = check_registers(words[0], at, registers);
      if (reason.empty()) reason = move_constant(words[0], at, layout, read);
      if (!reason.empty()) return {{}, reason};
    }
    std::memcpy(target + at, words, kInstructionBytes);
  }
  for (const std::uint32_t offset : layout.read) {
    if (!read.contains(offset)) {
      return {{}, fmt::format("the code does not read c[0x0][{:#x}]: this driver lays out its constants otherwise", offset)};
    }
  }
  return result;
}

}  // namespace bench
