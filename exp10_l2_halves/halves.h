// Two halves of SMs and two homes of granules, from how long each SM waits for each granule.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Half h has home h: what its SMs wait for less long.
struct Halves {
  std::vector<std::uint32_t> half;  // 0 or 1, of each row; row 0's is 0
  std::vector<std::uint32_t> home;  // 0 or 1, of each column
  std::array<double, 2> near{};     // mean of a half's rows over its own home
  std::array<double, 2> far{};      // and over the other
  std::string why_not;              // what speaks against two halves; empty if nothing
};

// `latencies`: row by row, a row each SM, a column each granule. The signs of the leading pair of singular vectors (power
// iteration), once the means of rows and columns are taken out. There are two halves if far is more than near by three times
// the standard deviation of what remains in an entry, and if no half and no home has less than a quarter. (Of noise alone in a
// matrix of 132 x 256, far is more than near by 0.3 of it.)
Halves split_halves(std::span<const double> latencies, std::size_t rows);

// The home of each column, from one row of latencies for each half: the one from which it is less far than the middle.
std::vector<std::uint32_t> homes_of(std::span<const double> latencies, const Halves& halves);
