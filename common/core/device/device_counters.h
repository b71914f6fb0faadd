// Hardware counters of a whole GPU, whichever API its work comes from.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace bench {

// The counters of one GPU, open for this process alone. Only one process a GPU can have them.
class DeviceCounters {
 public:
  // Metrics that are counted together, in one pass.
  using Group = std::span<const std::string>;

  virtual ~DeviceCounters() = default;

  // Why the GPU cannot count these metrics together: an unknown name, too many for one pass. "" if it can.
  virtual std::string refusal(Group metrics) = 0;
  // What all of the GPU does while `work` runs, whoever asks it to; so nothing else should. `work` returns when the GPU is
  // done. One sum a metric, over the session. Throws Error where the session fails or loses samples, and what `work` throws.
  virtual std::vector<double> count(Group metrics, const std::function<void()>& work) = 0;
  // All counters that the GPU has, by their base names (without .sum).
  virtual std::vector<std::string> names() = 0;
  // What counts: "CUPTI 13.0 PM sampling, gh100".
  virtual std::string name() const = 0;
};

}  // namespace bench
