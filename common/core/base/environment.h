// Where and from what a run was made: every CSV row names it.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace bench {

// The commit the program was built from; "unknown" outside a checkout, and "-dirty" behind it if the tree had uncommitted
// changes: see program_revision().
std::string_view git_revision();
// A revision that says what a program is made of: that of a clean tree as it is; to any other the hash of the program's file is
// added, its kernels and references in it: "c0ffee-dirty+0123456789abcdef". A program that cannot be read is like no other.
std::string program_revision(std::string_view revision, const std::string& program);
// A hash of the sources that measure (kernels, what launches and times them, what makes their data), comments and spacing
// aside: rows of one program with one hash belong together, whatever commit they are from. Twelve hexadecimal digits; "" in a
// program that nobody told (cmake/MeasuringSources.cmake).
std::string_view measuring_sources();
// Says it, once, before main(). Returns true.
bool tell_sources(std::string_view hash);
// "CUDA 13.0.88", or "" in a Vulkan-only build.
std::string_view cuda_toolkit();
// "glslang 12.0.0".
std::string_view glsl_toolkit();

// Throws Error where `now` is in a year that no reader of a row's started_at takes: before 2000, or from 2100 on.
void require_clock(std::time_t now);

// UTC, ISO 8601, seconds: 2026-01-31T23:59:59Z.
std::string utc_now();

// A device's name as a folder: "NVIDIA H200" -> "nvidia-h200". What stands in brackets may be all that tells two GPUs apart,
// and is kept,
// "(R)", "(TM)" and "(C)" aside.
std::string slug(std::string_view device_name);

}  // namespace bench
