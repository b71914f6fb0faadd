// Comparing a kernel's output with the CPU reference, before anything is timed.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/device/avx2_clone.h"
#include "core/device/checksum.h"
#include "core/device/device.h"
#include "core/experiment/workbench.h"

namespace bench {

// What an output holds before the kernel runs, in every 32-bit word: as a float a NaN, so an element nobody wrote never passes.
inline constexpr std::uint32_t kPoison = 0xffffffffU;

template <class T>
bool matches(T found, T expected, double tolerance) {
  static_assert(sizeof(T) == sizeof(std::uint32_t), "outputs are 32-bit words");
  // Bit equality first: it lets a reference expect the poison itself, where nothing may be written.
  if (std::bit_cast<std::uint32_t>(found) == std::bit_cast<std::uint32_t>(expected)) return true;
  // `err <= tol` passes, so NaN on either side fails.
  return std::abs(static_cast<double>(found) - static_cast<double>(expected)) <= tolerance;
}

// What differed in a part of an output: all of it counted, the first few kept by value, to be worded when all is compared.
template <class T>
class Mismatches {
 public:
  static constexpr std::size_t kShown = 5;

  // In the order of their indices.
  void add(std::uint64_t index, T found, T expected) {
    ++count_;
    if (first_.size() < kShown) first_.push_back({index, found, expected});
  }
  // More of them, none of which will be worded: five came before.
  void add(std::uint64_t count) { count_ += count; }
  // Those of another part, before or after this one.
  void merge(const Mismatches& other) {
    count_ += other.count_;
    first_.insert(first_.end(), other.first_.begin(), other.first_.end());
    std::sort(first_.begin(), first_.end(), [](const One& a, const One& b) { return a.index < b.index; });
    if (first_.size() > kShown) first_.resize(kShown);
  }

  bool all_shown() const { return first_.size() == kShown; }
  std::uint64_t count() const { return count_; }
  // Throws Error with the first five if there was any.
  void check(std::uint64_t elements) const {
    if (count_ == 0) return;
    std::string text = fmt::format("wrong output: {} of {} elements differ", count_, elements);
    for (const One& one : first_) text += fmt::format("; [{}] found {}, expected {}", one.index, one.found, one.expected);
    throw Error("{}", text);
  }

 private:
  struct One {
    std::uint64_t index;
    T found;
    T expected;
  };
  std::uint64_t count_ = 0;
  std::vector<One> first_;
};

// How many elements do not match. Without a tolerance the question is the same for 32-bit numbers, and a loop that compilers
// vectorise.
template <class T>
BENCH_AVX2_CLONE std::uint32_t count_mismatches(std::span<const T> found, std::span<const T> expected, double tolerance) {
  std::uint32_t count = 0;
  if (tolerance == 0) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool same_bits = std::bit_cast<std::uint32_t>(found[i]) == std::bit_cast<std::uint32_t>(expected[i]);
      count += static_cast<std::uint32_t>(!(same_bits | (found[i] == expected[i])));
    }
  } else {
    for (std::size_t i = 0; i < found.size(); ++i) count += matches(found[i], expected[i], tolerance) ? 0 : 1;
  }
  return count;
}

// Compares found[i] with expected(first + i) for every i. Runs of elements that are equal bit for bit, the usual case, take one
// loop that compilers vectorise; with AVX2 where the CPU has it, a 2 GiB output takes 16 threads about 20 ms. Other runs take a
// second one over what the first has computed, so that a wrong output costs little more than a right one.
template <class T, class Expected>
BENCH_AVX2_CLONE Mismatches<T> compare(std::span<const T> found, std::uint64_t first, const Expected& expected,
                                       double tolerance) {
  constexpr std::size_t kRun = 2048;  // 8 KiB found and 8 KiB expected: they stay in the L1
  Mismatches<T> mismatches;
  std::array<T, kRun> wanted;
  for (std::size_t begin = 0; begin < found.size(); begin += kRun) {
    const std::span<const T> run = found.subspan(begin, std::min(kRun, found.size() - begin));
    std::uint32_t differences = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
      wanted[i] = expected(first + begin + i);
      differences |= std::bit_cast<std::uint32_t>(run[i]) ^ std::bit_cast<std::uint32_t>(wanted[i]);
    }
    if (differences == 0) continue;
    if (mismatches.all_shown()) {
      mismatches.add(count_mismatches(run, std::span<const T>(wanted).first(run.size()), tolerance));
    } else {
      for (std::size_t i = 0; i < run.size(); ++i) {
        if (!matches(run[i], wanted[i], tolerance)) mismatches.add(first + begin + i, run[i], wanted[i]);
      }
    }
  }
  return mismatches;
}

// Downloads the first `count` elements of `buffer` and compares each with expected(index); then checks that the words of the
// buffer's guard (from `count` to count + guard_words) still hold the poison. Returns the checksum of all that it has read.
// Throws Error with the first five mismatches, or if the buffer is too short to hold the output.
template <class T, class Expected>
Checksum verify(Device& device, const Buffer& buffer, std::uint64_t count, std::uint64_t guard_words, const Expected& expected,
                double tolerance = 0) {
  if (buffer.bytes() < count * sizeof(T) + guard_words * sizeof(std::uint32_t)) {
    throw Error("the output is too short: {} bytes where {} elements of {} bytes and {} guard words are due", buffer.bytes(),
                count, sizeof(T), guard_words);
  }
  Checksum sum;
  Mismatches<T> mismatches;
  std::mutex mutex;  // taken once by each thread of a chunk
  device.read(buffer, 0, count * sizeof(T), [&](std::uint64_t done, std::span<const std::byte> chunk) {
    const std::span<const T> found(reinterpret_cast<const T*>(chunk.data()), chunk.size() / sizeof(T));
    parallel_for(found.size(), 1 << 10, [&](std::uint64_t begin, std::uint64_t end) {
      const std::uint64_t first = done / sizeof(T) + begin;
      const Mismatches<T> part = compare<T>(found.subspan(begin, end - begin), first, expected, tolerance);
      Checksum part_sum;
      part_sum.add(first, {reinterpret_cast<const std::uint32_t*>(found.data()) + begin, end - begin});
      const std::scoped_lock lock(mutex);
      mismatches.merge(part);
      sum.add(part_sum);
    });
  });
  mismatches.check(count);
  std::vector<std::uint32_t> guard(guard_words);
  device.download(buffer, count * sizeof(T), std::as_writable_bytes(std::span(guard)));
  const auto touched = std::find_if(guard.begin(), guard.end(), [](std::uint32_t word) { return word != kPoison; });
  if (touched != guard.end()) {
    throw Error("wrong output: the kernel wrote past its end, {} words after element {}", touched - guard.begin(), count);
  }
  sum.add(count, guard);
  return sum;
}

// The same for an output that may have been verified before. `reference` names what `expected` computes: see
// Workbench::confirm.
template <class T, class Expected>
void verify(Workbench& bench, const std::string& reference, const Buffer& buffer, std::uint64_t count,
            std::uint64_t guard_words, const Expected& expected, double tolerance = 0) {
  bench.confirm(reference, buffer, count + guard_words,
                [&] { return verify<T>(bench.device(), buffer, count, guard_words, expected, tolerance); });
}
// Of a case whose reference no other case has.
template <class T, class Expected>
void verify(Workbench& bench, const Buffer& buffer, std::uint64_t count, std::uint64_t guard_words, const Expected& expected,
            double tolerance = 0) {
  verify<T>(bench, "", buffer, count, guard_words, expected, tolerance);
}

}  // namespace bench
