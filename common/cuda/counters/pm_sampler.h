// The GPU's counters by CUPTI's PM sampling: the hardware sends all counters to memory at a fixed interval, of the whole
// device, whichever process and API its work comes from. Source: CUPTI, cupti_pmsampling.h and cupti_profiler_host.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/device/device_counters.h"
#include "cuda/counters/cupti.h"

namespace bench::cuda {

class PmSampler final : public DeviceCounters {
 public:
  // The device's context must be current. Throws Skip without CUPTI, Error where the driver refuses, both with what would help.
  explicit PmSampler(int device);
  PmSampler(const PmSampler&) = delete;
  PmSampler& operator=(const PmSampler&) = delete;
  ~PmSampler() noexcept override;

  std::string refusal(Group metrics) override;
  std::vector<double> count(Group metrics, const std::function<void()>& work) override;
  std::vector<std::string> names() override;
  std::string name() const override;

 private:
  // What counting one group needs, made once.
  struct Config {
    std::vector<std::string> names;
    std::vector<const char*> metrics;  // into `names`
    std::vector<std::uint8_t> image;
    std::vector<std::uint8_t> data;  // of samples, decoded
    std::string refused;
    CUpti_Profiler_Host_Object* host = nullptr;
  };

  Config& config(Group metrics);
  void build(Config& made);
  CUpti_Profiler_Host_Object* make_host() const;
  void drop_host(CUpti_Profiler_Host_Object* host) const noexcept;
  void enable();
  void disable() noexcept;
  void configure(Config& wanted);
  // Samples while `work` runs, and a margin before and behind.
  void session(const std::function<void()>& work);
  void start();
  CUptiResult try_stop();
  // Adds up what has been sampled since start(), without the first sample.
  std::vector<double> collect(Config& counted);
  void clear(Config& config);

  Cupti cupti_;
  std::size_t device_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  CUpti_PmSampling_Object* sampling_ = nullptr;
  std::map<std::vector<std::string>, Config> configs_;
  const Config* current_ = nullptr;
};

}  // namespace bench::cuda
