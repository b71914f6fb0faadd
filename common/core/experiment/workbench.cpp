#include "core/experiment/workbench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/device/offers.h"
#include "core/experiment/verify.h"

namespace bench {
namespace {

// Own and shared buffers are there side by side.
std::string suffix(Memory memory) { return memory == Memory::kOwn ? "" : fmt::format(", {}", to_string(memory)); }

// What of a spec follows no convention: "" of the experiments' kernels.
std::string key_of_free_arguments(const KernelSpec& spec) {
  std::string key = spec.block_y * spec.block_z == 1 ? "" : fmt::format("/{}x{}", spec.block_y, spec.block_z);
  for (const ParamsPart& one : spec.cuda.arguments) key += fmt::format("/{}+{}", one.offset, one.bytes);
  for (const AddressInParams& one : spec.addresses) key += fmt::format("/{}@{}", one.buffer, one.offset);
  if (!spec.vulkan.interface) return key;
  for (const auto& one : spec.vulkan.interface->descriptors) {
    key += fmt::format("/{}:{}.{}{}{}", one.buffer, one.set, one.binding, one.is_uniform ? "u" : "", one.bytes);
  }
  for (const auto& one : spec.vulkan.interface->constants) {
    key += fmt::format("/{}=", one.id);
    for (const std::byte byte : one.value) key += fmt::format("{:02x}", static_cast<unsigned>(byte));
  }
  return key + fmt::format("/{}", spec.vulkan.interface->subgroup_size);
}

}  // namespace

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

const Kernel& Workbench::kernel(const KernelSpec& both) {
  const KernelSpec spec = device_.own(both);
  const std::string key =
      fmt::format("{}/{}/{:05}/{}/{}/{}/{}/{}/{}/{}/{}/{}/{}/{}", spec.images == nullptr ? "" : spec.images->stem, spec.entry,
                  spec.block_x, fmt::join(spec.constants, "."), spec.buffers, spec.params_bytes, to_string(spec.vulkan.binding),
                  to_string(spec.vulkan.robustness), spec.shared_bytes, spec.cuda.cluster_x, spec.cuda.most_l1,
                  spec.vulkan.imported, spec.vulkan.full_subgroups, to_string(spec.vulkan.set_use)) +
      key_of_free_arguments(spec);
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
    auto* const sparse = device_.as<SparseMemory>();
    if (sparse == nullptr) return device_.allocate(bytes, name);
    return sparse->allocate_sparse(bytes, name, memory == Memory::kSparse ? PageOrder::kInOrder : PageOrder::kScattered);
  }
  const Api& api = device_.info().api;
  if (partner_ == nullptr) throw Skip("memory that two APIs share wants both on one GPU; only {} is here", to_string(api));
  auto& shared = device_.offer<SharedMemory>();
  if (to_string(memory) == fmt::format("from_{}", to_string(api))) return shared.allocate_shareable(bytes, name);
  // The partner's slot may be larger: its size then serves both.
  auto& from = partner_->device_.offer<SharedMemory>();
  return shared.import_memory(from.export_memory(*partner_->slot(name, bytes, memory).buffer), name);
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

const Buffer& Workbench::made_input(const std::string& name, std::uint64_t words, const Device::Producer& produce) {
  Slot& slot = this->slot("made " + name, words * sizeof(std::uint32_t), Memory::kOwn);
  if (slot.filled_words < words) {
    const double started = now_s();
    device_.write(*slot.buffer, 0, words * sizeof(std::uint32_t), produce);
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
  nothing_to_compare_ = false;
  remaking_.reset();
  confirmed_.clear();
}

std::optional<Workbench::Remaking> Workbench::to_remake() const {
  std::optional<Remaking> remaking = remaking_;
  if (remaking) remaking->outputs = confirmed_;
  return remaking;
}

void Workbench::remake(const Remaking& remaking, const std::function<void()>& launch) {
  for (const Confirmed& one : remaking.outputs) {
    const auto slot =
        std::find_if(slots_.begin(), slots_.end(), [&](const auto& named) { return named.second.buffer.get() == one.output; });
    if (slot == slots_.end()) throw Error("an output that is to be made again is none of output()'s");
    device_.fill(*slot->second.buffer, 0, one.words * sizeof(std::uint32_t), kPoison);
  }
  if (remaking.restore) remaking.restore();
  launch();
  if (remaking.check) remaking.check();
  for (const Confirmed& one : remaking.outputs) {
    const Checksum made = device_.checksum(*one.output, one.words);
    if (made == one.checksum) continue;
    throw Error("wrong output: after the samples a launch made {} words whose checksum is {}, verified before were {}",
                one.words, made.text(), one.checksum.text());
  }
}

void Workbench::confirm(const std::string& reference, const Buffer& output, std::uint64_t words,
                        const std::function<Checksum()>& verify_in_full) {
  const double started = now_s();
  VerifiedOutputs* const outputs = case_.empty() ? nullptr : verified_outputs_;
  const bool shared = !reference.empty();
  const VerifiedOutputs::Output key = {.name = shared ? reference : case_, .number = shared ? 0 : outputs_++, .words = words};
  Checksum made = outputs == nullptr ? Checksum() : device_.checksum(output, words);
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
    made = read;
  }
  confirmed_.push_back({.output = &output, .words = words, .checksum = made});
  verify_s_ += now_s() - started;
}

void Workbench::compared(const Buffer& output, std::uint64_t words) {
  const double started = now_s();
  compared();
  confirmed_.push_back({.output = &output, .words = words, .checksum = device_.checksum(output, words)});
  verify_s_ += now_s() - started;
}

Workbench& Workbench::peer() {
  if (!peer_) peer_ = std::make_unique<Workbench>(device_.offer<Peers>().peer(), seed_, run_seed_);
  return *peer_;
}

void Workbench::release_buffers() {
  kept_.clear();
  slots_.clear();
  if (peer_) peer_->release_buffers();
}

}  // namespace bench
