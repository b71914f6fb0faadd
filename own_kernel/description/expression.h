// Expressions of the sizes: numbers, + - * / % << >>, parentheses, ceil, floor, min, max, log2 and the sizes' names, with C's
// precedence. All values are doubles: integers are exact up to 2^53, and a division is never rounded ("n / 256" of n = 100 is
// 0.390625).
#pragma once

#include <cstdint>

#include "description/description.h"

namespace bench::own {

// Throws Error: what is wrong with the text, or that its value is no finite number.
double value_of(const Expression& expression, const Sizes& sizes);

// A value that counts something. Throws Error if it is not whole, or not within [least, 2^53], naming the value and the sizes.
std::uint64_t count_of(const Expression& expression, const Sizes& sizes, std::uint64_t least = 0);

// Whether a size may be called so: letters, digits and _, no function of expressions, and not subgroup_size.
bool is_name_of_size(const std::string& name);

// What a step's own expressions may name: the sizes, and subgroup_size, where the file gives it or the API has but one.
Sizes sizes_of(const Step& step, const Sizes& sizes);

// "n = 65536, m = 3"; "" without sizes.
std::string text_of(const Sizes& sizes);
// " with n = 65536", of the sizes that the expression names; "" if it names none.
std::string with(const Expression& expression, const Sizes& sizes);
// A whole number in full, others as short as they can be read back.
std::string text_of(double value);

}  // namespace bench::own
