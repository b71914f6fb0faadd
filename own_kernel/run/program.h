// own_kernel FILE: from a description to its end on the console.
//
// This process opens no device. Each side is compiled, and runs first alone in a child process; the sides that were right are
// timed together, alternately, in one child process after another. Whatever a kernel, a driver or a compiler does costs that
// child, and one line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace bench::own {

struct ProgramOptions {
  std::filesystem::path file;
  std::string json;  // files and folders to write; empty: none
  std::string csv;
  std::string dump_isa;       // a folder
  bool compile_only = false;  // with dump_isa: nothing runs, as where there is a driver and no GPU
  std::uint32_t wave = 0;     // threads per subgroup of Vulkan's steps that leave them open; 0: the driver's choice
  std::string count;
  bool fail_on_slower = false;  // exit code 1 where the second side is slower
  std::uint32_t processes = 3;  // that time the cases
  std::string device;           // as --device of every program
  std::string budget;           // seconds of sampling per case; empty: the programs' default
  std::string timeout = "20";   // seconds that a launch may take
  bool validate = false;        // Vulkan's validation layer
};

// Returns the exit code: 0 all ran, 1 something failed (or is slower), 77 nothing could run here. Throws UsageError.
int run_program(const ProgramOptions& options);

}  // namespace bench::own
