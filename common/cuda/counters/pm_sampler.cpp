#include "cuda/counters/pm_sampler.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

namespace bench::cuda {
namespace {

// A sample is a few hundred KiB in the hardware's buffer on a large GPU, so they are few and long: only their sum is of
// interest.
constexpr std::uint64_t kIntervalNs = 1'000'000;
// The same of a GPU that has clock cycles alone as a trigger: 0.25 ms at 2 GHz, 2.4 ms at the lowest clock of an idle one.
constexpr std::uint64_t kIntervalCycles = 500'000;
constexpr std::size_t kBufferBytes = std::size_t{512} << 20;
constexpr std::uint32_t kMostSamples = 256;  // decoded at a time
// Before and behind the work, so that whole samples enclose it.
constexpr std::chrono::nanoseconds kMargin{3 * kIntervalNs};

// A parameter block of CUPTI's, with the size that tells its version.
template <class Params>
Params sized(std::size_t bytes) {
  Params params{};
  params.structSize = bytes;
  return params;
}

}  // namespace

PmSampler::PmSampler(int device) : device_(static_cast<std::size_t>(device)) {
  auto initialize = sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  cupti_.call("cuptiProfilerInitialize", initialize);

  auto chip = sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = device_;
  cupti_.call("cuptiDeviceGetChipName", chip);
  chip_ = chip.pChipName;

  auto available =
      sized<CUpti_PmSampling_GetCounterAvailability_Params>(CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE);
  available.deviceIndex = device_;
  cupti_.call("cuptiPmSamplingGetCounterAvailability", available);
  availability_.resize(available.counterAvailabilityImageSize);
  available.pCounterAvailabilityImage = availability_.data();
  cupti_.call("cuptiPmSamplingGetCounterAvailability", available);

  enable();
}

PmSampler::~PmSampler() noexcept {
  for (auto& [names, made] : configs_) drop_host(made.host);
  disable();
}

CUpti_Profiler_Host_Object* PmSampler::make_host() const {
  auto host = sized<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  host.profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING;
  host.pChipName = chip_.c_str();
  host.pCounterAvailabilityImage = availability_.data();
  cupti_.call("cuptiProfilerHostInitialize", host);
  return host.pHostObject;
}

void PmSampler::drop_host(CUpti_Profiler_Host_Object* host) const noexcept {
  if (host == nullptr) return;
  auto end = sized<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  end.pHostObject = host;
  static_cast<void>(cupti_.try_call("cuptiProfilerHostDeinitialize", end));
}

PmSampler::Config& PmSampler::config(Group metrics) {
  std::vector<std::string> names(metrics.begin(), metrics.end());
  const auto [found, is_new] = configs_.try_emplace(names);
  Config& made = found->second;
  if (is_new) {
    made.names = std::move(names);
    for (const std::string& name : made.names) made.metrics.push_back(name.c_str());
    build(made);
  }
  return made;
}

void PmSampler::build(Config& made) {
  made.host = make_host();
  auto add = sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  add.pHostObject = made.host;
  add.ppMetricNames = made.metrics.data();
  add.numMetrics = made.metrics.size();
  if (const CUptiResult status = cupti_.try_call("cuptiProfilerHostConfigAddMetrics", add); status != CUPTI_SUCCESS) {
    made.refused =
        fmt::format("{} does not count {} (CUPTI error {})", chip_, fmt::join(made.names, ", "), static_cast<int>(status));
    return;
  }
  auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = made.host;
  cupti_.call("cuptiProfilerHostGetConfigImageSize", size);
  made.image.resize(size.configImageSize);
  auto image = sized<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = made.host;
  image.configImageSize = made.image.size();
  image.pConfigImage = made.image.data();
  cupti_.call("cuptiProfilerHostGetConfigImage", image);
  auto passes = sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  passes.configImageSize = made.image.size();
  passes.pConfigImage = made.image.data();
  cupti_.call("cuptiProfilerHostGetNumOfPasses", passes);
  if (passes.numOfPasses != 1) {
    made.refused =
        fmt::format("{} counts {} in {} passes, one is wanted", chip_, fmt::join(made.names, ", "), passes.numOfPasses);
    return;
  }
}

// In its place: a copy of initialized counter data holds no samples.
void PmSampler::clear(Config& config) {
  auto clear = sized<CUpti_PmSampling_CounterDataImage_Initialize_Params>(
      CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  clear.pPmSamplingObject = sampling_;
  clear.counterDataSize = config.data.size();
  clear.pCounterData = config.data.data();
  cupti_.call("cuptiPmSamplingCounterDataImageInitialize", clear);
}

void PmSampler::enable() {
  auto enable = sized<CUpti_PmSampling_Enable_Params>(CUpti_PmSampling_Enable_Params_STRUCT_SIZE);
  enable.deviceIndex = device_;
  cupti_.call("cuptiPmSamplingEnable", enable);
  sampling_ = enable.pPmSamplingObject;
}

void PmSampler::disable() noexcept {
  if (sampling_ == nullptr) return;
  auto disable = sized<CUpti_PmSampling_Disable_Params>(CUpti_PmSampling_Disable_Params_STRUCT_SIZE);
  disable.pPmSamplingObject = std::exchange(sampling_, nullptr);
  static_cast<void>(cupti_.try_call("cuptiPmSamplingDisable", disable));
}

// A sampling object takes one configuration in its life: behind a second one it decodes samples of which none is complete
// (CUPTI 13.0).
void PmSampler::configure(Config& wanted) {
  if (current_ == &wanted) return;
  if (current_ != nullptr) {
    disable();
    enable();
  }
  current_ = &wanted;
  auto set = sized<CUpti_PmSampling_SetConfig_Params>(CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE);
  set.pPmSamplingObject = sampling_;
  set.configSize = wanted.image.size();
  set.pConfig = wanted.image.data();
  set.hardwareBufferSize = kBufferBytes;
  set.samplingInterval = kIntervalNs;
  set.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  set.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  // Turing and the A100 have no time as a trigger. Source: cupti_pmsampling.h, CUpti_PmSampling_SetConfig_Params.
  CUptiResult status = cupti_.try_call("cuptiPmSamplingSetConfig", set);
  if (status != CUPTI_SUCCESS) {
    set.samplingInterval = kIntervalCycles;
    set.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
    if (cupti_.try_call("cuptiPmSamplingSetConfig", set) != CUPTI_SUCCESS) {
      current_ = nullptr;
      fail(status, "cuptiPmSamplingSetConfig");
    }
  }

  auto size = sized<CUpti_PmSampling_GetCounterDataSize_Params>(CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pPmSamplingObject = sampling_;
  size.pMetricNames = wanted.metrics.data();
  size.numMetrics = wanted.metrics.size();
  size.maxSamples = kMostSamples;
  cupti_.call("cuptiPmSamplingGetCounterDataSize", size);
  wanted.data.resize(size.counterDataSize);
  // The first session's samples begin before it does.
  session([] {});
  collect(wanted);
}

void PmSampler::start() {
  auto start = sized<CUpti_PmSampling_Start_Params>(CUpti_PmSampling_Start_Params_STRUCT_SIZE);
  start.pPmSamplingObject = sampling_;
  cupti_.call("cuptiPmSamplingStart", start);
}

CUptiResult PmSampler::try_stop() {
  auto stop = sized<CUpti_PmSampling_Stop_Params>(CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
  stop.pPmSamplingObject = sampling_;
  return cupti_.try_call("cuptiPmSamplingStop", stop);
}

std::string PmSampler::refusal(Group metrics) { return config(metrics).refused; }

std::vector<double> PmSampler::count(Group metrics, const std::function<void()>& work) {
  Config& wanted = config(metrics);
  if (!wanted.refused.empty()) throw Error("{}", wanted.refused);
  configure(wanted);
  session(work);
  return collect(wanted);
}

void PmSampler::session(const std::function<void()>& work) {
  start();
  try {
    std::this_thread::sleep_for(kMargin);
    work();
    std::this_thread::sleep_for(kMargin);
  } catch (...) {
    static_cast<void>(try_stop());
    throw;
  }
  if (const CUptiResult status = try_stop(); status != CUPTI_SUCCESS) fail(status, "cuptiPmSamplingStop");
}

std::vector<double> PmSampler::collect(Config& counted) {
  std::vector<double> counts(counted.names.size(), 0.0);
  bool is_first = true;
  for (bool more = true; more;) {
    clear(counted);
    std::vector<std::uint8_t>& data = counted.data;
    auto decode = sized<CUpti_PmSampling_DecodeData_Params>(CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE);
    decode.pPmSamplingObject = sampling_;
    decode.pCounterDataImage = data.data();
    decode.counterDataImageSize = data.size();
    cupti_.call("cuptiPmSamplingDecodeData", decode);
    if (decode.overflow != 0) throw Error("the GPU's buffer of {} bytes overflowed: counts are lost", kBufferBytes);
    more = decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;

    auto info = sized<CUpti_PmSampling_GetCounterDataInfo_Params>(CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE);
    info.pCounterDataImage = data.data();
    info.counterDataImageSize = data.size();
    cupti_.call("cuptiPmSamplingGetCounterDataInfo", info);
    for (std::size_t sample = 0; sample < info.numCompletedSamples; ++sample) {
      // The first begins where the session before ended, or earlier: the margin in front of the work fills others.
      if (std::exchange(is_first, false)) continue;
      std::vector<double> values(counted.names.size());
      auto evaluate =
          sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
      evaluate.pHostObject = counted.host;
      evaluate.pCounterDataImage = data.data();
      evaluate.counterDataImageSize = data.size();
      evaluate.rangeIndex = sample;
      evaluate.ppMetricNames =
          const_cast<const char**>(counted.metrics.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
      evaluate.numMetrics = values.size();
      evaluate.pMetricValues = values.data();
      cupti_.call("cuptiProfilerHostEvaluateToGpuValues", evaluate);
      for (std::size_t k = 0; k < values.size(); ++k) counts[k] += values[k];
    }
  }
  return counts;
}

std::vector<std::string> PmSampler::names() {
  CUpti_Profiler_Host_Object* host = make_host();
  auto list = sized<CUpti_Profiler_Host_GetBaseMetrics_Params>(CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE);
  list.pHostObject = host;
  list.metricType = CUPTI_METRIC_TYPE_COUNTER;
  const CUptiResult status = cupti_.try_call("cuptiProfilerHostGetBaseMetrics", list);
  std::vector<std::string> found;
  if (status == CUPTI_SUCCESS) found.assign(list.ppMetricNames, list.ppMetricNames + list.numMetrics);
  drop_host(host);
  if (status != CUPTI_SUCCESS) fail(status, "cuptiProfilerHostGetBaseMetrics");
  return found;
}

std::string PmSampler::name() const { return fmt::format("CUPTI API {} PM sampling, {}", cupti_.version(), chip_); }

}  // namespace bench::cuda
