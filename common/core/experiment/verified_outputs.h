// Which outputs have been verified in full, and the checksums that the device made of them then.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "core/base/file_descriptor.h"
#include "core/device/checksum.h"

namespace bench {

// A CSV file: experiment, git_rev, input_seed, output, number, words, checksum; a row per verified output, written whole as
// soon as it is. Held as a result file is: two processes never write one.
class VerifiedOutputs {
 public:
  // Who verified: what another experiment, another commit or another input has noted is left out, for good.
  struct Origin {
    std::string experiment;
    std::string git_rev;
    std::uint64_t input_seed = 0;
  };
  // One of a case's outputs, or what several cases' outputs must be.
  struct Output {
    std::string name;          // output_name() of the case's side; a reference's
    std::uint32_t number = 0;  // the case's first, second, ...; a reference's: 0
    std::uint64_t words = 0;
    auto operator<=>(const Output&) const = default;  // NOLINT(modernize-use-nullptr): a comparison with 0
  };

  // Reads what is there; makes the file, and its folder, where there is none. Damaged rows are left out: their outputs are
  // verified in full again. Throws UsageError where the file cannot be read or written, Error if another process holds it.
  VerifiedOutputs(const std::string& path, const Origin& origin);

  // Whether the output was verified in full with this checksum.
  bool has(const Output& output, const Checksum& checksum) const;
  // Throws Error if it cannot be written.
  void note(const Output& output, const Checksum& checksum);

 private:
  std::string path_;
  Origin origin_;
  std::multimap<Output, Checksum> noted_;  // several of an output that may be one thing or another
  FileDescriptor file_;
};

}  // namespace bench
