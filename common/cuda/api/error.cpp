#include "cuda/api/error.h"

#include <string_view>

namespace bench::cuda {
namespace {

std::string_view what_to_try(cudaError_t status) {
  switch (status) {
    case cudaErrorInsufficientDriver:
      return "there is no NVIDIA driver (libcuda.so.1), or it is too old for the CUDA toolkit of this build: install or update "
             "it; "
             "in a container, start it with the NVIDIA container toolkit (--gpus all)";
    case cudaErrorNoDevice:
      return "the driver shows no GPU: see nvidia-smi and CUDA_VISIBLE_DEVICES; in a container, start it with --gpus all";
    case cudaErrorStubLibrary:
      return "the toolkit's stub libcuda.so is on LD_LIBRARY_PATH before the driver's: take it off";
    case cudaErrorSystemNotReady:
      return "on an NVSwitch system, start nvidia-fabricmanager";
    case cudaErrorSystemDriverMismatch:
      return "the driver's kernel module and its libraries differ in version: reload the module or reboot";
    case cudaErrorDevicesUnavailable:
      return "another process holds the GPU in exclusive mode: see nvidia-smi -q -d COMPUTE";
    case cudaErrorMemoryAllocation:
      return "choose a smaller --size, or free memory on the GPU (nvidia-smi lists who holds it)";
    case cudaErrorNoKernelImageForDevice:
      return "add this GPU's architecture to BENCH_CUDA_ARCHS and build again";
    case cudaErrorUnsupportedPtxVersion:
      return "the driver is older than the toolkit that made the PTX: update it, or add this GPU's architecture to "
             "BENCH_CUDA_ARCHS";
    default:
      break;
  }
  if (is_sticky(status)) {
    return "the CUDA context is lost: nothing more runs on this GPU in this process; compute-sanitizer names the access";
  }
  return {};
}

}  // namespace

bool is_sticky(cudaError_t status) {
  // By number, as CUDA 12.4 does not know the first two: cudaErrorContained, cudaErrorTensorMemoryLeak.
  constexpr int kContained = 226;
  constexpr int kTensorMemoryLeak = 721;
  switch (static_cast<int>(status)) {
    case kContained:
    case kTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

std::string describe(cudaError_t status) {
  const std::string_view hint = what_to_try(status);
  return fmt::format("{} ({}): {}{}{}", cudaGetErrorName(status), static_cast<int>(status), cudaGetErrorString(status),
                     hint.empty() ? "" : "; ", hint);
}

void fail(cudaError_t status, const char* call, const char* file, int line, const std::string& asked) {
  static_cast<void>(cudaGetLastError());
  const std::string text =
      fmt::format("{}:{}: {}: {}{}{}", file, line, call, describe(status), asked.empty() ? "" : "; asked for: ", asked);
  if (is_sticky(status)) throw DeviceLost("{}", text);
  if (status == cudaErrorMemoryAllocation) throw OutOfMemory("{}", text);
  throw Error("{}", text);
}

}  // namespace bench::cuda
