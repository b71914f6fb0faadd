#include "core/run/benchmark_flags.h"

#include <fmt/ranges.h>
#include <regex.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "core/base/error.h"

namespace bench {
namespace {

constexpr std::string_view kPrefix = "--benchmark_";

// Those of Google Benchmark 1.7 and 1.8 that are not on or off.
constexpr std::string_view kWithValue[] = {"filter",   "format",    "out",         "out_format",      "color",        "context",
                                           "min_time", "time_unit", "repetitions", "min_warmup_time", "perf_counters"};

bool has_value(std::string_view name) {
  return std::find(std::begin(kWithValue), std::end(kWithValue), name) != std::end(kWithValue);
}

// Google Benchmark's rule for flags that are on or off.
bool is_on(std::string value) {
  std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view kOff[] = {"0", "f", "n", "no", "off", "false"};
  return std::find(std::begin(kOff), std::end(kOff), value) == std::end(kOff);
}

void check_choice(std::string_view name, const std::string& value, std::initializer_list<std::string_view> choices) {
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    throw UsageError("{}{}={}: expected one of {}", kPrefix, name, value, fmt::join(choices, ", "));
  }
}

// Google Benchmark prints its help for some of these and exits with 0; for others it would do nothing.
void check_value(std::string_view name, const std::string& value) {
  if (name == "format" || name == "out_format") check_choice(name, value, {"console", "json", "csv"});
  if (name == "time_unit") check_choice(name, value, {"ns", "us", "ms", "s"});
  if (name == "out" && value.empty()) throw UsageError("{}out: expected the name of a file", kPrefix);
  if (name == "repetitions" && value != "1") {
    throw UsageError(
        "{}repetitions={}: expected 1: a case is sampled many times as it is (--budget SECONDS), and repeated by running the "
        "program again",
        kPrefix, value);
  }
  if (name == "min_time" || name == "min_warmup_time") {
    throw UsageError("{}{}={}: the suite's own sampler does the timing; --budget SECONDS is the time of a case", kPrefix, name,
                     value);
  }
}

}  // namespace

BenchmarkFlags take_benchmark_flags(std::vector<std::string>& arguments) {
  BenchmarkFlags flags;
  // Before the user's own, which would count. Source: no-color.org.
  if (const char* const plain = std::getenv("NO_COLOR"); plain != nullptr && *plain != '\0') {
    flags.passed.push_back(fmt::format("{}color=false", kPrefix));
  }
  std::vector<std::string> others;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with(kPrefix)) {
      others.push_back(arguments[i]);
      continue;
    }
    flags.any = true;
    const std::size_t equals = arguments[i].find('=');
    const std::string name = arguments[i].substr(kPrefix.size(), equals - kPrefix.size());
    std::string value = equals == std::string::npos ? "" : arguments[i].substr(equals + 1);
    if (has_value(name)) {
      if (equals == std::string::npos) {
        if (i + 1 == arguments.size() || arguments[i + 1].starts_with("--")) {
          throw UsageError("{}{}: its value is missing: {}{}=VALUE", kPrefix, name, kPrefix, name);
        }
        value = arguments[++i];
      }
      check_value(name, value);
    }
    if (name == "filter") {
      flags.filter = value;
      continue;
    }
    if (name == "list_tests") flags.list_tests = is_on(value);
    if (name == "out") flags.out = value;
    if (name == "out_format") flags.out_format = value;
    flags.passed.push_back(has_value(name) ? fmt::format("{}{}={}", kPrefix, name, value) : arguments[i]);
  }
  arguments = std::move(others);
  return flags;
}

struct NameFilter::Expression {
  explicit Expression(const std::string& text) {
    if (const int error = regcomp(&compiled, text.c_str(), REG_EXTENDED | REG_NOSUB); error != 0) {
      std::array<char, 256> reason{};
      regerror(error, &compiled, reason.data(), reason.size());
      throw UsageError("--benchmark_filter={}: {}", text, reason.data());
    }
  }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  ~Expression() noexcept { regfree(&compiled); }

  regex_t compiled{};
};

NameFilter::NameFilter(const std::string& filter) {
  if (filter.size() > kLongest) {
    throw UsageError("--benchmark_filter: {} characters given, {} at most", filter.size(), kLongest);
  }
  if (filter.empty() || filter == "all") return;
  negated_ = filter.front() == '-';
  expression_ = std::make_shared<const Expression>(negated_ ? filter.substr(1) : filter);
}

bool NameFilter::wants(const std::string& name) const {
  return expression_ == nullptr || (regexec(&expression_->compiled, name.c_str(), 0, nullptr, 0) == 0) != negated_;
}

}  // namespace bench
