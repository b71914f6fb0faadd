// What an experiment's table has for some APIs and not for others.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/device/device.h"

namespace bench {

template <class T>
class PerApi {
 public:
  PerApi(std::initializer_list<std::pair<const Api, T>> values) : values_(values) {}

  // Throws Skip where this API has none: `what` is what it lacks.
  const T& at(const Api& api, std::string_view what) const {
    const auto found = values_.find(api);
    if (found == values_.end()) throw Skip("{} is not written for {}", what, api.name);
    return found->second;
  }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::map<Api, T> values_;
};

// Those that are said to have it, for Case::apis.
inline std::vector<Api> those(const PerApi<bool>& have) {
  std::vector<Api> apis;
  for (const auto& [api, has] : have) {
    if (has) apis.push_back(api);
  }
  return apis;
}

}  // namespace bench
