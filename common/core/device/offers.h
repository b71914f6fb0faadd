// What some devices offer beside core/device/device.h. Each is an interface that a backend's device implements as well;
// Device::as() asks for one, Device::offer() wants it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_descriptor.h"
#include "core/device/device.h"
#include "core/device/device_counters.h"

namespace bench {

// How a sparse buffer's memory lies in its one allocation.
enum class PageOrder : std::uint8_t {
  kInOrder,    // as it is, bound at once
  kScattered,  // in blocks of the least size that the device binds, no two neighbours side by side: no page can be larger
};

class SparseMemory {
 public:
  static constexpr std::string_view kLack = "does not bind pages here";
  virtual ~SparseMemory() = default;
  // As Device::allocate(), its pages bound by the device's queue (Vulkan 1.3, chapter 34, "Sparse Resources"). Throws Skip
  // where this device cannot.
  virtual std::unique_ptr<Buffer> allocate_sparse(std::uint64_t bytes, std::string_view label, PageOrder order) = 0;
};

// A buffer's memory as it goes from one API to another.
struct ExportedMemory {
  FileDescriptor handle;               // opaque, of an allocation that holds the buffer and nothing else
  std::uint64_t allocation_bytes = 0;  // the driver may round up
  std::uint64_t buffer_bytes = 0;      // from its beginning
  bool dedicated = false;              // a Vulkan dedicated allocation
};

// A call into a library that puts its own work into a CUDA stream, as often as a kernel would be launched.
struct StreamCall {
  std::string name;  // for messages
  std::vector<const Buffer*> buffers;
  // stream: a cudaStream_t. pointers: the buffers', in their order. Asynchronous.
  std::function<void(void* stream, std::span<void* const> pointers)> enqueue;
};

class StreamCalls {
 public:
  static constexpr std::string_view kLack = "has no stream that a library could be called with";
  virtual ~StreamCalls() = default;
  // As Device::run() and Device::prepare().
  virtual void run(const StreamCall& call) = 0;
  virtual std::unique_ptr<Subject> prepare(const StreamCall& call, const SubjectOptions& options) = 0;
};

// One buffer for two APIs: one allocates and exports it, the other imports it on the same GPU, and both then use the same
// pages. Throw Skip with what is missing.
class SharedMemory {
 public:
  static constexpr std::string_view kLack = "cannot share memory with another API";
  virtual ~SharedMemory() = default;
  virtual std::unique_ptr<Buffer> allocate_shareable(std::uint64_t bytes, std::string_view label) = 0;
  // The pages live until both buffers are gone.
  virtual ExportedMemory export_memory(const Buffer& shareable) = 0;
  virtual std::unique_ptr<Buffer> import_memory(ExportedMemory memory, std::string_view label) = 0;
};

// Device::run() in two halves, for work that needs company: on the peer, or from the host.
class StartedWork {
 public:
  static constexpr std::string_view kLack = "waits for every work here";
  virtual ~StartedWork() = default;
  virtual void start(const Work& work) = 0;
  // Waits for what start() began and returns its nanoseconds between two device stamps. Nothing else of this device in between.
  virtual double finish() = 0;
};

class Peers {
 public:
  static constexpr std::string_view kLack = "does not reach another GPU's memory here";
  virtual ~Peers() = default;
  // Another GPU of this host: each of the two reaches the other's memory by its own loads and stores (CUDA: peer access, over
  // NVLink or PCIe), so that buffers of one are arguments of the other's kernels and ends of its copies. Only its own device
  // fills, writes and reads a buffer. Opened at the first call; lives as long as this device. Throws Skip with what is missing.
  virtual Device& peer() = 0;
};

class L2Fetch {
 public:
  static constexpr std::string_view kLack = "cannot say how much the L2 fetches at a time";
  virtual ~L2Fetch() = default;
  // How many bytes the L2 asks memory for where one sector is missing: 32, 64 or 128 (a hint to it); 0: what it does by itself.
  // CUDA: cudaLimitMaxL2FetchGranularity. Throws Skip where the device sets another.
  virtual void set_l2_fetch_bytes(std::uint32_t bytes) = 0;
};

class Counting {
 public:
  static constexpr std::string_view kLack = "does not open hardware counters";
  virtual ~Counting() = default;
  // The hardware counters of the whole GPU, for work of any API. CUDA: CUPTI's PM sampling. Throws Skip with what is missing,
  // Error with what the driver refuses.
  virtual std::unique_ptr<DeviceCounters> counters() = 0;
};

// What a device makes of a kernel's clusters of blocks; 0: not known.
struct ClusterLimits {
  std::uint32_t active = 0;            // clusters of CudaLaunch::cluster_x blocks that run at once
  std::uint32_t largest = 0;           // blocks of the largest cluster that this device starts
  std::uint32_t largest_portable = 0;  // the same without the attribute that allows sizes that not every device has
};

// Of a kernel.
class Clusters {
 public:
  virtual ~Clusters() = default;
  // Asks the driver anew at every call. Throws Error.
  virtual ClusterLimits cluster_limits() const = 0;
};

// Throws Skip where kernels of its API have no clusters.
ClusterLimits cluster_limits(const Kernel& kernel);

}  // namespace bench
