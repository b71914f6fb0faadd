#include "core/device/data_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/base/data_words.h"
#include "core/base/error.h"
#include "core/device/probe.h"

namespace bench {
namespace {

constexpr std::uint32_t kBlock = 256;
// 2048 blocks of 256 threads fill 256 SMs; each thread takes the next word of its own in turn.
constexpr std::uint64_t kMostBlocks = 2048;

std::unique_ptr<Kernel> load(Device& device, std::span<const KernelImages> images, std::string_view stem, std::uint32_t buffers,
                             std::size_t bytes, std::uint32_t block = kBlock) {
  return device.load({.images = &find_kernel(images, stem),
                      .entry = std::string(stem),
                      .block_x = device.info().max_block_x == 0 ? block : std::min(block, device.info().max_block_x),
                      .buffers = buffers,
                      .params_bytes = static_cast<std::uint32_t>(bytes)});
}

std::uint32_t blocks_for(const Kernel& kernel, std::uint64_t words) {
  const std::uint64_t threads = kernel.spec().block_x;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>((words + threads - 1) / threads, 1, kMostBlocks));
}

void check(const Buffer& buffer, std::uint64_t words) {
  if (words > buffer.bytes() / sizeof(std::uint32_t) || words > ~std::uint32_t{0})
    throw Error("{} words of a buffer of {} bytes, which kernels count in 32 bits", words, buffer.bytes());
}

}  // namespace

void DataKernels::fill_random(const Buffer& to, std::uint64_t first, std::uint64_t words, std::uint64_t key) {
  check(to, first + words);
  if (words == 0) return;
  if (!random_words_) random_words_ = load(device_, images_, "random_words", 1, sizeof(RandomWordsParams));
  const RandomWordsParams params = {.first = static_cast<std::uint32_t>(first),
                                    .count = static_cast<std::uint32_t>(words),
                                    .key_lo = static_cast<std::uint32_t>(key),
                                    .key_hi = static_cast<std::uint32_t>(key >> 32)};
  device_.run(Launch{random_words_.get(), {blocks_for(*random_words_, words), 1, 1}, {&to}, params_bytes(params)});
}

Checksum DataKernels::checksum(const Buffer& from, std::uint64_t words) {
  check(from, words);
  if (!checksum_) checksum_ = load(device_, images_, "checksum", 2, sizeof(ChecksumParams));
  std::array<std::uint32_t, 2> sums{};
  if (!sums_) sums_ = device_.allocate(sizeof sums, "checksum");
  device_.fill(*sums_, 0, sizeof sums, 0);
  const ChecksumParams params = {.count = static_cast<std::uint32_t>(words)};
  device_.run(Launch{checksum_.get(), {blocks_for(*checksum_, words), 1, 1}, {&from, sums_.get()}, params_bytes(params)});
  device_.download(*sums_, 0, std::as_writable_bytes(std::span(sums)));
  return {.lo = sums[0], .hi = sums[1]};
}

Launch DataKernels::empty_launch() {
  if (!empty_) empty_ = load(device_, images_, "empty", 0, 0);
  return {.kernel = empty_.get(), .grid = {1, 1, 1}};
}

Launch DataKernels::cache_probe() {
  if (!probe_) {
    probe_ = load(device_, images_, "probe", 2, sizeof(ProbeParams), 1);
    probed_ = device_.allocate(PROBE_WORDS * sizeof(std::uint32_t), "cache probe");
    probe_end_ = device_.allocate(sizeof(std::uint32_t), "cache probe's end");
    device_.fill(*probed_, 0, probed_->bytes(), 0);
  }
  return {probe_.get(), {1, 1, 1}, {probed_.get(), probe_end_.get()}, params_bytes(ProbeParams{PROBE_LOADS})};
}

}  // namespace bench
