#include "core/base/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <vector>

#include "bench_build_info.h"
#include "core/base/error.h"

namespace bench {

std::string program_revision(std::string_view revision, const std::string& program) {
  std::string result(revision);
  if (revision != "unknown" && !revision.ends_with("-dirty")) return result;
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a, 64 bits
  std::ifstream file(program, std::ios::binary);
  std::vector<char> chunk(1 << 20);
  bool is_read = false;
  while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || file.gcount() > 0) {
    is_read = true;
    for (std::streamsize i = 0; i < file.gcount(); ++i) {
      hash = (hash ^ static_cast<unsigned char>(chunk[static_cast<std::size_t>(i)])) * 0x100000001b3ULL;
    }
  }
  return result + (is_read ? fmt::format("+{:016x}", hash) : fmt::format("+{}.{}", utc_now(), getpid()));
}

std::string_view git_revision() {
  static const std::string revision = program_revision(BENCH_GIT_REVISION, "/proc/self/exe");
  return revision;
}
namespace {
std::string& told_sources() {
  static std::string hash;
  return hash;
}
}  // namespace

std::string_view measuring_sources() { return told_sources(); }
bool tell_sources(std::string_view hash) {
  told_sources() = hash;
  return true;
}
std::string_view cuda_toolkit() { return BENCH_CUDA_TOOLKIT; }
std::string_view glsl_toolkit() { return BENCH_GLSL_TOOLKIT; }

void require_clock(std::time_t now) {
  std::tm parts{};
  gmtime_r(&now, &parts);
  constexpr int kFirstYear = 2000;
  constexpr int kLastYear = 2100;
  const int year = parts.tm_year + 1900;  // struct tm counts from there
  if (year < kFirstYear || year >= kLastYear)
    throw Error("the clock of this machine is in the year {}, and rows are dated by it: set it", year);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof "2026-01-31T23:59:59Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string slug(std::string_view device_name) {
  std::string text(device_name);
  for (const std::string_view mark : {"(R)", "(TM)", "(C)"}) {
    while (text.find(mark) != std::string::npos) text.replace(text.find(mark), mark.size(), " ");
  }
  std::string result;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "unknown" : result;
}

}  // namespace bench
