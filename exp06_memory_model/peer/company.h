// Kernels that need company: another on the peer, or the host, while they run.
#pragma once

#include <string_view>

#include "core/experiment/experiment.h"

// A number that goes back and forth. Each flag is written by one GPU and polled by the other.
struct Exchange {
  std::string_view memory_order;  // "relaxed", "acq_rel"
  std::string_view held_by;       // which of the two has it in its memory: "reader", "writer"
  std::uint32_t rounds = 0;
};

// A word that one thread of this GPU watches while it changes.
struct Watch {
  std::string_view memory_order;  // of the loads: "weak", "volatile", "relaxed"
  std::string_view held_by;       // in whose memory it is: "this", "peer"
  std::string_view changed_by;    // "kernel": one of the peer's; "host": a copy, to the peer's memory only
};

// Throw Skip without a peer; Error if a wait was in vain or a wrong value came, and in every sample.
bench::Prepared set_up_exchange(bench::Workbench& bench, const Exchange& exchange);
bench::Prepared set_up_watch(bench::Workbench& bench, const Watch& watch);
