#include "core/workbench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/process.h"
#include "core/verify.h"

namespace bench {
namespace {

// Own and shared buffers are there side by side.
std::string suffix(Memory memory) { return memory == Memory::kOwn ? "" : fmt::format(", {}", to_string(memory)); }

}  // namespace

std::string_view to_string(Memory memory) {
  constexpr std::string_view kNames[] = {"own", "from_vulkan", "from_cuda", "vulkan_sparse", "vulkan_scattered"};
  return kNames[static_cast<std::size_t>(memory)];
}

std::string_view to_string(Verified verified) {
  constexpr std::string_view kNames[] = {"", "checksum", "full"};
  return kNames[static_cast<std::size_t>(verified)];
}

const KernelImages& Workbench::keep(const std::string& stem, const CudaImage& image) {
  const auto [place, is_new] = made_.try_emplace(stem);
  Made& made = place->second;
  if (is_new) {
    made = {stem, {image.bytes.begin(), image.bytes.end()}, image, {}};
    made.image.bytes = made.bytes;
    made.images = {.stem = made.stem, .cuda = {&made.image, 1}, .spirv = {}};
  }
  return made.images;
}

const Kernel& Workbench::kernel(const KernelSpec& spec) {
  const std::string key =
      fmt::format("{}/{}/{:05}/{}/{}/{}/{}/{}/{}/{}/{}/{}", spec.images == nullptr ? "" : spec.images->stem, spec.entry,
                  spec.block_x, fmt::join(spec.glsl_constants, "."), spec.buffers, spec.params_bytes, to_string(spec.binding),
                  to_string(spec.robustness), spec.shared_bytes, spec.cluster_x, spec.most_l1, spec.imported);
  Asked& asked = kernels_[key];
  if (!asked.kernel) {
    asked.spec = spec;
    try {
      asked.kernel = device_.load(spec);
    } catch (const Skip& skip) {
      asked.reason = skip.what();
      throw;
    }
  }
  return *asked.kernel;
}

std::unique_ptr<Buffer> Workbench::allocate(const std::string& name, std::uint64_t bytes, Memory memory) {
  if (memory == Memory::kOwn) return device_.allocate(bytes, name);
  if (memory == Memory::kSparse || memory == Memory::kScattered) {
    if (device_.info().api == Api::kCuda) return device_.allocate(bytes, name);
    return device_.allocate_sparse(bytes, name, memory == Memory::kSparse ? PageOrder::kInOrder : PageOrder::kScattered);
  }
  if (partner_ == nullptr)
    throw Skip("memory shared by CUDA and Vulkan wants both on one GPU; only {} is here", to_string(device_.info().api));
  if ((memory == Memory::kFromVulkan) == (device_.info().api == Api::kVulkan)) return device_.allocate_shareable(bytes, name);
  // The partner's slot may be larger: its size then serves both.
  return device_.import_memory(partner_->device_.export_memory(*partner_->slot(name, bytes, memory).buffer), name);
}

Workbench::Slot& Workbench::slot(const std::string& name, std::uint64_t bytes, Memory memory) {
  Slot& slot = slots_[name];
  if (!slot.buffer || slot.buffer->bytes() < bytes) {
    slot = {};  // the old allocation goes first: both together may not fit
    slot.buffer = allocate(name, bytes, memory);
  }
  return slot;
}

const Buffer& Workbench::input(std::uint32_t stream, std::uint64_t words, Memory memory) {
  Slot& slot = this->slot(fmt::format("input {}{}", stream, suffix(memory)), words * sizeof(std::uint32_t), memory);
  if (slot.filled_words < words) {
    const double started = now_s();
    device_.fill_random(*slot.buffer, slot.filled_words, words - slot.filled_words, random_key(seed_, stream));
    slot.filled_words = words;
    input_s_ += now_s() - started;
  }
  return *slot.buffer;
}

Buffer& Workbench::output(const std::string& name, std::uint64_t words, Memory memory) {
  const std::uint64_t bytes = (words + kGuardWords) * sizeof(std::uint32_t);
  Slot& slot = this->slot(name + suffix(memory), bytes, memory);
  device_.fill(*slot.buffer, 0, bytes, kPoison);
  return *slot.buffer;
}

void Workbench::begin_case(std::string name) {
  case_ = std::move(name);
  outputs_ = 0;
  verified_ = Verified::kNothing;
}

void Workbench::confirm(const std::string& reference, const Buffer& output, std::uint64_t words,
                        const std::function<Checksum()>& verify_in_full) {
  const double started = now_s();
  VerifiedOutputs* const outputs = case_.empty() ? nullptr : verified_outputs_;
  const bool shared = !reference.empty();
  const VerifiedOutputs::Output key = {.name = shared ? reference : case_, .number = shared ? 0 : outputs_++, .words = words};
  const Checksum made = outputs == nullptr ? Checksum() : device_.checksum(output, words);
  if (outputs != nullptr && outputs->has(key, made)) {
    verified_ = std::max(verified_, Verified::kChecksum);
  } else {
    verified_ = Verified::kFull;
    const Checksum read = verify_in_full();
    if (outputs != nullptr) {
      if (made != read) {
        throw Error("the device's checksum of {} words is {}, that of what was read back is {}", words, made.text(),
                    read.text());
      }
      outputs->note(key, made);
    }
  }
  verify_s_ += now_s() - started;
}

Workbench& Workbench::peer() {
  if (!peer_) peer_ = std::make_unique<Workbench>(device_.peer(), seed_, run_seed_);
  return *peer_;
}

void Workbench::release_buffers() {
  slots_.clear();
  if (peer_) peer_->release_buffers();
}

}  // namespace bench
