#include "nvrtc.h"

#include "core/base/error.h"
#include "core/base/shared_library.h"

namespace {

// The functions of nvrtc.h that are used, as NVRTC's documentation declares them: results are 0 for success.
using Program = struct Opaque*;
struct Nvrtc {
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;
};

// Stays open: what it has set up is part of no later compilation.
const Nvrtc& nvrtc() {
  static const Nvrtc found = [] {
    const bench::SharedLibrary library({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"},
                                       bench::SharedLibrary::AtEnd::kStay);
    Nvrtc functions;
    const auto take = [&library]<class Function>(Function*& function, const char* name) {
      function = library.function<Function>(name);
    };
    take(functions.create, "nvrtcCreateProgram");
    take(functions.compile, "nvrtcCompileProgram");
    take(functions.cubin_size, "nvrtcGetCUBINSize");
    take(functions.cubin, "nvrtcGetCUBIN");
    take(functions.log_size, "nvrtcGetProgramLogSize");
    take(functions.log, "nvrtcGetProgramLog");
    take(functions.destroy, "nvrtcDestroyProgram");
    return functions;
  }();
  if (found.create == nullptr || found.compile == nullptr || found.cubin_size == nullptr || found.cubin == nullptr ||
      found.log_size == nullptr || found.log == nullptr || found.destroy == nullptr) {
    throw bench::Skip("no libnvrtc.so of CUDA 12 or 13 was found on this machine");
  }
  return found;
}

}  // namespace

std::vector<char> nvrtc_cubin(const std::string& source, const std::vector<std::string>& options) {
  const Nvrtc& api = nvrtc();
  const auto check = [](int result, const char* what) {
    if (result != 0) throw bench::Error("{}: error {} of NVRTC", what, result);
  };
  Program program = nullptr;
  check(api.create(&program, source.c_str(), "made.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  std::vector<const char*> texts;
  for (const std::string& option : options) texts.push_back(option.c_str());
  const int compiled = api.compile(program, static_cast<int>(texts.size()), texts.data());
  if (compiled != 0) {
    std::size_t bytes = 0;
    check(api.log_size(program, &bytes), "nvrtcGetProgramLogSize");
    std::string log(bytes, '\0');
    check(api.log(program, log.data()), "nvrtcGetProgramLog");
    api.destroy(&program);
    throw bench::Error("nvrtcCompileProgram: error {}: {}", compiled, log);
  }
  std::size_t bytes = 0;
  check(api.cubin_size(program, &bytes), "nvrtcGetCUBINSize");
  std::vector<char> cubin(bytes);
  check(api.cubin(program, cubin.data()), "nvrtcGetCUBIN");
  check(api.destroy(&program), "nvrtcDestroyProgram");
  return cubin;
}
