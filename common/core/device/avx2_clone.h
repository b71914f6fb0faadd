// A second version of a hot loop for CPUs with AVX2, chosen when the program is loaded.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define BENCH_AVX2_CLONE __attribute__((target_clones("default", "avx2")))
#else
#define BENCH_AVX2_CLONE
#endif
