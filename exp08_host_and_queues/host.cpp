#include "host.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <string>
#include <thread>

namespace {

double seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); }

// "model name : ..." of the first processor; on Arm there is none.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

CpuTime cpu_time() {
  // The clock's reading brings the count up to now. Without it the count may be a tick old, milliseconds of a thread that runs.
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {seconds(usage.ru_utime), seconds(usage.ru_stime)};
}

std::vector<bench::Column> host_columns() {
  using bench::Column;
  return {Column::text("host_cpu", "the host's processor").optional(),
          Column::integer("host_cpus", "", "processors that the program may use").optional(),
          Column::text("host_kernel", "the host's operating system and its release").optional(),
          Column::text("host_governor", "how the first processor's clock is chosen").optional(),
          Column::text("host_idle", "who chooses a processor's idle state").optional()};
}

bench::Values host_values() {
  utsname system{};
  const bool known = uname(&system) == 0;
  return {{"host_cpu", cpu_model()},
          {"host_cpus", std::thread::hardware_concurrency()},
          {"host_kernel", known ? std::string(system.sysname) + " " + system.release : ""},
          {"host_governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
          {"host_idle", first_line("/sys/devices/system/cpu/cpuidle/current_driver")}};
}
