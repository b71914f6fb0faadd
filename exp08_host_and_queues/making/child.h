// The driver's cache on disk is switched by the environment that a process begins with: so it is asked about in child
// processes.
#pragma once

#include <string>
#include <vector>

#include "core/device/device.h"

// If the arguments are those of a child: does its work, prints what it took, and returns true.
bool was_child(int argc, char** argv);

// A folder for the drivers' caches, gone with this.
class CacheFolder {
 public:
  CacheFolder();
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;
  ~CacheFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A child makes kernels `stem` on that device, one for each mark, with its driver's caches in the folder: nanoseconds each.
// Throws Error with what it said.
std::vector<double> made_in_child(const bench::DeviceInfo& device, const std::string& folder, const std::string& stem,
                                  const std::vector<std::uint32_t>& marks);
