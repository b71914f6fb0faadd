#include "core/code/nvrtc.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/base/error.h"
#include "core/base/shared_library.h"

namespace bench {
namespace {

using Program = struct Opaque*;

std::vector<std::string> nvrtc_libraries() {
  std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* folder = std::getenv(variable)) names.push_back(std::string(folder) + "/lib64/libnvrtc.so");
  }
  names.emplace_back("/usr/local/cuda/lib64/libnvrtc.so");
  return names;
}

// Stays open: what it has set up is part of no later compilation.
const SharedLibrary& nvrtc() {
  static const SharedLibrary library(nvrtc_libraries(), SharedLibrary::AtEnd::kStay);
  return library;
}

// Calls a function of nvrtc.h, whose results are 0 for success, with arguments of the types that it has there. Throws Skip
// without it.
template <class... Params>
int try_call(const char* name, Params... params) {
  auto* const function = nvrtc().function<int(Params...)>(name);
  if (function == nullptr) throw Skip("no libnvrtc.so of CUDA 12 or 13 was found on this machine");
  return function(params...);
}

// The same. Throws Error if it fails.
template <class... Params>
void call(const char* name, Params... params) {
  if (const int result = try_call(name, params...); result != 0) throw Error("{}: error {} of NVRTC", name, result);
}

// What two functions give of a program: how many bytes, and these.
std::string text_of(Program program, const char* size, const char* content) {
  std::size_t bytes = 0;
  call(size, program, &bytes);
  std::string text(bytes, '\0');
  call(content, program, text.data());
  return text;
}

}  // namespace

NvrtcCode compile_with_nvrtc(const NvrtcSource& source) {
  Program program = nullptr;
  const char* const* const no_texts = nullptr;
  call("nvrtcCreateProgram", &program, source.text.c_str(), source.name.c_str(), 0, no_texts, no_texts);
  std::vector<const char*> options;
  for (const std::string& option : source.options) options.push_back(option.c_str());
  if (!source.instance.empty()) call("nvrtcAddNameExpression", program, source.instance.c_str());
  const char* const* const texts = options.data();
  if (const int result = try_call("nvrtcCompileProgram", program, static_cast<int>(options.size()), texts); result != 0) {
    const std::string log = text_of(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
    try_call("nvrtcDestroyProgram", &program);
    throw Error("nvrtcCompileProgram: error {}: {}", result, log.c_str());
  }
  NvrtcCode code;
  code.cubin = text_of(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN");
  if (source.wants_ptx) code.ptx = text_of(program, "nvrtcGetPTXSize", "nvrtcGetPTX");
  if (!source.instance.empty()) {
    const char* name = nullptr;
    call("nvrtcGetLoweredName", program, source.instance.c_str(), &name);
    code.entry = name;
  }
  call("nvrtcDestroyProgram", &program);
  return code;
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  call("nvrtcVersion", &major, &minor);
  return fmt::format("{}.{}", major, minor);
}

}  // namespace bench
