// NVRTC, opened at run time: a program without it runs all the same.
#pragma once

#include <string>
#include <vector>

// The cubin that NVRTC makes of `source` for sm_<major><minor>, with these options. Throws Skip where there is no NVRTC, Error
// with its log.
std::vector<char> nvrtc_cubin(const std::string& source, const std::vector<std::string>& options);
