// Vulkan's table of jobs, and the commands that the device generates from it (VK_EXT_device_generated_commands).
#pragma once

#include <cstdint>

#include "params.h"
#include "vulkan/launch/compute_pipeline.h"
#include "vulkan/memory/allocator.h"

inline constexpr std::uint64_t kTableHeaderBytes = EXP08_TABLE_HEADER * sizeof(std::uint32_t);

// A count and sequences, which kernels reach by its address, and indirect dispatches and generated commands read.
class JobTable {
 public:
  // Throws as allocate_buffer().
  JobTable(const bench::vulkan::Context& context, std::uint32_t jobs);

  vk::Buffer handle() const { return *allocation_.buffer; }
  vk::DeviceAddress address() const { return address_; }
  // Of a job's grid, from the begin of the buffer.
  static std::uint64_t grid_offset(std::uint32_t job) { return kTableHeaderBytes + job * sizeof(Sequence) + sizeof(JobParams); }

 private:
  bench::vulkan::Allocation allocation_;
  vk::DeviceAddress address_ = 0;
};

// For each sequence of a table, as many as it counts: push constants and a dispatch, unordered as those of compute always are.
class GeneratedCommands {
 public:
  // `is_preprocessed`: by preprocess(), which then precedes every execute(). Throws Skip where the device lacks the extension
  // or one of its limits is too small. The pipeline and the table outlive it.
  GeneratedCommands(const bench::vulkan::Context& context, const bench::vulkan::ComputePipeline& pipeline,
                    const JobTable& table, std::uint32_t jobs, bool is_preprocessed);
  GeneratedCommands(const GeneratedCommands&) = delete;
  GeneratedCommands& operator=(const GeneratedCommands&) = delete;

  // Both with the pipeline bound, and its sets. Afterwards the push constants are undefined.
  void preprocess(const vk::raii::CommandBuffer& commands) const;
  void execute(const vk::raii::CommandBuffer& commands) const;

 private:
  bool is_preprocessed_;
  vk::raii::IndirectCommandsLayoutEXT layout_;
  vk::GeneratedCommandsPipelineInfoEXT pipeline_;
  vk::raii::DeviceMemory memory_{nullptr};  // where the driver wants any
  vk::raii::Buffer buffer_{nullptr};
  vk::GeneratedCommandsInfoEXT info_;
};
