// --dump-isa: the machine code of every kernel of a run as files, and an index of them.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/device/device.h"

namespace bench {

// Writes into FOLDER/<experiment>/: per kernel and API <kernel>.<api>.bin (the instructions), .cubin or .nvuc (what they lie
// in), .txt (the driver's own listing) and per stem .ptx and .spv; whatever of these there is. index.json comes last:
//   {"schema": 1, "experiment", "gpu", "driver", "git_rev", "kernels": [{"kernel", "stem", "api", "arch", "block_x": threads,
//    "constants": [GLSL's 1, 2, ...], "variant", "code", "container", "source", "text": file names or null, "isa_hash",
//    "statistics": {name: number}, "reason": why there is no code, or what is doubtful}]}
class IsaDump {
 public:
  // Makes the folder. Throws UsageError if that fails.
  IsaDump(const std::string& folder, std::string_view experiment);

  // One entry per stem, entry point, API, variant (Device::build_of) and constants: of kernels that differ in their block alone
  // the first one's. Throws Error if a file cannot be written.
  void add(const Api& api, const std::string& variant, const KernelSpec& spec, const KernelCode& code);

  // Writes the index; nothing was a dump before. Throws Error.
  void finish(std::string_view gpu, std::string_view driver);

 private:
  // The name, or null for nothing to write.
  nlohmann::ordered_json write(const std::string& name, std::span<const std::byte> bytes) const;
  std::string unused_name(const Api& api, const std::string& variant, const KernelSpec& spec);

  std::filesystem::path folder_;
  std::string experiment_;
  std::set<std::string> known_;                                       // what tells the entries apart
  nlohmann::ordered_json entries_ = nlohmann::ordered_json::array();  // "kernels"
  std::set<std::string> names_;
};

}  // namespace bench
