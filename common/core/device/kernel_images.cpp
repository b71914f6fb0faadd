#include "core/device/kernel_images.h"

#include <fmt/ranges.h>

#include <vector>

#include "core/base/error.h"

namespace bench {

const KernelImages& find_kernel(std::span<const KernelImages> images, std::string_view stem) {
  std::vector<std::string_view> stems;
  for (const KernelImages& image : images) {
    if (image.stem == stem) return image;
    stems.push_back(image.stem);
  }
  throw Error("no kernel called {} is embedded in this program; there are: {}", stem, fmt::join(stems, ", "));
}

const CudaImage* choose_image(std::span<const CudaImage> images, int major, int minor) {
  const CudaImage* best = nullptr;
  // Rank: arch-specific cubin of exactly this GPU, then cubins of the same major version by minor, then PTX by version.
  const auto rank = [&](const CudaImage& image) {
    if (image.is_ptx) return (image.major * 10 + image.minor <= major * 10 + minor) ? image.major * 10 + image.minor : -1;
    if (image.major != major || image.minor > minor) return -1;
    if (image.arch_specific) return image.minor == minor ? 10000 : -1;
    return 1000 + image.minor;
  };
  for (const CudaImage& image : images) {
    if (rank(image) >= 0 && (best == nullptr || rank(image) > rank(*best))) best = &image;
  }
  return best;
}

}  // namespace bench
