// No GLSL twin: Vulkan has no asynchronous copies.
// b = a by bulk copies, persistent blocks with a ring each.
#include "copy_bulk.cuh"

COPY_BULK(copy_bulk_interleaved_2, bulk_ring<2, Order::kInterleaved>(a, b, state, params))
COPY_BULK(copy_bulk_interleaved_4, bulk_ring<4, Order::kInterleaved>(a, b, state, params))
COPY_BULK(copy_bulk_interleaved_8, bulk_ring<8, Order::kInterleaved>(a, b, state, params))
COPY_BULK(copy_bulk_contiguous_4, bulk_ring<4, Order::kContiguous>(a, b, state, params))
COPY_BULK(copy_bulk_taken_2, bulk_ring<2, Order::kTaken>(a, b, state, params))
COPY_BULK(copy_bulk_taken_4, bulk_ring<4, Order::kTaken>(a, b, state, params))
COPY_BULK(copy_bulk_taken_8, bulk_ring<8, Order::kTaken>(a, b, state, params))
COPY_BULK(copy_bulk_taken_4_read_first, bulk_ring<4, Order::kTaken, Hint::kRead>(a, b, state, params))
COPY_BULK(copy_bulk_taken_4_both_first, bulk_ring<4, Order::kTaken, Hint::kBoth>(a, b, state, params))
