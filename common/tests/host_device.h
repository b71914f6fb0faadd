// A device whose buffers lie in the host's memory: what the fakes and the CPU backend of the tests have in common.
#pragma once

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/device/device.h"

namespace bench {

class HostBuffer final : public Buffer {
 public:
  HostBuffer(std::uint64_t bytes, std::string_view label, std::set<const Buffer*>& live)
      : Buffer(bytes, label), memory(bytes, std::byte{0xcd}), live_(live) {
    live_.insert(this);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer() noexcept override { live_.erase(this); }

  std::vector<std::byte> memory;  // holds garbage at first, as a GPU's does

 private:
  std::set<const Buffer*>& live_;
};

// The buffers of a launch are const where a kernel only reads; their memory is reached through here.
template <class T>
T* words_of(const Buffer& buffer) {
  auto& host = const_cast<HostBuffer&>(dynamic_cast<const HostBuffer&>(buffer));
  return reinterpret_cast<T*>(host.memory.data());
}

class HostDevice : public Device {
 public:
  explicit HostDevice(DeviceInfo info) : info_(std::move(info)) {}

  const DeviceInfo& info() const override { return info_; }
  std::unique_ptr<Buffer> allocate(std::uint64_t bytes, std::string_view label) override {
    return std::make_unique<HostBuffer>(bytes, label, live);
  }
  void write(Buffer& to, std::uint64_t offset, std::uint64_t bytes, const Producer& produce) override {
    to.check_words(offset, bytes);
    uploaded_bytes += bytes;
    for (std::uint64_t done = 0; done < bytes; done += kChunkBytes) {
      produce(done, {words_of<std::byte>(to) + offset + done, std::min(kChunkBytes, bytes - done)});
    }
  }
  void read(const Buffer& from, std::uint64_t offset, std::uint64_t bytes, const Consumer& consume) override {
    from.check_words(offset, bytes);
    for (std::uint64_t done = 0; done < bytes; done += kChunkBytes) {
      consume(done, {words_of<std::byte>(from) + offset + done, std::min(kChunkBytes, bytes - done)});
    }
  }
  void fill(Buffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) override {
    to.check_words(offset, bytes);
    std::fill_n(words_of<std::uint32_t>(to) + offset / 4, bytes / 4, word);
  }
  void fill_random(Buffer& to, std::uint64_t first, std::uint64_t words, std::uint64_t key) override {
    write(to, first * 4, words * 4, [&](std::uint64_t done, std::span<std::byte> chunk) {
      auto* target = reinterpret_cast<std::uint32_t*>(chunk.data());
      for (std::size_t i = 0; i < chunk.size() / 4; ++i) {
        const auto index = static_cast<std::uint32_t>(first + done / 4 + i);
        target[i] = input_word(random_word(index, static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)));
      }
    });
  }
  Checksum checksum(const Buffer& from, std::uint64_t words) override {
    Checksum sum;
    read(from, 0, words * 4, [&](std::uint64_t done, std::span<const std::byte> chunk) {
      sum.add(done / 4, {reinterpret_cast<const std::uint32_t*>(chunk.data()), chunk.size() / 4});
    });
    return sum;
  }

  std::set<const Buffer*> live;
  std::uint64_t uploaded_bytes = 0;

 private:
  static constexpr std::uint64_t kChunkBytes = 1ULL << 20;  // of a transfer

  DeviceInfo info_;
};

}  // namespace bench
