#include "run/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "core/base/parallel.h"
#include "description/values.h"

namespace bench::own {
namespace {

constexpr double kUlps = 2;  // of floats, where nothing else is said: two compilers' fused multiply-adds and divisions

// The bits of a float as an integer in the floats' order.
std::int64_t ordered(Type type, const std::byte* bytes) {
  std::uint64_t bits = 0;
  const std::size_t width = own::bytes_of(type);
  std::memcpy(&bits, bytes, width);
  const std::uint64_t sign = 1ULL << (8 * width - 1);
  const auto size = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -size : size;
}

double distance(Type type, const Tolerance& tolerance, const std::byte* found, const std::byte* expected) {
  if (tolerance.kind == Tolerance::Kind::kUlp) return ulps_between(type, found, expected);
  const double a = number_of(type, found);
  const double b = number_of(type, expected);
  if (a == b) return 0;  // infinities too
  const double difference = std::abs(a - b);
  return tolerance.kind == Tolerance::Kind::kAbsolute ? difference : difference / std::abs(b);
}

std::string limit_in_words(const Tolerance& tolerance) {
  constexpr std::string_view kUnits[] = {"", " of the value", " ulp"};
  return tolerance.value == 0 ? ""
                              : fmt::format(" by more than {}{}", tolerance.value, kUnits[static_cast<int>(tolerance.kind)]);
}

struct Found {
  std::uint64_t count = 0;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t worst = 0;
  double worst_distance = -1;

  void add(std::uint64_t index, double distance) {
    ++count;
    first = std::min(first, index);
    if (std::isnan(distance)) distance = std::numeric_limits<double>::infinity();
    if (distance > worst_distance || (distance == worst_distance && index < worst)) {
      worst = index;
      worst_distance = distance;
    }
  }
  void merge(const Found& more) {
    if (more.count == 0) return;
    count += more.count;
    first = std::min(first, more.first);
    if (more.worst_distance > worst_distance || (more.worst_distance == worst_distance && more.worst < worst)) {
      worst = more.worst;
      worst_distance = more.worst_distance;
    }
  }
};

template <class Wrong>
Found look_at(std::uint64_t elements, const Wrong& wrong) {
  Found all;
  std::mutex mutex;
  parallel_for(elements, 1 << 14, [&](std::uint64_t begin, std::uint64_t end) {
    Found part;
    for (std::uint64_t i = begin; i < end; ++i) wrong(i, part);
    const std::scoped_lock lock(mutex);
    all.merge(part);
  });
  return all;
}

}  // namespace

double ulps_between(Type type, const std::byte* a, const std::byte* b) {
  if (!is_float(type)) return std::abs(number_of(type, a) - number_of(type, b));
  if (std::isnan(number_of(type, a)) || std::isnan(number_of(type, b))) return std::numeric_limits<double>::infinity();
  return std::abs(static_cast<double>(ordered(type, a)) - static_cast<double>(ordered(type, b)));
}

std::string differences(const Buffer& buffer, const Compared& of, const std::optional<Tolerance>& tolerance) {
  const std::size_t width = own::bytes_of(buffer.type);
  const Tolerance allowed =
      tolerance ? *tolerance : Tolerance{.kind = Tolerance::Kind::kUlp, .value = is_float(buffer.type) ? kUlps : 0};
  const std::uint64_t elements = std::min(of.found.size(), of.expected.size()) / width;
  const Found found = look_at(elements, [&](std::uint64_t i, Found& part) {
    const std::byte* const a = of.found.data() + i * width;
    const std::byte* const b = of.expected.data() + i * width;
    const bool may_be_nan = is_float(buffer.type);
    if (std::memcmp(a, b, width) == 0 && !(may_be_nan && std::isnan(number_of(buffer.type, a)))) return;
    // Integers of 64 bits may differ where their doubles do not.
    double by = distance(buffer.type, allowed, a, b);
    if (by == 0 && !may_be_nan) by = 1;
    if (!(by <= allowed.value)) part.add(i, by);
  });
  if (found.count == 0) return "";
  const auto values = [&](std::uint64_t i) {
    return fmt::format("{}[{}] is {} ({}) and {} ({})", buffer.name, i,
                       text_of_element(buffer.type, of.found.data() + i * width), of.found_by,
                       text_of_element(buffer.type, of.expected.data() + i * width), of.expected_by);
  };
  std::string text = fmt::format("wrong output: {} of {} elements of {} differ{}: {}", found.count, elements, buffer.name,
                                 limit_in_words(allowed), values(found.first));
  if (found.worst != found.first) text += fmt::format("; the worst: {}", values(found.worst));
  if (!tolerance && is_float(buffer.type)) {
    const std::byte* const a = of.found.data() + found.worst * width;
    const std::byte* const b = of.expected.data() + found.worst * width;
    const double by = distance(buffer.type, {.kind = Tolerance::Kind::kRelative, .value = 0}, a, b);
    // Sums in another order; what differs by more is no matter of a tolerance.
    if (by < 1e-3) text += fmt::format("; at most {:.1e} of the value: tolerance in the file sets another limit", by);
  }
  return text;
}

std::string nans_in(const Buffer& buffer, std::span<const std::byte> bytes) {
  if (!is_float(buffer.type)) return "";
  const std::size_t width = own::bytes_of(buffer.type);
  const Found found = look_at(bytes.size() / width, [&](std::uint64_t i, Found& part) {
    if (std::isnan(number_of(buffer.type, bytes.data() + i * width))) part.add(i, 0);
  });
  if (found.count == 0) return "";
  return fmt::format("wrong output: {} of {} elements of {} are NaN, or were never written; the first is {}[{}]{}", found.count,
                     bytes.size() / width, buffer.name, buffer.name, found.first,
                     buffer.role == Role::kOut ? "; a kernel that writes only some has role = \"inout\" there" : "");
}

}  // namespace bench::own
