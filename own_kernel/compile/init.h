// A first TOML file for kernels, from what their code and their source tell.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "compile/compile.h"

namespace bench::own {

// What the sources need to compile, as the keys of a side.
struct SourceOptions {
  std::vector<std::pair<std::string, std::string>> defines = {};
  std::vector<std::filesystem::path> include = {};
  std::vector<std::string> flags = {};
  std::string kernel = {};  // a part of the name of the kernel meant, in whichever file has it; empty: a guess
};

// One or two files, or one file twice. The text is read back by read_description without a mistake where it stands in `folder`,
// and what it gives is what the kernels take; what is guessed (roles, sizes, values, the launch) has a comment that says so.
// Buffers and numbers of two kernels are taken for the same by their names, else by their order. Throws UsageError for other
// numbers of files, Error where a file does not compile or takes what own kernels may not use, Skip where its compiler is
// missing.
std::string first_description(const std::vector<std::filesystem::path>& files, const Target& target,
                              const std::filesystem::path& folder, const SourceOptions& options = {});

}  // namespace bench::own
