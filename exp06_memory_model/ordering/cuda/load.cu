// load_*, load_rate_*: see load.cuh.
#include "load.cuh"

LOAD_ORDER(weak, "weak")
EACH_SCOPE(LOAD_ORDER, relaxed)
EACH_SCOPE(LOAD_ORDER, acquire)
LOAD_FENCE(cta)
LOAD_FENCE(gpu)
LOAD_FENCE(sys)
LOAD_SC(cta)
LOAD_SC(gpu)
LOAD_SC(sys)
