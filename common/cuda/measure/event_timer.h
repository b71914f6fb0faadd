// GPU time between two points of a stream, from a pair of events.
#pragma once

#include <string_view>

#include "cuda/api/handle.h"

namespace bench::cuda {

class EventTimer {
 public:
  EventTimer() : start_(make_event()), stop_(make_event()) {}

  void start(cudaStream_t stream) const;
  void stop(cudaStream_t stream) const;

  // Spins until the GPU has passed stop(), and reports what went wrong on it since: throws what BENCH_CU does, naming `what`.
  // Bounded by a Deadline around it.
  void wait(std::string_view what) const;

  // Nanoseconds between start() and stop(), after wait(). The runtime returns a float in milliseconds: 24 bits, so a relative
  // error of 6e-8, 0.06 ns in 1 ms; the event's own resolution is coarser (CUDA Runtime API, cudaEventElapsedTime: "around 0.5
  // us").
  double elapsed_ns() const;

 private:
  Event start_;
  Event stop_;
};

}  // namespace bench::cuda
