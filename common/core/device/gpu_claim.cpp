#include "core/device/gpu_claim.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/device/nvml.h"

namespace bench {
namespace {

constexpr std::size_t kBoardDigits = 8;  // of the UUID, as --print-board says it
constexpr unsigned kBusyPercent = 5;     // of the GPU's time: what computes takes more

FileDescriptor open_lock(const std::string& path) {
  // Another user's file in a sticky folder may be opened, and not by O_CREAT (fs.protected_regular).
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (file.handle() < 0 && errno == EEXIST) file = FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.handle() < 0)
    throw Error("{} cannot be opened ({}): remove it, or name another folder by BENCH_LOCK_DIR", path, std::strerror(errno));
  return file;
}

// Processes with a context on the GPU, if somebody keeps it busy: this program has none yet. What the program before has left
// in the average goes within a second.
void refuse_company(const DeviceInfo& gpu) {
  constexpr int kLooks = 6;
  constexpr std::chrono::milliseconds kPause{400};
  const Nvml nvml(gpu.uuid);
  std::vector<unsigned> processes;
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) std::this_thread::sleep_for(kPause);
    processes = nvml.compute_processes();
    if (processes.empty() || nvml.busy_percent().value_or(0) < kBusyPercent) return;
  }
  throw Error("{} is kept busy by another process ({}): both would disturb each other; wait for its end", gpu.name,
              fmt::join(processes, ", "));
}

}  // namespace

GpuClaim::GpuClaim(const DeviceInfo& gpu) {
  if (gpu.is_cpu || !gpu.uuid) return;
  const std::string board = uuid_text(gpu.uuid).substr(0, kBoardDigits);
  const char* const held = std::getenv("BENCH_GPU_LOCK");
  if (held == nullptr || held != board) {
    const char* const folder = std::getenv("BENCH_LOCK_DIR");
    const std::string path =
        fmt::format("{}/cuda_vulkan_bench.{}.lock", folder != nullptr && *folder != '\0' ? folder : "/tmp", board);
    file_ = open_lock(path);
    if (flock(file_.handle(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw Error("another program measures on {} ({} is locked): both would disturb each other; wait for its end", gpu.name,
                  path);
  }
  refuse_company(gpu);
}

void Company::opened() {
  for (const unsigned id : all()) {
    if (!before_.contains(id)) own_.insert(id);
  }
}

std::optional<unsigned> Company::since(std::uint64_t us_since_epoch) {
  std::vector<unsigned> others;
  for (const ProcessUse& use : nvml_.uses_since(us_since_epoch)) {
    if (use.sm_percent < kBusyPercent) continue;
    if (own_.contains(use.id)) {
      has_read_own_ = true;
    } else {
      others.push_back(use.id);
    }
  }
  // Asked after every case: NVML's second list only where somebody is to be found in it.
  if (others.empty() || !has_read_own_) return std::nullopt;
  const std::vector<unsigned> drawing = nvml_.graphics_processes();
  std::erase_if(others, [&](unsigned id) { return std::ranges::find(drawing, id) != drawing.end(); });
  return others.empty() ? std::nullopt : std::optional(others.back());
}

std::set<unsigned> Company::all() const {
  std::set<unsigned> ids;
  for (const unsigned id : nvml_.compute_processes()) ids.insert(id);
  for (const unsigned id : nvml_.graphics_processes()) ids.insert(id);
  return ids;
}

}  // namespace bench
