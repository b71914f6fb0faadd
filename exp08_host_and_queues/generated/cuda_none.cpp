// A build without CUDA has no CUDA device that could ask for this.
#include "core/base/error.h"
#include "jobs.h"

TimedJobs cuda_jobs(bench::Workbench&, const JobsConfig&, const bench::Buffer&, const PlanParams&) {
  throw bench::Skip("this build has no CUDA");
}
