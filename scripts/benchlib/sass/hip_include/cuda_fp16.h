// HIP's numbers of 16 bits, by the name that CUDA has for their header.
#pragma once
#include <hip/hip_fp16.h>
