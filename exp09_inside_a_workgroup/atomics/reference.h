// What the kernels must leave and return, plainly. All numbers are whole and small enough that a double holds them, and that no
// float of the kernels is ever rounded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "variants.h"

// What a launch has left: a number an address, group after group; and of each thread what it returned in sum (Config::used), or
// its loop's turns. Empty where it has nothing of the kind.
struct Left {
  std::vector<double> data;
  std::vector<double> returned;
  std::vector<std::uint32_t> turns;
};

// The words of a buffer as numbers.
std::vector<double> numbers(std::span<const std::uint32_t> words, Type type);

// What the words hold before: nothing is less, of a minimum nothing is more. A 32-bit word, which both halves of a 64-bit one
// have; of two halves in one word both are the greatest.
std::uint32_t first_word(Op op, Type type);

// Nothing, or what is wrong.
std::string wrong(const Config& config, const Left& left);
