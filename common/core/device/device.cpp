#include "core/device/device.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/device/offers.h"

namespace bench {
namespace {

std::atomic<std::uint64_t> buffer_bytes = 0;  // of all that live

}  // namespace

std::uint64_t memory_limit() {
  const char* text = std::getenv("BENCH_MEMORY_LIMIT_MIB");
  if (text == nullptr || *text == '\0') return ~std::uint64_t{0};
  const auto mib = parse_number<std::uint64_t>(text);
  if (!mib || *mib == 0 || *mib > ~std::uint64_t{0} >> 20)
    throw UsageError("BENCH_MEMORY_LIMIT_MIB={}: expected a whole number of MiB above 0", text);
  return *mib << 20;
}

Buffer::Buffer(std::uint64_t bytes, std::string_view label) : bytes_(bytes), id_(next_id++), label_(label) {
  const std::uint64_t others = buffer_bytes.fetch_add(bytes);
  if (const std::uint64_t limit = memory_limit(); others > limit || bytes > limit - others) {
    buffer_bytes -= bytes;
    throw OutOfMemory("{} bytes wanted beside {} in use, and BENCH_MEMORY_LIMIT_MIB allows {} MiB", bytes, others, limit >> 20);
  }
}

Buffer::~Buffer() { buffer_bytes -= bytes_; }

void Buffer::check_range(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset > bytes_ || bytes > bytes_ - offset) {
    throw Error("buffer '{}' has {} bytes: [{}, {} + {}) is not inside", label_, bytes_, offset, offset, bytes);
  }
}

void Buffer::check_words(std::uint64_t offset, std::uint64_t bytes) const {
  check_range(offset, bytes);
  if (offset % 4 != 0 || bytes % 4 != 0) {
    throw Error("buffer '{}': offset {} and size {} must be multiples of 4", label_, offset, bytes);
  }
}

KernelSpec KernelSpec::with(const OwnKernel& own) const {
  KernelSpec result = *this;
  result.cuda.own = result.vulkan.own = {};
  if (!own.stem.empty()) result.images = &find_kernel(own.from, own.stem);
  if (!own.entry.empty()) result.entry = own.entry;
  if (!own.constants.empty()) result.constants = own.constants;
  if (own.shared_bytes != 0) result.shared_bytes = own.shared_bytes;
  return result;
}

std::string uuid_text(const std::optional<Uuid>& uuid) {
  std::string text;
  for (std::size_t i = 0; uuid && i < uuid->size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", (*uuid)[i]);
  }
  return text;
}

const Kernel* kernel_of(const Work& work) {
  if (const auto* passes = std::get_if<Passes>(&work)) return passes->launches.back().kernel;
  const auto* launch = std::get_if<Launch>(&work);
  return launch == nullptr ? nullptr : launch->kernel;
}

void check_with_before(std::uint32_t batch) {
  if (batch != 1) throw Error("a sample whose launch wants something done before it is one launch, not {}", batch);
}

void Device::lacks(std::string_view what) const { throw Skip("{} {}", to_string(info().api), what); }

ClusterLimits cluster_limits(const Kernel& kernel) {
  const auto* clusters = dynamic_cast<const Clusters*>(&kernel);
  if (clusters == nullptr) throw Skip("kernel {} has no clusters of blocks here", kernel.spec().entry);
  return clusters->cluster_limits();
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
