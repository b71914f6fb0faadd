#include "core/device/device.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/base/data_words.h"
#include "core/base/error.h"
#include "core/base/parallel.h"

namespace bench {
namespace {

constexpr std::uint64_t kGrain = 1 << 16;  // words that are worth a thread

std::atomic<std::uint64_t> buffer_bytes = 0;  // of all that live

}  // namespace

std::uint64_t memory_limit() {
  const char* text = std::getenv("BENCH_MEMORY_LIMIT_MIB");
  if (text == nullptr || *text == '\0') return ~std::uint64_t{0};
  std::uint64_t mib = 0;
  const char* const last = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, last, mib);
  if (error != std::errc() || end != last || mib == 0 || mib > ~std::uint64_t{0} >> 20)
    throw UsageError("BENCH_MEMORY_LIMIT_MIB={}: expected a whole number of MiB above 0", text);
  return mib << 20;
}

Buffer::Buffer(std::uint64_t bytes) : bytes_(bytes), id_(next_id++) {
  const std::uint64_t others = buffer_bytes.fetch_add(bytes);
  if (const std::uint64_t limit = memory_limit(); others > limit || bytes > limit - others) {
    buffer_bytes -= bytes;
    throw OutOfMemory("{} bytes wanted beside {} in use, and BENCH_MEMORY_LIMIT_MIB allows {} MiB", bytes, others, limit >> 20);
  }
}

Buffer::~Buffer() { buffer_bytes -= bytes_; }

std::string_view to_string(Api api) { return api == Api::kCuda ? "cuda" : "vulkan"; }

std::string uuid_text(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

std::string_view to_string(BufferBinding binding) {
  constexpr std::string_view kNames[] = {"descriptors",       "uniform",  "push_descriptors",
                                         "descriptor_buffer", "bindless", "address"};
  return kNames[static_cast<std::size_t>(binding)];
}

std::string_view to_string(Robustness robustness) {
  constexpr std::string_view kNames[] = {"default", "disabled", "robustBufferAccess", "robustness2"};
  return kNames[static_cast<std::size_t>(robustness)];
}

std::string_view to_string(SetUse use) {
  constexpr std::string_view kNames[] = {"once", "per_dispatch", "updated"};
  return kNames[static_cast<std::size_t>(use)];
}

const Kernel* kernel_of(const Work& work) {
  if (const auto* passes = std::get_if<Passes>(&work)) return passes->launches.back().kernel;
  const auto* launch = std::get_if<Launch>(&work);
  return launch == nullptr ? nullptr : launch->kernel;
}

void check_sample(const SubjectOptions& options, std::uint32_t batch, bool evict_l2) {
  if (!std::holds_alternative<Nothing>(options.before) && (batch != 1 || evict_l2)) {
    throw Error("a sample whose launch wants something done before it is one launch with nothing evicted, not {}{}", batch,
                evict_l2 ? " after an eviction" : "");
  }
}

std::unique_ptr<Buffer> Device::allocate_shareable(std::uint64_t /*bytes*/, std::string_view /*label*/) {
  throw Skip("{} cannot export memory to another API", to_string(info().api));
}

std::unique_ptr<Buffer> Device::allocate_sparse(std::uint64_t /*bytes*/, std::string_view /*label*/, PageOrder /*order*/) {
  throw Skip("{} does not bind pages here", to_string(info().api));
}

void Device::start(const Work& /*work*/) { throw Skip("{} waits for every work here", to_string(info().api)); }

double Device::finish() { throw Error("{}: no work was started", to_string(info().api)); }

Device& Device::peer() { throw Skip("{} does not reach another GPU's memory here", to_string(info().api)); }

std::unique_ptr<DeviceCounters> Device::counters() { throw Skip("{} does not open hardware counters", to_string(info().api)); }

void Device::set_l2_fetch_bytes(std::uint32_t bytes) {
  if (bytes != 0) throw Skip("{} cannot say how much the L2 fetches at a time", to_string(info().api));
}

ExportedMemory Device::export_memory(const Buffer& /*shareable*/) {
  throw Skip("{} cannot export memory to another API", to_string(info().api));
}

std::unique_ptr<Buffer> Device::import_memory(ExportedMemory /*memory*/, std::string_view /*label*/) {
  throw Skip("{} cannot import another API's memory", to_string(info().api));
}

void Device::fill_random(Buffer& to, std::uint64_t first, std::uint64_t words, std::uint64_t key) {
  constexpr std::uint64_t kWord = sizeof(std::uint32_t);
  const auto key_lo = static_cast<std::uint32_t>(key);
  const auto key_hi = static_cast<std::uint32_t>(key >> 32);
  write(to, first * kWord, words * kWord, [&](std::uint64_t done, std::span<std::byte> chunk) {
    auto* target = reinterpret_cast<std::uint32_t*>(chunk.data());
    parallel_for(chunk.size() / kWord, kGrain, [&](std::uint64_t begin, std::uint64_t end) {
      const std::uint64_t index = first + done / kWord;
      for (std::uint64_t i = begin; i < end; ++i) {
        target[i] = input_word(random_word(static_cast<std::uint32_t>(index + i), key_lo, key_hi));
      }
    });
  });
}

Checksum Device::checksum(const Buffer& from, std::uint64_t words) {
  constexpr std::uint64_t kWord = sizeof(std::uint32_t);
  Checksum sum;
  read(from, 0, words * kWord, [&](std::uint64_t done, std::span<const std::byte> chunk) {
    sum.add(done / kWord, {reinterpret_cast<const std::uint32_t*>(chunk.data()), chunk.size() / kWord});
  });
  return sum;
}

void Device::upload(Buffer& to, std::uint64_t offset, std::span<const std::byte> from) {
  write(to, offset, from.size(), [from](std::uint64_t done, std::span<std::byte> chunk) {
    std::memcpy(chunk.data(), from.data() + done, chunk.size());
  });
}

void Device::download(const Buffer& from, std::uint64_t offset, std::span<std::byte> to) {
  read(from, offset, to.size(), [to](std::uint64_t done, std::span<const std::byte> chunk) {
    std::memcpy(to.data() + done, chunk.data(), chunk.size());
  });
}

}  // namespace bench
