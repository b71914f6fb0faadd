#include "child.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "backends.h"
#include "core/base/error.h"
#include "core/base/watchdog.h"
#include "factory.h"

namespace {

constexpr std::string_view kChild = "--make-in-child";
constexpr double kChildS = 10;  // a driver that starts, and some compilations

int make_kernels(const std::string& api, int index, const std::string& stem, std::istringstream marks) {
  for (const auto& backend : bench::all_backends()) {
    if (to_string(backend->api()) != api) continue;
    const bench::DeviceListing listed = backend->list();
    const auto device = backend->open(listed.devices.at(static_cast<std::size_t>(index)), {});
    const auto own = make_factory(*device);
    for (std::uint32_t mark = 0; marks >> mark;) std::cout << own->make(From::kCompiler, stem, mark) << '\n';
    std::cout.flush();
    return 0;
  }
  throw bench::Error("no such API: {}", api);
}

// The child's environment: this process's, with the caches on and in the folder.
std::vector<std::string> environment_with(const std::string& folder) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool ours =
        text.starts_with("__GL_SHADER_DISK_CACHE") || text.starts_with("CUDA_CACHE_") || text.starts_with("MESA_SHADER_CACHE_");
    if (!ours) all.emplace_back(text);
  }
  for (const char* setting : {"__GL_SHADER_DISK_CACHE=1", "__GL_SHADER_DISK_CACHE_PATH=", "CUDA_CACHE_DISABLE=0",
                              "CUDA_CACHE_PATH=", "MESA_SHADER_CACHE_DISABLE=false", "MESA_SHADER_CACHE_DIR="}) {
    const std::string text = setting;
    all.push_back(text.ends_with("=") ? text + folder : text);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::string read_all(int handle) {
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t got = 0; (got = read(handle, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

}  // namespace

bool was_child(int argc, char** argv) {
  if (argc != 6 || argv[1] != kChild) return false;
  try {
    make_kernels(argv[2], std::atoi(argv[3]), argv[4], std::istringstream(argv[5]));
  } catch (const std::exception& error) {
    std::cout << "error " << error.what() << '\n';
  }
  return true;
}

CacheFolder::CacheFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "exp08-caches-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw bench::Error("no temporary folder for the drivers' caches: {}", pattern);
  path_ = pattern;
}

CacheFolder::~CacheFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<double> made_in_child(const bench::DeviceInfo& device, const std::string& folder, const std::string& stem,
                                  const std::vector<std::uint32_t>& marks) {
  std::vector<std::string> arguments = {"exp08_making",
                                        std::string(kChild),
                                        std::string(to_string(device.api)),
                                        std::to_string(device.index),
                                        stem,
                                        fmt::format("{}", fmt::join(marks, " "))};
  std::vector<std::string> environment = environment_with(folder);
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) throw bench::Error("no pipe for a child process");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, pipe_ends[0]);
  const bench::Deadline deadline("a child process", kChildS, bench::WaitFor::kDriver);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  const std::string text = failed == 0 ? read_all(pipe_ends[0]) : "";
  close(pipe_ends[0]);
  if (failed != 0) throw bench::Error("no child process: error {}", failed);
  int status = 0;
  waitpid(child, &status, 0);
  std::vector<double> found;
  std::istringstream numbers(text);
  for (double ns = 0; numbers >> ns;) found.push_back(ns);
  if (found.size() != marks.size())
    throw bench::Error("a child process (status {}) made {} of {} kernels: {}", status, found.size(), marks.size(), text);
  return found;
}
