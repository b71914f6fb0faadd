// Owners of the CUDA runtime's handles: move-only, and the destructor calls the one function that ends the object.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "core/base/watchdog.h"
#include "cuda/api/error.h"

namespace bench::cuda {

template <class Raw, cudaError_t (*kDestroy)(Raw)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(Raw raw) noexcept : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  // The result is dropped: on a lost context every call fails, and the process's end frees what is left. Memory and code are
  // not freed before the GPU is done with them.
  ~Handle() noexcept {
    if (raw_ == nullptr) return;
    const Deadline deadline("the release of a CUDA object");
    static_cast<void>(kDestroy(raw_));
  }

  Raw handle() const noexcept { return raw_; }

 private:
  Raw raw_ = nullptr;
};

using Stream = Handle<cudaStream_t, cudaStreamDestroy>;
using Event = Handle<cudaEvent_t, cudaEventDestroy>;
using Library = Handle<cudaLibrary_t, cudaLibraryUnload>;
using GraphExec = Handle<cudaGraphExec_t, cudaGraphExecDestroy>;
using DeviceMemory = Handle<void*, cudaFree>;
using ExternalMemory = Handle<cudaExternalMemory_t, cudaDestroyExternalMemory>;
using PinnedMemory = Handle<void*, cudaFreeHost>;

// Non-blocking: no implicit ordering with the legacy default stream.
inline Stream make_stream() {
  cudaStream_t raw = nullptr;
  BENCH_CU(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking));
  return Stream(raw);
}

// Default flags: timing on.
inline Event make_event() {
  cudaEvent_t raw = nullptr;
  BENCH_CU(cudaEventCreate(&raw));
  return Event(raw);
}

}  // namespace bench::cuda
