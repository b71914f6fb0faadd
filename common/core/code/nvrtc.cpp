#include "core/code/nvrtc.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/base/error.h"
#include "core/base/shared_library.h"

namespace bench {
namespace {

// The functions of nvrtc.h that are used, as NVRTC's documentation declares them: results are 0 for success.
using Program = struct Opaque*;
struct Nvrtc {
  int (*version)(int*, int*) = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*add_name)(Program, const char*) = nullptr;
  int (*lowered_name)(Program, const char*, const char**) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  int (*ptx_size)(Program, std::size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;
};

std::vector<std::string> nvrtc_libraries() {
  std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* folder = std::getenv(variable)) names.push_back(std::string(folder) + "/lib64/libnvrtc.so");
  }
  names.emplace_back("/usr/local/cuda/lib64/libnvrtc.so");
  return names;
}

// Stays open: what it has set up is part of no later compilation.
const Nvrtc& nvrtc() {
  static const Nvrtc found = [] {
    const SharedLibrary library(nvrtc_libraries(), SharedLibrary::AtEnd::kStay);
    Nvrtc functions;
    bool has_all = true;
    const auto take = [&]<class Function>(Function*& function, const char* name) {
      function = library.function<Function>(name);
      has_all = has_all && function != nullptr;
    };
    take(functions.version, "nvrtcVersion");
    take(functions.create, "nvrtcCreateProgram");
    take(functions.add_name, "nvrtcAddNameExpression");
    take(functions.lowered_name, "nvrtcGetLoweredName");
    take(functions.compile, "nvrtcCompileProgram");
    take(functions.cubin_size, "nvrtcGetCUBINSize");
    take(functions.cubin, "nvrtcGetCUBIN");
    take(functions.ptx_size, "nvrtcGetPTXSize");
    take(functions.ptx, "nvrtcGetPTX");
    take(functions.log_size, "nvrtcGetProgramLogSize");
    take(functions.log, "nvrtcGetProgramLog");
    take(functions.destroy, "nvrtcDestroyProgram");
    return has_all ? functions : Nvrtc();
  }();
  if (found.create == nullptr) throw Skip("no libnvrtc.so of CUDA 12 or 13 was found on this machine");
  return found;
}

void check_nvrtc(int result, const char* what) {
  if (result != 0) throw Error("{}: error {} of NVRTC", what, result);
}

}  // namespace

NvrtcCode compile_with_nvrtc(const NvrtcSource& source) {
  const Nvrtc& api = nvrtc();
  Program program = nullptr;
  check_nvrtc(api.create(&program, source.text.c_str(), source.name.c_str(), 0, nullptr, nullptr), "nvrtcCreateProgram");
  std::vector<const char*> texts;
  for (const std::string& option : source.options) texts.push_back(option.c_str());
  if (!source.instance.empty()) check_nvrtc(api.add_name(program, source.instance.c_str()), "nvrtcAddNameExpression");
  const int compiled = api.compile(program, static_cast<int>(texts.size()), texts.data());
  if (compiled != 0) {
    std::size_t bytes = 0;
    check_nvrtc(api.log_size(program, &bytes), "nvrtcGetProgramLogSize");
    std::string log(bytes, '\0');
    check_nvrtc(api.log(program, log.data()), "nvrtcGetProgramLog");
    api.destroy(&program);
    throw Error("nvrtcCompileProgram: error {}: {}", compiled, log.c_str());
  }
  NvrtcCode code;
  std::size_t bytes = 0;
  check_nvrtc(api.cubin_size(program, &bytes), "nvrtcGetCUBINSize");
  code.cubin.resize(bytes);
  check_nvrtc(api.cubin(program, code.cubin.data()), "nvrtcGetCUBIN");
  if (source.wants_ptx) {
    check_nvrtc(api.ptx_size(program, &bytes), "nvrtcGetPTXSize");
    code.ptx.resize(bytes);
    check_nvrtc(api.ptx(program, code.ptx.data()), "nvrtcGetPTX");
  }
  if (!source.instance.empty()) {
    const char* name = nullptr;
    check_nvrtc(api.lowered_name(program, source.instance.c_str(), &name), "nvrtcGetLoweredName");
    code.entry = name;
  }
  check_nvrtc(api.destroy(&program), "nvrtcDestroyProgram");
  return code;
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  check_nvrtc(nvrtc().version(&major, &minor), "nvrtcVersion");
  return fmt::format("{}.{}", major, minor);
}

}  // namespace bench
