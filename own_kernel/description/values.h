// Elements of a buffer as bytes: of every type that a description knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "description/description.h"

namespace bench::own {

// The element at `bytes` as a number; integers beyond 2^53 are rounded.
double number_of(Type type, const std::byte* bytes);

// The element's bytes for a number: floats rounded to the nearest, even on a tie; integers cut to their width as C does.
void put_number(Type type, double number, std::byte* bytes);
std::vector<std::byte> bytes_of_number(Type type, double number);

// As it is printed: integers in full, floats with as many digits as tell them apart.
std::string text_of_element(Type type, const std::byte* bytes);

// What a buffer holds before the first launch, elements [first, first + count): see Content. `stream` tells the buffers of one
// no seed apart, `numbers` are numbers_of() them. Not of Content::kFile.
void make_content(const Buffer& buffer, std::uint32_t stream, std::uint64_t first, std::span<std::byte> bytes,
                  std::span<const double> numbers = {});
// Of Buffer::values, or of Buffer::range. Throws Error.
std::vector<double> numbers_of(const Buffer& buffer, const Sizes& sizes);

}  // namespace bench::own
