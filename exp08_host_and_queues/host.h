// The host's share: CPU time burnt, and which host it was.
#pragma once

#include <vector>

#include "core/results/schema.h"

// Of the calling thread.
struct CpuTime {
  double user_s = 0;
  double system_s = 0;

  CpuTime operator-(const CpuTime& earlier) const { return {user_s - earlier.user_s, system_s - earlier.system_s}; }
  CpuTime& operator+=(const CpuTime& more) {
    user_s += more.user_s;
    system_s += more.system_s;
    return *this;
  }
};

// Source: getrusage(2), RUSAGE_THREAD. The sum is exact; the kernel may tell user from system by the tick: sum over many waits.
// A driver's own threads are not in it.
CpuTime cpu_time();

// What a host's times depend on: measured columns, and their values on this machine. What the machine does not tell is empty.
std::vector<bench::Column> host_columns();
bench::Values host_values();
