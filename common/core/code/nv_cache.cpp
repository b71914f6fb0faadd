#include "core/code/nv_cache.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "core/code/machine_code.h"

namespace bench {
namespace {

constexpr std::uint32_t kNvidiaVendor = 0x10de;  // PCI vendor id
constexpr std::size_t kCacheHeaderBytes = 32;
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";  // RFC 8878, section 3.1.1
constexpr int kMaxWindowLog = 26;  // a frame may ask for a window of up to 2^26 = 64 Mi bytes of memory

KernelCode no_code(std::string reason) { return {.reason = std::move(reason)}; }

// Decompresses the frame at the start of `bytes`, which has to come out as exactly `size` bytes. Memory follows what really
// comes out, a block at a time: a size that lies costs nothing.
std::vector<std::byte> decompress(std::span<const std::byte> bytes, std::size_t size, std::string& reason) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  std::vector<std::byte> result;
  std::vector<std::byte> block(ZSTD_DStreamOutSize());
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  std::size_t left = 1;  // 0 at the end of the frame
  bool fits = true;
  while (left != 0 && fits) {
    ZSTD_outBuffer output{block.data(), block.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(left) != 0) {
      reason = fmt::format("its zstd frame is damaged ({})", ZSTD_getErrorName(left));
      return {};
    }
    if (left != 0 && output.pos == 0 && input.pos == input.size) {
      reason = "its zstd frame is cut short";
      return {};
    }
    fits = output.pos <= size - result.size();
    if (fits) result.insert(result.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(output.pos));
  }
  if (!fits || result.size() != size) {
    reason = fmt::format("its zstd frame does not hold the {} bytes it announces", size);
    return {};
  }
  return result;
}

}  // namespace

KernelCode read_nv_cache(std::span<const std::byte> cache, std::size_t max_object_bytes) {
  const auto header_bytes = read_at<std::uint32_t>(cache, 0);
  const auto version = read_at<std::uint32_t>(cache, 4);
  const auto vendor = read_at<std::uint32_t>(cache, 8);
  if (!header_bytes || !version || !vendor || *header_bytes < kCacheHeaderBytes || *header_bytes > cache.size() ||
      *version != 1) {
    return no_code("no pipeline cache header of version 1");
  }
  if (*vendor != kNvidiaVendor) return no_code(fmt::format("a cache of vendor {:#06x}, not of NVIDIA", *vendor));
  const auto entry = find_magic(cache, "CPKV", *header_bytes);
  if (!entry) return no_code("no entry with the magic CPKV");
  const auto frame = find_magic(cache, kZstdMagic, *entry);
  if (!frame) return no_code("no zstd frame after the magic CPKV");
  // The frame is preceded by four bytes at least: those of CPKV.
  const std::uint32_t size = *read_at<std::uint32_t>(cache, *frame - sizeof size);
  if (size > max_object_bytes) {
    return no_code(fmt::format("an object of {} bytes, which is more than the {} that are sane", size, max_object_bytes));
  }
  std::string reason;
  const std::vector<std::byte> content = decompress(cache.subspan(*frame), size, reason);
  if (!reason.empty()) return no_code(reason);
  const auto object = find_magic(content, "NVuc");
  if (!object) return no_code("no object with the magic NVuc");
  return read_nvuc(std::span(content).subspan(*object));
}

KernelCode read_nvuc(std::span<const std::byte> object) {
  constexpr std::size_t kTable = 32;
  constexpr std::size_t kEntryBytes = 32;
  constexpr std::uint32_t kCodeType = 1;
  if (find_magic(object.first(std::min<std::size_t>(object.size(), 4)), "NVuc") != 0U) {
    return no_code("no object with the magic NVuc");
  }
  KernelCode result{
      .container = {object.begin(), object.end()}, .container_type = "nvuc", .reason = "the NVuc object has no code section"};
  const std::size_t sections = read_at<std::uint32_t>(object, 8).value_or(0) & 0xffff;
  const auto table = object.size() < kTable ? std::nullopt : part_of(object, kTable, sections * kEntryBytes);
  if (!table) {
    result.reason = "the NVuc object's section table is cut short";
    return result;
  }
  for (std::size_t i = 0; i < sections; ++i) {
    if (read_at<std::uint32_t>(*table, i * kEntryBytes) != kCodeType) continue;
    const std::uint32_t size = *read_at<std::uint32_t>(*table, i * kEntryBytes + 4);
    const std::uint32_t offset = *read_at<std::uint32_t>(*table, i * kEntryBytes + 8);
    const auto code = part_of(object, offset, size);
    if (!code || size == 0 || size % kInstructionBytes != 0) {
      result.reason =
          fmt::format("the NVuc object's code section (offset {}, {} bytes of {}) is no run of 16-byte instructions", offset,
                      size, object.size());
      result.code.clear();
      return result;
    }
    if (!result.code.empty()) {
      result.reason = "the NVuc object has more than one code section";
      result.code.clear();
      return result;
    }
    result.code.assign(code->begin(), code->end());
    result.reason.clear();
  }
  return result;
}

}  // namespace bench
