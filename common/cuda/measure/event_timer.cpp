#include "cuda/measure/event_timer.h"

namespace bench::cuda {

void EventTimer::start(cudaStream_t stream) const { BENCH_CU(cudaEventRecord(start_.handle(), stream)); }

void EventTimer::stop(cudaStream_t stream) const { BENCH_CU(cudaEventRecord(stop_.handle(), stream)); }

void EventTimer::wait(std::string_view what) const {
  cudaError_t status = cudaSuccess;
  while ((status = cudaEventQuery(stop_.handle())) == cudaErrorNotReady) {
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
