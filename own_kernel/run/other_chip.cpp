#include "run/other_chip.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/base/error.h"

namespace bench::own {
namespace {

// In the folder of this program or above it: the programs are in bin/ of a package, and in build/<preset>/bin of the
// repository.
std::filesystem::path script_above(const std::filesystem::path& folder) {
  for (std::filesystem::path at = folder; at != at.root_path(); at = at.parent_path()) {
    std::filesystem::path script = at / "scripts/run.sh";
    if (access(script.c_str(), X_OK) == 0) return script;
  }
  throw UsageError("--chip needs the suite's scripts/run.sh, which is in no folder above {}", folder.string());
}

}  // namespace

void list_for(const OtherChip& chip, const std::filesystem::path& file, const std::string& out) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::vector<std::string> command = {
      script_above(folder).string(), "--bin", folder.string(), "--kernel", file.string(), "--chip", chip.name};
  if (chip.wave != 0) command.insert(command.end(), {"--wave", std::to_string(chip.wave)});
  if (!out.empty()) command.insert(command.end(), {"--out", out});
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execv(words[0], words.data());
  throw Error("{}: {}", command[0], strerror(errno));
}

}  // namespace bench::own
