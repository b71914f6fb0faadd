// Which of an experiment's cases a run has, and what they are called.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/run/open_devices.h"
#include "core/run/options.h"

namespace bench {

// What the open devices and the command line leave room for.
Plan make_plan(const Options& options, const OpenDevices& devices);

// The experiment's cases under this plan, less those that --cases does not name, and the sides that --variant and --memory
// leave out. Throws Error if two have the same name, or a value that its column cannot take; UsageError if none is left, or if
// --cases names one that the experiment does not have.
std::vector<Case> choose_cases(const Experiment& experiment, const Options& options, const Plan& plan);

// Puts the cases into an order drawn from `seed`. Those that agree in what is expensive to switch (the Vulkan device, and
// within it how much the L2 fetches) still follow each other.
void shuffle_cases(std::vector<Case>& cases, std::uint64_t seed);

// Drops the sides that are not wanted, and the cases that have none left.
void keep_sides(std::vector<Case>& cases, const std::function<bool(const Case&, const Side&)>& wanted);

// What tells a side's row from every other: its variant, API, elements, cache and parameters.
Values keys(const Case& the_case, const Side& side);

// exp01/add_f32/block:256/n:1024/warm/cuda
std::string benchmark_name(const Experiment& experiment, const Case& the_case, const Side& side);
// The same without the API: a name that both sides share.
std::string case_name(const Experiment& experiment, const Case& the_case, const Side& side);
// What the side must write, told apart from what every other case's side must write. API, caches, checks and pages change
// nothing about it: exp01/add_f32/block:256/n:1024
std::string output_name(const Experiment& experiment, const Case& the_case, const Side& side);

}  // namespace bench
