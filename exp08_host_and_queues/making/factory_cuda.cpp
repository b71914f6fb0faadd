// CUDA's factory: libraries of kernels, and two allocators.
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "core/base/watchdog.h"
#include "core/code/nvrtc.h"
#include "cuda/api/handle.h"
#include "cuda/memory/buffer.h"
#include "exp08_kernels.h"
#include "factory.h"
#include "made_text.h"
#include "params.h"

namespace {

using bench::cuda::Library;

constexpr double kMakingS = 10;

int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  BENCH_CU(cudaGetDevice(&device));
  BENCH_CU(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

const bench::CudaImage& image_of(const bench::KernelImages& images, bool ptx, int major, int minor) {
  std::vector<bench::CudaImage> suitable;
  for (const bench::CudaImage& image : images.cuda) {
    if (image.is_ptx == ptx) suitable.push_back(image);
  }
  const bench::CudaImage* found = bench::choose_image(suitable, major, minor);
  if (found == nullptr) {
    throw bench::Skip("{}: this build has no {} for compute capability {}.{} (BENCH_CUDA_ARCHS)", images.stem,
                      ptx ? "PTX" : "cubin", major, minor);
  }
  for (const bench::CudaImage& image : images.cuda) {
    if (image.bytes.data() == found->bytes.data()) return image;
  }
  throw bench::Error("{}: an image has gone", images.stem);
}

// The PTX with another number where the mark stands.
std::string marked(const bench::CudaImage& ptx, std::uint32_t mark) {
  std::string text(reinterpret_cast<const char*>(ptx.bytes.data()), ptx.bytes.size());
  const std::string old = std::to_string(EXP08_MARK);
  const std::string fresh = std::to_string(mark);
  const std::size_t at = text.find(old);
  if (at == std::string::npos || fresh.size() != old.size()) throw bench::Error("the mark {} does not stand in the PTX", old);
  text.replace(at, old.size(), fresh);
  if (text.find(old) != std::string::npos) throw bench::Error("the mark {} stands in the PTX more than once", old);
  return text;
}

class CudaFactory final : public Factory {
 public:
  CudaFactory()
      : major_(attribute(cudaDevAttrComputeCapabilityMajor)),
        minor_(attribute(cudaDevAttrComputeCapabilityMinor)),
        stream_(bench::cuda::make_stream()) {
    cudaMemPoolProps props{};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    BENCH_CU(cudaGetDevice(&props.location.id));
    BENCH_CU(cudaMemPoolCreate(&pool_, &props));
    std::uint64_t keep_all = ~0ULL;
    BENCH_CU(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep_all));
  }
  ~CudaFactory() override {
    const bench::Deadline deadline("the release of a memory pool");
    static_cast<void>(cudaMemPoolDestroy(pool_));
  }

  double make(From from, std::string_view stem, std::uint32_t mark) override {
    const bench::KernelImages& images = bench::find_kernel(bench::kernels::exp08(), stem);
    const bench::Deadline deadline("the making of a kernel", kMakingS, bench::WaitFor::kDriver);
    library_ = {};
    if (from == From::kOwnCache) return load(image_of(images, false, major_, minor_).bytes.data(), stem);
    if (from == From::kCompiler) return load(marked(image_of(images, true, major_, minor_), mark).c_str(), stem);
    const std::string source = fmt::format("{}MADE({}, {}u, {})\n", kMadeText, stem, mark,
                                           stem == "made_large" ? EXP08_LARGE_STEPS : EXP08_SMALL_STEPS);
    const auto begin = HostClock::now();
    const bench::NvrtcCode code =
        bench::compile_with_nvrtc({.text = source, .options = {fmt::format("--gpu-architecture=sm_{}{}", major_, minor_)}});
    const double compiled_ns = ns_between(begin, HostClock::now());
    return compiled_ns + load(code.cubin.data(), stem);
  }

  void run(const bench::Buffer& words, std::uint32_t blocks) override {
    void* pointer = bench::cuda::own(words).handle();
    std::array<void*, 1> arguments = {&pointer};
    const bench::Deadline deadline("a made kernel");
    BENCH_CU(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), dim3(blocks), dim3(EXP08_MADE_BLOCK), arguments.data(), 0,
                              stream_.handle()),
             "{} blocks", blocks);
    BENCH_CU(cudaStreamSynchronize(stream_.handle()));
  }

  bench::HostTimes allocate(Allocation how, std::uint64_t bytes) override {
    const bench::Deadline deadline("an allocation");
    const bool dedicated = how == Allocation::kDedicated;
    const auto begin = HostClock::now();
    void* memory = dedicated ? get(bytes) : get_from_pool(bytes);
    const auto allocated = HostClock::now();
    release(how, memory);
    const double ns = ns_between(begin, HostClock::now());
    if (!dedicated) BENCH_CU(cudaStreamSynchronize(stream_.handle()));
    return {ns, ns_between(begin, allocated)};
  }

  void check_allocation(Allocation how, std::uint64_t bytes) override {
    const bench::Deadline deadline("an allocation");
    void* memory = how == Allocation::kDedicated ? get(bytes) : get_from_pool(bytes);
    std::array<unsigned char, 2> ends{};
    BENCH_CU(cudaMemsetAsync(memory, 0xa5, bytes, stream_.handle()));
    for (const std::uint64_t at : {std::uint64_t{0}, bytes - 1}) {
      BENCH_CU(cudaMemcpyAsync(&ends[at != 0 ? 1 : 0], static_cast<std::byte*>(memory) + at, 1, cudaMemcpyDeviceToHost,
                               stream_.handle()));
    }
    BENCH_CU(cudaStreamSynchronize(stream_.handle()));
    release(how, memory);
    if (ends[0] != 0xa5 || ends[1] != 0xa5)
      throw bench::Error("wrong output: an allocation of {} bytes does not hold what was written", bytes);
  }

  bench::HostTimes descriptor_sets(Sets, std::uint32_t) override { throw bench::Skip("CUDA has no descriptor sets"); }

 private:
  // Loads the code onto the GPU, as a first launch would.
  double load(const void* image, std::string_view stem) {
    const auto begin = HostClock::now();
    cudaLibrary_t raw = nullptr;
    BENCH_CU(cudaLibraryLoadData(&raw, image, nullptr, nullptr, 0, nullptr, nullptr, 0), "{}", stem);
    library_ = Library(raw);
    BENCH_CU(cudaLibraryGetKernel(&kernel_, raw, std::string(stem).c_str()), "{}", stem);
    cudaFuncAttributes attributes{};
    BENCH_CU(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel_)), "{}", stem);
    return ns_between(begin, HostClock::now());
  }

  static void* get(std::uint64_t bytes) {
    void* memory = nullptr;
    BENCH_CU(cudaMalloc(&memory, bytes), "{} bytes", bytes);
    return memory;
  }
  void* get_from_pool(std::uint64_t bytes) {
    void* memory = nullptr;
    BENCH_CU(cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_.handle()), "{} bytes", bytes);
    return memory;
  }
  void release(Allocation how, void* memory) {
    if (how == Allocation::kDedicated) {
      BENCH_CU(cudaFree(memory));
    } else {
      BENCH_CU(cudaFreeAsync(memory, stream_.handle()));
    }
  }

  int major_;
  int minor_;
  bench::cuda::Stream stream_;
  cudaMemPool_t pool_ = nullptr;
  Library library_;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace

std::unique_ptr<Factory> cuda_factory(bench::Device& /*device*/) { return std::make_unique<CudaFactory>(); }
