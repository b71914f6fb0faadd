// A Work made ready for a CUDA stream: checked once, so that enqueueing it is one runtime call.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/device/offers.h"
#include "cuda/launch/kernel.h"

namespace bench::cuda {

class Command {
 public:
  // Throws Error if buffers or parameters do not fit the kernel, a range leaves its buffer, or an object belongs to another
  // API. Non-owning: the work's kernel and buffers outlive the command.
  explicit Command(const Work& work);
  explicit Command(const StreamCall& call);
  Command(Command&&) noexcept = default;  // args_ point into the heap of pointers_ and params_, which a move keeps
  Command& operator=(Command&&) noexcept = default;

  // Asynchronous; nothing for a Nothing. Throws Error.
  void enqueue(cudaStream_t stream);

  bool is_nothing() const { return kernel_ == nullptr && copy_bytes_ == 0 && call_ == nullptr && passes_.empty(); }
  const std::string& name() const { return name_; }  // for messages

 private:
  void set(const Launch& launch);
  void set(const Copy& copy);
  void set(const Nothing&) {}
  void set(const Passes& passes);

  std::string name_ = "nothing";

  const Kernel* kernel_ = nullptr;
  std::array<std::uint32_t, 3> grid_{};
  std::vector<void*> pointers_;
  std::vector<std::byte> params_;
  std::vector<void*> args_;

  void* copy_to_ = nullptr;
  const void* copy_from_ = nullptr;
  std::uint64_t copy_bytes_ = 0;

  std::function<void(void*, std::span<void* const>)> call_;
  std::vector<Command> passes_;
};

}  // namespace bench::cuda
