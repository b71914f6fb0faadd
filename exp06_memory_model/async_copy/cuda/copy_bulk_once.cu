// No GLSL twin: Vulkan has no asynchronous copies.
// b = a by bulk copies, a block for every few chunks, as many at once as there is shared memory for.
#include "copy_bulk.cuh"

COPY_BULK(copy_bulk_once_1, bulk_once<1>(a, b, params))
COPY_BULK(copy_bulk_once_2, bulk_once<2>(a, b, params))
COPY_BULK(copy_bulk_once_4, bulk_once<4>(a, b, params))
COPY_BULK(copy_bulk_once_1_read_first, bulk_once<1, Hint::kRead>(a, b, params))
COPY_BULK(copy_bulk_once_1_both_first, bulk_once<1, Hint::kBoth>(a, b, params))
