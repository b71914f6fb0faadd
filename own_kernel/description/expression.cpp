#include "description/expression.h"

#include <muParser.h>

#include <cmath>

#include "core/base/error.h"

namespace bench::own {
namespace {

constexpr double kExact = 9007199254740992.0;  // 2^53
constexpr const char* kSubgroupSize = "subgroup_size";
constexpr std::size_t kLongest = 1000;  // characters of an expression

double sum(double a, double b) { return a + b; }
double difference(double a, double b) { return a - b; }
double product(double a, double b) { return a * b; }
double quotient(double a, double b) { return a / b; }
double remainder_of(double a, double b) { return std::fmod(a, b); }
double rounded_up(double value) { return std::ceil(value); }
double rounded_down(double value) { return std::floor(value); }
double shifted(double value, double by) {
  return by >= 0 && by < 1024 && by == std::floor(by) ? std::ldexp(value, static_cast<int>(by)) : std::nan("");
}
double shifted_back(double value, double by) {
  return by >= 0 && by < 1024 && by == std::floor(by) ? std::floor(std::ldexp(value, -static_cast<int>(by))) : std::nan("");
}

// C's operators: muparser's own have no << and no %, and read << as two of <.
mu::Parser parser_of(const std::string& text, Sizes& sizes) {
  mu::Parser parser;
  parser.EnableBuiltInOprt(false);
  parser.DefineOprt("+", sum, mu::prADD_SUB, mu::oaLEFT);
  parser.DefineOprt("-", difference, mu::prADD_SUB, mu::oaLEFT);
  parser.DefineOprt("*", product, mu::prMUL_DIV, mu::oaLEFT);
  parser.DefineOprt("/", quotient, mu::prMUL_DIV, mu::oaLEFT);
  parser.DefineOprt("%", remainder_of, mu::prMUL_DIV, mu::oaLEFT);
  parser.DefineOprt("<<", shifted, mu::prCMP, mu::oaLEFT);
  parser.DefineOprt(">>", shifted_back, mu::prCMP, mu::oaLEFT);
  parser.DefineFun("ceil", rounded_up);
  parser.DefineFun("floor", rounded_down);
  for (auto& [name, value] : sizes) parser.DefineVar(name, &value);
  parser.SetExpr(text);
  return parser;
}

}  // namespace

std::string text_of(double value) {
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e20;
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

std::string text_of(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, text_of(value));
  return text;
}

std::string with(const Expression& expression, const Sizes& sizes) {
  Sizes named;
  for (const auto& [name, value] : sizes) {
    if (expression.text.find(name) != std::string::npos) named.emplace(name, value);
  }
  return named.empty() ? "" : " with " + text_of(named);
}

Sizes sizes_of(const Step& step, const Sizes& sizes) {
  Sizes all = sizes;
  if (step.subgroup_size != 0) all[kSubgroupSize] = step.subgroup_size;
  return all;
}

bool is_name_of_size(const std::string& name) {
  if (name == kSubgroupSize) return false;
  double value = 0;
  try {
    mu::Parser parser;
    parser.DefineFun("ceil", rounded_up);
    parser.DefineFun("floor", rounded_down);
    if (parser.GetFunDef().contains(name)) return false;
    parser.DefineVar(name, &value);
    return true;
  } catch (const mu::ParserError&) {
    return false;
  }
}

double value_of(const Expression& expression, const Sizes& sizes) {
  if (expression.text.size() > kLongest)
    throw Error("an expression has {} characters; {} are allowed", expression.text.size(), kLongest);
  Sizes variables = sizes;  // muparser takes their addresses
  double value = 0;
  try {
    mu::Parser parser = parser_of(expression.text, variables);
    value = parser.Eval();
    if (parser.GetNumResults() != 1)
      throw Error("\"{}\" has {} values; one is allowed", expression.text, parser.GetNumResults());
  } catch (const mu::ParserError& error) {
    std::string said = error.GetMsg();
    if (said.ends_with('.')) said.pop_back();
    std::string names;
    for (const auto& [name, size] : sizes) names += (names.empty() ? "" : ", ") + name;
    if (expression.text.find(kSubgroupSize) != std::string::npos && !sizes.contains(kSubgroupSize))
      throw Error(
          "\"{}\": subgroup_size is known in a side's block, grid, constants and shared_bytes alone, and of Vulkan's where "
          "the side gives it: subgroup_size = 32",
          expression.text);
    throw Error("\"{}\": {}; numbers, + - * / % << >> ( ), ceil, floor, min, max, log2{}{} are allowed", expression.text, said,
                names.empty() ? "" : " and the sizes ", names);
  }
  if (!std::isfinite(value)) throw Error("\"{}\" has no finite value{}", expression.text, with(expression, sizes));
  return value;
}

std::uint64_t count_of(const Expression& expression, const Sizes& sizes, std::uint64_t least) {
  const double value = value_of(expression, sizes);
  if (value != std::floor(value) || value < static_cast<double>(least) || value > kExact) {
    throw Error("\"{}\" is {}{}; a whole number from {} to 2^53 is allowed", expression.text, text_of(value),
                with(expression, sizes), least);
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace bench::own
