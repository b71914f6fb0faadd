// Containers of machine code as the drivers make them, built byte by byte: the right ones, and the parts to break them with.
#pragma once

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

using Instruction = std::array<std::uint64_t, 2>;
// As ptxas 13.0.88 wrote them.
inline constexpr Instruction kNop = {0x0000000000007918, 0x000fc00000000000};
inline constexpr Instruction kExit = {0x000000000000794d, 0x000fea0003800000};
inline constexpr Instruction kSelfBranchSm80 = {0xfffffff000007947, 0x000fc0000383ffff};
inline constexpr Instruction kSelfBranchSm90 = {0xfffffffc00fc7947, 0x000fc0000383ffff};

class Bytes {
 public:
  std::span<const std::byte> view() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

  Bytes& raw(const void* from, std::size_t size) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + size);
    if (size > 0) std::memcpy(bytes_.data() + end, from, size);
    return *this;
  }
  Bytes& bytes(const Bytes& other) { return raw(other.bytes_.data(), other.size()); }
  Bytes& text(std::string_view text) { return raw(text.data(), text.size()); }
  Bytes& u16(std::uint16_t value) { return raw(&value, sizeof value); }
  Bytes& u32(std::uint32_t value) { return raw(&value, sizeof value); }
  Bytes& u64(std::uint64_t value) { return raw(&value, sizeof value); }
  Bytes& instruction(const Instruction& value) { return raw(value.data(), sizeof value); }
  Bytes& fill_to(std::size_t size) {
    bytes_.resize(std::max(size, bytes_.size()));
    return *this;
  }
  Bytes& set_u32(std::size_t offset, std::uint32_t value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
    return *this;
  }

 private:
  std::vector<std::byte> bytes_;
};

// A 64-bit ELF file with these sections, the section names' section and, as index 0, the empty one.
inline Bytes elf(const std::vector<std::pair<std::string_view, Bytes>>& sections) {
  constexpr std::size_t kHeader = 64;
  Bytes names = Bytes().u16(0).text(".names").fill_to(9);  // offset 0 is the empty name, 2 is .names
  Bytes contents;
  struct Placed {
    std::uint32_t name;
    std::uint64_t offset;
    std::uint64_t size;
  };
  std::vector<Placed> placed;
  for (const auto& [name, content] : sections) {
    placed.push_back({static_cast<std::uint32_t>(names.size()), kHeader + contents.size(), content.size()});
    names.text(name).fill_to(names.size() + 1);
    contents.bytes(content);
  }
  placed.push_back({2, kHeader + contents.size(), names.size()});
  contents.bytes(names);

  Bytes file = Bytes()
                   .text(
                       "\x7f"
                       "ELF\x02\x01\x01")
                   .fill_to(0x12)
                   .u16(190)
                   .fill_to(0x28);  // EM_CUDA
  file.u64(kHeader + contents.size()).fill_to(0x3a).u16(kHeader);
  file.u16(static_cast<std::uint16_t>(placed.size() + 1)).u16(static_cast<std::uint16_t>(placed.size()));
  file.bytes(contents).fill_to(file.size() + kHeader);
  for (const Placed& one : placed) {
    const std::size_t begin = file.size();
    file.u32(one.name).u32(1).fill_to(begin + 24).u64(one.offset).u64(one.size).fill_to(begin + kHeader);
  }
  return file;
}

// An NVuc object: `sections` are {type, content}.
inline Bytes nvuc(const std::vector<std::pair<std::uint32_t, Bytes>>& sections) {
  constexpr std::size_t kTable = 32;
  constexpr std::size_t kEntry = 32;
  Bytes object = Bytes().text("NVuc").u32(0).u32(0xabcd0000U + static_cast<std::uint32_t>(sections.size())).fill_to(kTable);
  std::size_t offset = kTable + sections.size() * kEntry;
  for (const auto& [type, content] : sections) {
    const std::size_t begin = object.size();
    object.u32(type).u32(static_cast<std::uint32_t>(content.size())).u32(static_cast<std::uint32_t>(offset));
    object.fill_to(begin + kEntry);
    offset += content.size();
  }
  for (const auto& [type, content] : sections) object.bytes(content);
  return object;
}

inline Bytes zstd_frame(const Bytes& content) {
  std::vector<std::byte> frame(ZSTD_compressBound(content.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), content.view().data(), content.size(), 3));
  return Bytes().raw(frame.data(), frame.size());
}

inline constexpr std::size_t kSizeOffset = 96;  // of the object's size in nv_cache()

// A pipeline cache as driver 580.159.04 lays it out around a zstd frame that announces `size` bytes.
inline Bytes nv_cache(const Bytes& frame, std::size_t size) {
  Bytes cache = Bytes().u32(32).u32(1).u32(0x10de).u32(0x2335).fill_to(56).text("CPKV").fill_to(kSizeOffset);
  return cache.u32(static_cast<std::uint32_t>(size)).bytes(frame);
}

inline Bytes nv_cache_of(const Bytes& object) {
  const Bytes content = Bytes().text("NVDANVVM").bytes(object);
  return nv_cache(zstd_frame(content), content.size());
}

}  // namespace bench
