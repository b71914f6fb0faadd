#include "cuda/measure/gate.h"

#include <algorithm>
#include <new>

#include "cuda/kernels/params.h"
#include "cuda_support_kernels.h"

namespace bench::cuda {
namespace {

constexpr std::uint32_t kQueues = 8;

PinnedMemory mapped(std::size_t bytes) {
  void* raw = nullptr;
  BENCH_CU(cudaHostAlloc(&raw, bytes, cudaHostAllocMapped), "{} bytes of mapped memory", bytes);
  return PinnedMemory(raw);
}

}  // namespace

std::uint32_t calls_in_a_queue(std::uint32_t calls, std::uint32_t streams) {
  const std::uint32_t queues = std::clamp(streams, 1U, kQueues);
  return (calls + queues - 1) / queues;
}

Gate::Gate(ComputeCapability device)
    : kernel_({.images = &find_kernel(kernels::cuda_support(), "gate"),
               .entry = "gate",
               .block_x = 1,
               .buffers = 0,
               .params_bytes = sizeof(GateParams)},
              device),
      memory_(mapped(sizeof(Words))),
      words_(new (memory_.handle()) Words{}) {
  void* on_device = nullptr;
  BENCH_CU(cudaHostGetDevicePointer(&on_device, memory_.handle(), 0));
  device_words_ = static_cast<Words*>(on_device);
}

Gate::Sample::Sample(Gate& gate, cudaStream_t stream)
    : gate_(gate), number_(++gate.number_), holds_(gate.record_.holds()), opening_(&gate.words_->open, number_) {
  if (!holds_) open();
  Words* const words = gate.device_words_;
  GateParams params{.open = &words->open,
                    .expired = &words->expired,
                    .number = number_,
                    .bound_ns = kGateBoundNs,
                    .then_ns = static_cast<std::uint32_t>(kGateNs)};
  void* args[] = {&params};
  gate.kernel_.launch(stream, {1, 1, 1}, args);
}

bool Gate::Sample::was_shut(std::uint32_t calls) {
  if (!holds_) return false;
  const bool expired = gate_.words_->expired == number_;
  gate_.record_.note(expired, calls);
  return !expired;
}

}  // namespace bench::cuda
