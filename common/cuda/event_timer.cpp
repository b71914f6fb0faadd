#include "cuda/event_timer.h"

#include <chrono>

namespace bench::cuda {
namespace {

constexpr std::chrono::seconds kWaitLimit{20};

}  // namespace

void EventTimer::start(cudaStream_t stream) const { BENCH_CU(cudaEventRecord(start_.handle(), stream)); }

void EventTimer::stop(cudaStream_t stream) const { BENCH_CU(cudaEventRecord(stop_.handle(), stream)); }

void EventTimer::wait(std::string_view what) const {
  const auto begin = std::chrono::steady_clock::now();
  cudaError_t status = cudaSuccess;
  while ((status = cudaEventQuery(stop_.handle())) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() - begin > kWaitLimit) {
      throw Error("{}: not finished after {} s; it may still run, and whatever waits for the GPU waits with it", what,
                  kWaitLimit.count());
    }
  }
  BENCH_CU(status, "{}", what);
  // cudaErrorNotReady may have been kept as the last error; it is none.
  const cudaError_t last = cudaGetLastError();
  if (last != cudaErrorNotReady) BENCH_CU(last, "{}", what);
}

double EventTimer::elapsed_ns() const {
  float milliseconds = 0;
  BENCH_CU(cudaEventElapsedTime(&milliseconds, start_.handle(), stop_.handle()));
  return static_cast<double>(milliseconds) * 1e6;
}

}  // namespace bench::cuda
