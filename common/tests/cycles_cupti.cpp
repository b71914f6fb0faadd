// Stands in for CUPTI: a GPU whose PM sampling has clock cycles alone as a trigger, as the A100's. By its SONAME the real
// library is not looked for. A session has four samples of ten each.
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <cstdlib>

// NOLINTBEGIN(readability-identifier-naming, cppcoreguidelines-pro-type-reinterpret-cast): CUPTI's names and its handles
namespace {
int an_object;
template <class Object>
Object* object() {
  return reinterpret_cast<Object*>(&an_object);
}
bool may_trigger(CUpti_PmSampling_TriggerMode mode) {
  return mode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL && std::getenv("BENCH_TEST_NO_TRIGGER") == nullptr;
}
}  // namespace

extern "C" {

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  params->pChipName = "GA100";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingGetCounterAvailability(CUpti_PmSampling_GetCounterAvailability_Params* params) {
  params->counterAvailabilityImageSize = 8;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params* params) {
  params->pPmSamplingObject = object<CUpti_PmSampling_Object>();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  params->pHostObject = object<CUpti_Profiler_Host_Object>();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  params->configImageSize = 8;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  params->numOfPasses = 1;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params* params) {
  return may_trigger(params->triggerMode) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params* params) {
  params->counterDataSize = 8;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingCounterDataImageInitialize(CUpti_PmSampling_CounterDataImage_Initialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params* params) {
  params->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params* params) {
  params->numCompletedSamples = 4;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  for (size_t i = 0; i < params->numMetrics; ++i) params->pMetricValues[i] = 10;
  return CUPTI_SUCCESS;
}
}
// NOLINTEND(readability-identifier-naming, cppcoreguidelines-pro-type-reinterpret-cast)
