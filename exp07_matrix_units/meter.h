// What the GPU is like while one side keeps it busy: the rate over many launches, and with which clock and power.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/device/device.h"
#include "core/device/nvml.h"
#include "core/experiment/experiment.h"

// Power decides how fast matrices are multiplied, and a board reads it too seldom for single samples.
std::vector<bench::Column> meter_columns();

// `subject`, to be timed, with meter_columns() of it: asked once, after the case's samples, it is launched for some time on
// end. `operations` of one launch.
bench::Prepared metered(bench::Device& device, std::unique_ptr<bench::Subject> subject, double operations);
