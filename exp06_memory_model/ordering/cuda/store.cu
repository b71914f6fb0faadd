// store_*, store_rate_*: see store.cuh.
#include "store.cuh"

// A weak store's value comes back by a relaxed load of the block's scope: a weak one could be answered by the compiler.
STORE(weak, "st.weak.global.u32 [%0], %1;", "cta")
STORE_ORDER(relaxed, cta)
STORE_ORDER(relaxed, gpu)
STORE_ORDER(relaxed, sys)
STORE_ORDER(release, cta)
STORE_ORDER(release, gpu)
STORE_ORDER(release, sys)
STORE_FENCE(cta)
STORE_FENCE(gpu)
STORE_FENCE(sys)
STORE_SC(cta)
STORE_SC(gpu)
STORE_SC(sys)
