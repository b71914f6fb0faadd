// NVRTC, opened at run time: a program without it runs all the same.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct NvrtcSource {
  std::string text = {};
  std::string name = "made.cu";           // as messages call it
  std::vector<std::string> options = {};  // "--gpu-architecture=sm_90"
  std::string instance = {};              // of a template, to be made: "saxpy<float, 4>"; empty: none
  bool wants_ptx = false;
};

struct NvrtcCode {
  std::string cubin = {};
  std::string ptx = {};    // where it is wanted
  std::string entry = {};  // the mangled name of the instance
};

// What NVRTC makes of the source. Throws Skip where there is no NVRTC, Error with its log.
NvrtcCode compile_with_nvrtc(const NvrtcSource& source);

// "13.0"; throws Skip where there is no NVRTC.
std::string nvrtc_version();

}  // namespace bench
