#include "core/environment.h"

#include <cctype>
#include <ctime>

#include "bench_build_info.h"

namespace bench {

std::string_view git_revision() { return BENCH_GIT_REVISION; }
std::string_view cuda_toolkit() { return BENCH_CUDA_TOOLKIT; }
std::string_view glsl_toolkit() { return BENCH_GLSL_TOOLKIT; }

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof "2026-01-31T23:59:59Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string slug(std::string_view device_name) {
  std::string result;
  int depth = 0;
  for (const char c : device_name) {
    if (c == '(') ++depth;
    if (depth == 0) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else if (!result.empty() && result.back() != '-') {
        result += '-';
      }
    }
    if (c == ')') --depth;
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "unknown" : result;
}

}  // namespace bench
