// Numbers that are written down.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace bench {

// All of `text` as one number; nullopt if it is none, or does not fit. An integer's base may be given: 10 if not.
template <class Number, class... Base>
std::optional<Number> parse_number(std::string_view text, Base... base) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace bench
