#include "description/expression.h"

#include <muParser.h>

#include <cmath>

#include "core/base/error.h"

namespace bench::own {
namespace {

constexpr double kExact = 9007199254740992.0;  // 2^53

double shifted(double value, double by) { return std::ldexp(value, static_cast<int>(std::floor(by))); }
double remainder(double value, double divisor) { return std::fmod(value, divisor); }
double rounded_up(double value) { return std::ceil(value); }
double rounded_down(double value) { return std::floor(value); }

// muparser's default has neither C's shift nor its remainder.
mu::Parser parser_of(const std::string& text, std::map<std::string, double>& sizes) {
  mu::Parser parser;
  parser.DefineOprt("<<", shifted, mu::prADD_SUB - 1, mu::oaLEFT);
  parser.DefineOprt("%", remainder, mu::prMUL_DIV, mu::oaLEFT);
  parser.DefineFun("ceil", rounded_up);
  parser.DefineFun("floor", rounded_down);
  for (auto& [name, value] : sizes) parser.DefineVar(name, &value);
  parser.SetExpr(text);
  return parser;
}

}  // namespace

std::string text_of(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

double value_of(const Expression& expression, const Sizes& sizes) {
  Sizes variables = sizes;  // muparser takes their addresses
  double value = 0;
  try {
    value = parser_of(expression.text, variables).Eval();
  } catch (const mu::ParserError& error) {
    throw Error("\"{}\": {}", expression.text, error.GetMsg());
  }
  if (!std::isfinite(value))
    throw Error("\"{}\" has no finite value{}{}", expression.text, sizes.empty() ? "" : " with ", text_of(sizes));
  return value;
}

std::uint64_t count_of(const Expression& expression, const Sizes& sizes, std::uint64_t least) {
  const double value = value_of(expression, sizes);
  if (value != std::floor(value) || value < static_cast<double>(least) || value > kExact) {
    throw Error("\"{}\" is {}{}{}; a whole number from {} to 2^53 is allowed", expression.text, value,
                sizes.empty() ? "" : " with ", text_of(sizes), least);
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace bench::own
