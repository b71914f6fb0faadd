// fence_*, fence_rate_*: see fence.cuh.
#include "fence.cuh"

FENCE(none, "")
EACH_SCOPE(FENCE_ORDER, acq_rel)
FENCE(seq_cst_cta, "fence.sc.cta;")
FENCE(seq_cst_gpu, "fence.sc.gpu;")
FENCE(seq_cst_sys, "fence.sc.sys;")
