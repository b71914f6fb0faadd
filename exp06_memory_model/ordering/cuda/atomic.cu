// add_*, add_rate_*, cas_*: see atomic.cuh.
#include "atomic.cuh"

EACH_SCOPE(ADD_ORDER, relaxed)
EACH_SCOPE(ADD_ORDER, acquire)
EACH_SCOPE(ADD_ORDER, release)
EACH_SCOPE(ADD_ORDER, acq_rel)
ADD_SC(cta)
ADD_SC(gpu)
ADD_SC(sys)

EACH_SCOPE(CAS, relaxed)
EACH_SCOPE(CAS, acq_rel)
