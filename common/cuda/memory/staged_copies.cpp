#include "cuda/memory/staged_copies.h"

#include <algorithm>

#include "core/base/process.h"
#include "core/base/watchdog.h"

namespace bench::cuda {
namespace {

constexpr double kLowBytesPerS = 1e9;  // a tenth of what PCIe 3.0 x16 does

double expected_s(std::size_t bytes) { return static_cast<double>(bytes) / kLowBytesPerS; }

void wait_for(const Event& copied) {
  const Deadline deadline("a transfer", expected_s(2 * StagedCopies::kSlotBytes));
  BENCH_CU(cudaEventSynchronize(copied.handle()));  // an event never recorded counts as passed
}

}  // namespace

StagedCopies::StagedCopies() {
  for (Slot& slot : slots_) {
    void* raw = nullptr;
    BENCH_CU(cudaHostAlloc(&raw, kSlotBytes, cudaHostAllocDefault), "{} bytes of pinned host memory", kSlotBytes);
    slot.memory = PinnedMemory(raw);
    slot.copied = make_event();
  }
}

void StagedCopies::write(cudaStream_t stream, std::byte* to, std::size_t bytes, const bench::Device::Producer& produce) {
  std::size_t turn = 0;
  for (std::size_t done = 0; done < bytes; done += kSlotBytes, ++turn) {
    const Slot& slot = slots_[turn % 2];
    const std::size_t part = std::min(kSlotBytes, bytes - done);
    wait_for(slot.copied);
    throw_if_interrupted();
    produce(done, {static_cast<std::byte*>(slot.memory.handle()), part});
    BENCH_CU(cudaMemcpyAsync(to + done, slot.memory.handle(), part, cudaMemcpyHostToDevice, stream), "{} bytes", part);
    BENCH_CU(cudaEventRecord(slot.copied.handle(), stream));
  }
  const Deadline deadline("an upload", expected_s(2 * kSlotBytes));
  BENCH_CU(cudaStreamSynchronize(stream));
}

void StagedCopies::read(cudaStream_t stream, const std::byte* from, std::size_t bytes, const bench::Device::Consumer& consume) {
  const auto part = [&](std::size_t turn) {
    const std::size_t begin = std::min(turn * kSlotBytes, bytes);
    return std::min(kSlotBytes, bytes - begin);
  };
  const auto fetch = [&](std::size_t turn) {
    if (part(turn) == 0) return;
    const Slot& slot = slots_[turn % 2];
    BENCH_CU(cudaMemcpyAsync(slot.memory.handle(), from + turn * kSlotBytes, part(turn), cudaMemcpyDeviceToHost, stream),
             "{} bytes", part(turn));
    BENCH_CU(cudaEventRecord(slot.copied.handle(), stream));
  };
  fetch(0);
  for (std::size_t turn = 0; part(turn) != 0; ++turn) {
    fetch(turn + 1);
    const Slot& slot = slots_[turn % 2];
    wait_for(slot.copied);
    throw_if_interrupted();
    consume(turn * kSlotBytes, {static_cast<const std::byte*>(slot.memory.handle()), part(turn)});
  }
}

}  // namespace bench::cuda
