// A chain of dispatches, each of which needs the one before and is handed other buffers than it: as each API does it.
#pragma once

#include <memory>
#include <vector>

#include "core/device/device.h"

// What a dispatch is handed: a part of a buffer, in bytes.
struct Slice {
  const bench::Buffer* buffer;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct ChainStep {
  Slice in;
  Slice out;
  std::vector<std::byte> params = {};  // see bench::Launch
};

// The steps of one kernel, one after another and again from the first one on. The buffers outlive what is made of it.
struct Chain {
  const bench::Kernel* kernel = nullptr;
  std::uint32_t blocks = 1;
  std::vector<ChainStep> steps = {};
  bool has_lead_in = false;      // all steps once or twice ahead of a sample: see DeviceSampleSpec::lead_in
  bool is_programmatic = false;  // CUDA: each launch but the first may begin early, and its kernel waits by itself
};

// Vulkan binds the pipeline once, and so what all steps share. Before a dispatch stands what its binding takes to hand over
// other buffers, and nothing else.
std::unique_ptr<bench::Subject> vulkan_chain(bench::Device& device, const Chain& chain, bench::SubmitMode mode);
std::unique_ptr<bench::Subject> cuda_chain(bench::Device& device, const Chain& chain, bench::SubmitMode mode);
