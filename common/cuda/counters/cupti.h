// CUPTI's functions, opened at run time: a machine without it runs everything except counting.
#pragma once

#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/base/shared_library.h"

namespace bench::cuda {

// Throws Error: the call, CUPTI's own words, and which setting would help where permission is what lacks.
[[noreturn]] void fail(CUptiResult status, const std::string& call);

// The library. Never unloaded: CUPTI leaves threads and callbacks behind.
class Cupti {
 public:
  // Throws Skip, with where it was looked for.
  Cupti();

  // Calls a function of the library. Throws what fail() does, Skip if the library lacks it.
  template <class Params>
  void call(const char* name, Params& params) const {
    if (function<Params>(name) == nullptr)
      throw Skip("CUPTI 12.6 or newer is wanted to count, {} is not in the one found", name);
    const CUptiResult status = try_call(name, params);
    if (status != CUPTI_SUCCESS) fail(status, name);
  }
  // CUPTI_ERROR_NOT_SUPPORTED if the library lacks it.
  template <class Params>
  CUptiResult try_call(const char* name, Params& params) const noexcept {
    auto* found = function<Params>(name);
    return found == nullptr ? CUPTI_ERROR_NOT_SUPPORTED : found(&params);
  }
  // As CUPTI_API_VERSION counts it; 0 if the library does not tell.
  std::uint32_t version() const;

 private:
  template <class Params>
  auto* function(const char* name) const noexcept {
    return library_.function<CUptiResult(Params*)>(name);
  }

  SharedLibrary library_;
};

}  // namespace bench::cuda
