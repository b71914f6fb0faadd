// Whether the host's memory holds what was to arrive there.
#pragma once

#include <cstdint>
#include <span>

#include "core/experiment/workbench.h"

// That word i is that of input 0, all of them or, where the host reads so slowly that it would take seconds, `looks` of them,
// evenly spaced, the first and the last among them. Throws Error with the first few that differ.
inline constexpr std::uint64_t kAllWords = ~0ULL;
void check_arrived(const bench::Workbench& bench, std::span<const std::byte> memory, std::uint64_t looks = kAllWords);

// Makes those words wrong, so that check_arrived() would say so.
void spoil(std::span<std::byte> memory, std::uint64_t looks = kAllWords);
