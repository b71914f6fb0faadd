// Google Benchmark's flags, as far as the suite has a say in them: its own loop does not time, so some would do nothing, and it
// takes others without a look.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace bench {

struct BenchmarkFlags {
  bool any = false;         // given at all
  bool list_tests = false;  // the names are all that is asked for
  std::string filter;       // as NameFilter reads it
  std::string out;          // the file of --benchmark_out; empty: none
  std::string out_format = "json";
  std::vector<std::string> passed;  // what Google Benchmark is to parse itself: all but the filter
};

// Takes the --benchmark_* flags out of `arguments`. A flag that has a value may have it as --flag=VALUE or as --flag VALUE.
// Throws UsageError for a value that is missing or that cannot be obeyed. Flags that the suite does not look at are passed on,
// known or not.
BenchmarkFlags take_benchmark_flags(std::vector<std::string>& arguments);

// Google Benchmark's rule for --benchmark_filter: a POSIX extended regular expression that matches anywhere in a listed name,
// negated by a leading '-'; "" and "all" match every name. Its own takes the stack down with a long one.
class NameFilter {
 public:
  static constexpr std::size_t kLongest = 4096;  // characters

  // Throws UsageError if it is no regular expression, or too long.
  explicit NameFilter(const std::string& filter);

  bool wants(const std::string& name) const;

 private:
  struct Expression;
  std::shared_ptr<const Expression> expression_;  // nullptr: everything
  bool negated_ = false;
};

}  // namespace bench
