#include "compile/tools.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/base/child.h"
#include "core/base/error.h"

namespace bench::own {
namespace {

namespace fs = std::filesystem;

constexpr double kVersionS = 30;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> folders_of_path() {
  std::vector<std::string> all;
  std::istringstream path(environment("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    if (!folder.empty()) all.push_back(folder);
  }
  return all;
}

fs::path folder_of_program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

bool can_run(const std::string& path) { return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); }

// The first dotted number behind `mark` in what the program says of its version; "" if there is none.
std::string version_of(const std::string& path, const std::string& mark) {
  const ChildEnd end = run_child({path, "--version"}, kVersionS);
  std::size_t at = end.output.find(mark);
  if (!end.ok() || at == std::string::npos) return "";
  at += mark.size();
  const std::size_t line_end = end.output.find('\n', at);
  // "Glslang Version: 11:12.0.0" has a number of its own before the version's.
  if (const std::size_t colon = end.output.find(':', at); colon < line_end) at = colon + 1;
  at = end.output.find_first_of("0123456789", at);
  if (at == std::string::npos) return "";
  return end.output.substr(at, end.output.find_first_not_of("0123456789.", at) - at);
}

std::vector<int> numbers_of(const std::string& version) {
  std::vector<int> numbers;
  std::istringstream parts(version);
  for (std::string part; std::getline(parts, part, '.');) numbers.push_back(std::atoi(part.c_str()));
  return numbers;
}

Tool tool_of(const std::string& path, const std::string& mark) {
  static std::map<std::string, Tool> known;  // a compiler is asked once
  const auto found = known.find(path);
  if (found != known.end()) return found->second;
  return known[path] = {path, version_of(path, mark)};
}

}  // namespace

std::optional<Tool> find_nvcc(const Target& target) {
  std::string wished = target.nvcc.empty() ? environment("BENCH_NVCC") : target.nvcc;
  if (wished == "none") return std::nullopt;
  if (!wished.empty()) return tool_of(wished, " V");
  std::vector<std::string> candidates;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string folder = environment(variable); !folder.empty()) candidates.push_back(folder + "/bin/nvcc");
  }
  for (const std::string& folder : folders_of_path()) candidates.push_back(folder + "/nvcc");
  candidates.emplace_back("/usr/local/cuda/bin/nvcc");
  for (const std::string& candidate : candidates) {
    if (can_run(candidate)) return tool_of(candidate, " V");
  }
  return std::nullopt;
}

std::optional<Tool> find_glslang(const Target& target) {
  const std::string mark = "Glslang Version: ";
  const std::string wished = target.glslang.empty() ? environment("BENCH_GLSLANG") : target.glslang;
  if (!wished.empty()) return tool_of(wished, mark);
  const fs::path own = folder_of_program();
  std::vector<std::string> candidates = {own / "glslang", own / "../build/tools/glslang"};
  for (const std::string& folder : folders_of_path()) {
    for (const char* name : {"/glslang", "/glslangValidator"}) candidates.push_back(folder + name);
  }
  for (const char* built : {BENCH_GLSLANG_OF_BUILD, BENCH_GLSLANG_NEWER_OF_BUILD}) candidates.emplace_back(built);
  std::optional<Tool> newest;
  for (const std::string& candidate : candidates) {
    if (!can_run(candidate)) continue;
    const Tool tool = tool_of(candidate, mark);
    if (!newest || numbers_of(tool.version) > numbers_of(newest->version)) newest = tool;
  }
  return newest;
}

std::vector<std::string> cuda_include_folders() {
  std::vector<std::string> all;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string folder = environment(variable); !folder.empty()) all.push_back(folder + "/include");
  }
  all.emplace_back("/usr/local/cuda/include");
  std::vector<std::string> there;
  for (const std::string& folder : all) {
    if (std::error_code error; fs::is_regular_file(folder + "/cuda_fp16.h", error)) there.push_back(folder);
  }
  return there;
}

}  // namespace bench::own
