#include "cuda/launch/command.h"

#include "core/device/kernel_interface.h"
#include "cuda/memory/buffer.h"

namespace bench::cuda {

Command::Command(const Work& work) {
  check_work(work);
  std::visit([this](const auto& each) { set(each); }, work);
}

Command::Command(const StreamCall& call) : name_(call.name), call_(call.enqueue) {
  if (!call_) throw Error("{}: a call of nothing", name_);
  for (const bench::Buffer* buffer : call.buffers) pointers_.push_back(own(*buffer).handle());
}

void Command::set(const Launch& launch) {
  name_ = launch.kernel->spec().entry;
  kernel_ = dynamic_cast<const Kernel*>(launch.kernel);
  if (kernel_ == nullptr) throw Error("{}: a kernel that CUDA did not load", name_);
  grid_ = launch.grid;
  for (const bench::Buffer* buffer : launch.buffers) pointers_.push_back(own(*buffer).handle());
  params_ = with_addresses(launch, [this](std::uint32_t i) { return reinterpret_cast<std::uint64_t>(pointers_[i]); });
  if (const auto& arguments = kernel_->spec().cuda.arguments; !arguments.empty()) {
    for (const ParamsPart& one : arguments) args_.push_back(params_.data() + one.offset);
    return;
  }
  for (void*& pointer : pointers_) args_.push_back(&pointer);
  if (!params_.empty()) args_.push_back(params_.data());
}

void Command::set(const Copy& copy) {
  name_ = "cudaMemcpyAsync";
  copy_from_ = own(*copy.source).handle();
  copy_to_ = own(*copy.destination).handle();
  copy_bytes_ = copy.bytes;
}

void Command::set(const Passes& passes) {
  for (const Launch& launch : passes.launches) passes_.emplace_back(launch);
  name_ = passes_.back().name() + " and its passes";
}

void Command::enqueue(cudaStream_t stream) {
  for (Command& pass : passes_) pass.enqueue(stream);
  if (kernel_ != nullptr) {
    kernel_->launch(stream, grid_, args_.data());
  } else if (call_ != nullptr) {
    call_(stream, pointers_);
  } else if (copy_bytes_ != 0) {
    BENCH_CU(cudaMemcpyAsync(copy_to_, copy_from_, copy_bytes_, cudaMemcpyDeviceToDevice, stream), "{} bytes", copy_bytes_);
  }
}

}  // namespace bench::cuda
