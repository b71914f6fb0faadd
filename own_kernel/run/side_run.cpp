#include "run/side_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/device/restored_subject.h"
#include "core/experiment/verify.h"
#include "core/experiment/workbench.h"
#include "description/expression.h"
#include "description/values.h"
#include "run/compare.h"
#include "run/npy.h"

namespace bench::own {
namespace {

// Behind every buffer, in words: what a block of 1,024 threads writes past the end of a float each. Workbench::output has some
// words more.
constexpr std::uint64_t kGuard = 1024;
constexpr std::uint32_t kOtherPoison = 0xa5a5a5a5U;

std::uint64_t words_of(std::uint64_t bytes) { return (bytes + 3) / 4; }

bool has_content(const Buffer& buffer) { return buffer.role == Role::kIn || buffer.role == Role::kInout; }

std::set<std::size_t> buffers_of(const Description& description, const Argument& argument) {
  if (argument.kind == Argument::Kind::kBuffer) return {argument.index};
  std::set<std::size_t> found;
  if (argument.kind != Argument::Kind::kStruct) return found;
  for (const Member& member : description.structs[argument.index].members) {
    if (member.buffer) found.insert(*member.buffer);
  }
  return found;
}

std::set<std::size_t> buffers_of(const Description& description, const Step& step) {
  std::set<std::size_t> found;
  for (const Argument& argument : step.arguments) found.merge(buffers_of(description, argument));
  return found;
}

std::set<std::size_t> buffers_of(const Description& description, const Side& side) {
  std::set<std::size_t> found;
  for (const Step& step : side.steps) found.merge(buffers_of(description, step));
  return found;
}

// What a step's code may do with a buffer that it is given.
struct Access {
  bool is_read = false;
  bool is_written = false;
};

Access access_of(const Step& step, const Compiled& code, std::size_t number) {
  const Argument& argument = step.arguments[number];
  const Access any = {true, true};
  if (argument.kind != Argument::Kind::kBuffer) return any;
  if (code.kind != Compiled::Kind::kSpirv) {
    const bool is_const = code.declared.size() == step.arguments.size() && code.declared[number].is_const;
    return is_const ? Access{true, false} : any;
  }
  for (const SpirvBinding& one : code.spirv.bindings) {
    if (argument.as == As::kPush || one.set != argument.set || one.binding != argument.binding) continue;
    return {!one.is_writeonly, !one.is_readonly && !one.is_uniform};
  }
  return any;
}

// By buffer.
std::map<std::size_t, Access> accesses_of(const Job& job, std::size_t side, std::size_t step) {
  std::map<std::size_t, Access> found;
  const Description& description = job.description;
  if (!job.sides[side] || step >= description.sides[side].steps.size()) return found;
  const Step& one = description.sides[side].steps[step];
  const Compiled& code = job.sides[side]->steps[step]->compiled();
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    const Access access = access_of(one, code, i);
    for (const std::size_t buffer : buffers_of(description, one.arguments[i])) {
      found[buffer].is_read |= access.is_read;
      found[buffer].is_written |= access.is_written;
    }
  }
  return found;
}

class SideRun {
 public:
  SideRun(Workbench& bench, const Job& job, const SideCase& of)
      : bench_(bench),
        job_(job),
        description_(job.description),
        side_(job.description.sides[of.side]),
        sizes_(job.description.sizes[of.sizes]),
        of_(of),
        keeps_contents_(keeps_contents()) {
    check_memory();
    for (const std::size_t index : buffers_of(description_, side_)) allocate(index);
    for (std::size_t i = 0; i < side_.steps.size(); ++i) add_launch(i);
  }

  void fill(std::uint32_t poison = kPoison) {
    for (auto& [index, one] : buffers_) fill(index, one, poison);
  }

  void launch() { bench_.device().run(work()); }

  // Guards, inputs, NaN, and what the description expects of outputs.
  void verify() {
    for (auto& [index, one] : buffers_) {
      const Buffer& buffer = description_.buffers[index];
      check_guard(buffer, one);
      if (buffer.role == Role::kIn && checksum(one) != one.filled) {
        throw Error("wrong output: {} wrote to {}, whose role is in", side_.name, buffer.name);
      }
      if (buffer.role != Role::kOut && buffer.role != Role::kInout) continue;
      one.made = std::make_shared<const std::vector<std::byte>>(read(one));
      if (const std::string nans = nans_in(buffer, *one.made); !nans.empty()) throw Error("{}", nans);
      if (buffer.expected.empty()) continue;
      const std::vector<std::byte> expected = read_npy(buffer.expected, buffer.type, one.bytes / bytes_of(buffer.type));
      compare(buffer, *one.made, side_.name, expected, buffer.expected.filename().string());
    }
    bench_.compared();
  }

  void compare_with(const Outputs& other) const {
    for (const auto& [index, one] : buffers_) {
      const auto found = other.of.find(index);
      if (one.made && found != other.of.end())
        compare(description_.buffers[index], *one.made, side_.name, *found->second, other.by);
    }
  }

  Outputs outputs() const {
    Outputs result = {.by = side_.name, .of = {}};
    for (const auto& [index, one] : buffers_) {
      if (one.made) result.of.emplace(index, one.made);
    }
    return result;
  }

  // That every element of an output was written: one that holds two poisons after two launches was not.
  void check_written() {
    std::map<std::size_t, std::shared_ptr<const std::vector<std::byte>>> first;
    for (const auto& [index, one] : buffers_) {
      if (description_.buffers[index].role == Role::kOut) first[index] = one.made;
    }
    if (first.empty()) return;
    fill(kOtherPoison);
    launch();
    for (const auto& [index, before] : first) {
      const Buffer& buffer = description_.buffers[index];
      const std::size_t width = bytes_of(buffer.type);
      const std::vector<std::byte> after = read(buffers_.at(index));
      const std::vector<std::byte> one(width, std::byte{0xff});
      const std::vector<std::byte> other(width, std::byte{0xa5});
      std::uint64_t count = 0;
      std::uint64_t least = 0;
      for (std::uint64_t i = 0; i < after.size(); i += width) {
        if (std::memcmp(before->data() + i, one.data(), width) != 0 || std::memcmp(after.data() + i, other.data(), width) != 0)
          continue;
        if (count++ == 0) least = i / width;
      }
      if (count == 0) continue;
      throw Error(
          "wrong output: {} of {} elements of {} were never written, the first is {}[{}]; a kernel that writes only some "
          "has role = \"inout\" there",
          count, after.size() / width, buffer.name, buffer.name, least);
    }
  }

  // All that the step in hand is given, as the steps before it leave it.
  void keep_for_step() {
    Passes earlier;
    for (std::size_t i = 0; i < *of_.step; ++i) {
      earlier.launches.push_back(launches_[i]);
      earlier.overlaps.push_back(!side_.steps[i].barrier);
    }
    if (!earlier.launches.empty()) bench_.device().run(earlier);
    for (const std::size_t index : buffers_of(description_, side_.steps[*of_.step])) {
      const Buffer& buffer = description_.buffers[index];
      if (buffer.role == Role::kIn) continue;
      const std::uint64_t words = words_of(buffers_.at(index).bytes);
      const bench::Buffer& kept = bench_.output(fmt::format("{} of side {}, for a step", buffer.name, of_.side), words);
      bench_.device().run(Copy{buffers_.at(index).working, &kept, words * 4});
      replays_.emplace_back(Copy{&kept, buffers_.at(index).working, words * 4});
    }
  }

  std::unique_ptr<Subject> prepare() {
    const Work all = of_.step ? Work(launches_[*of_.step]) : work();
    const std::vector<Work> before = of_.replays ? replays_ : of_.restores ? copies_back() : std::vector<Work>();
    return before.empty() ? bench_.device().prepare(all, {}) : restored(bench_.device(), all, before);
  }

  // Before a launch that is to make the outputs anew.
  void restore() {
    for (auto& [index, one] : buffers_) {
      if (description_.buffers[index].role != Role::kIn) fill(index, one, kPoison);
    }
  }

  void check_remade() const {
    for (const auto& [index, one] : buffers_) {
      const Buffer& buffer = description_.buffers[index];
      check_guard(buffer, one);
      if (one.made) compare(buffer, read(one), side_.name + " after the samples", *one.made, "before");
    }
  }

 private:
  struct OnDevice {
    bench::Buffer* working = nullptr;
    const bench::Buffer* pristine = nullptr;  // its content; of an inout buffer always
    std::uint64_t bytes = 0;
    Checksum filled = {};  // of an input
    std::shared_ptr<const std::vector<std::byte>> made = {};
  };

  // Overcommitted memory is found missing when it is touched, by the operating system, which ends some process.
  void check_memory() const {
    const DeviceInfo& info = bench_.device().info();
    std::uint64_t wanted = 0;
    for (std::size_t i = 0; i < description_.sides.size(); ++i) {
      if (i == of_.side || (!of_.alone && job_.sides[i])) wanted += device_bytes(description_, description_.sides[i], sizes_);
    }
    if (info.memory_bytes != 0 && wanted > info.memory_bytes) {
      throw Error("the buffers of {} take {} MiB; {} has {} MiB", of_.alone ? side_.name : "both sides", wanted >> 20,
                  info.name, info.memory_bytes >> 20);
    }
  }

  // The sides of one API share inputs and contents, and nothing else.
  void allocate(std::size_t index) {
    const Buffer& buffer = description_.buffers[index];
    OnDevice& one = buffers_[index];
    one.bytes = own::bytes_of(buffer, sizes_);
    const std::string name = buffer.role == Role::kIn ? buffer.name : fmt::format("{} of side {}", buffer.name, of_.side);
    one.working = &bench_.output(name, words_of(one.bytes) + kGuard);
    if (keeps_contents_ && has_content(buffer)) {
      one.pristine = &bench_.made_input(fmt::format("{} with {}", buffer.name, text_of(sizes_)), words_of(one.bytes),
                                        producer(index, one.bytes, kPoison));
    } else if (buffer.role == Role::kInout) {
      bench::Buffer& pristine = bench_.output(name + ", as it begins", words_of(one.bytes) + kGuard);
      bench_.device().write(pristine, 0, words_of(one.bytes) * 4, producer(index, one.bytes, kPoison));
      one.pristine = &pristine;
    }
  }

  // A case sets its sides up many times, and each step of a pipeline is a case: what the host makes it makes once for all of
  // them, if that and the buffers of both sides take at most half of the device's memory.
  bool keeps_contents() const {
    std::uint64_t wanted = 0;
    for (const Side& side : description_.sides) wanted += device_bytes(description_, side, sizes_);
    for (const Sizes& sizes : description_.sizes) {
      for (const Buffer& buffer : description_.buffers) {
        if (has_content(buffer)) wanted += 2 * own::bytes_of(buffer, sizes);  // for each of two APIs
      }
    }
    return wanted <= bench_.device().info().memory_bytes / 2;
  }

  // Of the content, padded to whole words by the poison. The description outlives it.
  Device::Producer producer(std::size_t index, std::uint64_t bytes, std::uint32_t poison) const {
    const Buffer& buffer = description_.buffers[index];
    const std::size_t width = bytes_of(buffer.type);
    return [&buffer, index, bytes, poison, width, file = std::vector<std::byte>(), numbers = numbers_of(buffer, sizes_)](
               std::uint64_t done, std::span<std::byte> chunk) mutable {
      const std::uint64_t inside = std::min<std::uint64_t>(chunk.size(), bytes - std::min(bytes, done));
      if (inside < chunk.size()) std::memset(chunk.data() + inside, static_cast<int>(poison & 0xff), chunk.size() - inside);
      if (buffer.content == Content::kFile) {
        if (file.empty()) file = read_npy(buffer.file, buffer.type, bytes / width);
        std::memcpy(chunk.data(), file.data() + done, inside);
        return;
      }
      parallel_for(inside / width, 1 << 14, [&](std::uint64_t begin, std::uint64_t end) {
        make_content(buffer, static_cast<std::uint32_t>(index), done / width + begin,
                     chunk.subspan(begin * width, (end - begin) * width), numbers);
      });
    };
  }

  void fill(std::size_t index, OnDevice& one, std::uint32_t poison) {
    const Buffer& buffer = description_.buffers[index];
    Device& device = bench_.device();
    device.fill(*one.working, 0, (words_of(one.bytes) + kGuard) * 4, poison);
    if (buffer.role == Role::kOut) return;
    if (one.pristine != nullptr) {
      device.run(Copy{one.pristine, one.working, words_of(one.bytes) * 4});
    } else {
      device.write(*one.working, 0, words_of(one.bytes) * 4, producer(index, one.bytes, poison));
    }
    if (buffer.role == Role::kIn) one.filled = checksum(one);
  }

  // By the device, unless the guard makes the buffer larger than what one of its kernels sees.
  Checksum checksum(const OnDevice& one) const {
    Device& device = bench_.device();
    if (one.working->bytes() <= device.info().max_buffer_bytes) return device.checksum(*one.working, words_of(one.bytes));
    Checksum sum;
    device.read(*one.working, 0, words_of(one.bytes) * 4, [&](std::uint64_t done, std::span<const std::byte> chunk) {
      sum.add(done / 4, {reinterpret_cast<const std::uint32_t*>(chunk.data()), chunk.size() / 4});
    });
    return sum;
  }

  std::vector<Work> copies_back() const {
    std::vector<Work> copies;
    for (const auto& [index, one] : buffers_) {
      if (description_.buffers[index].role == Role::kInout)
        copies.emplace_back(Copy{one.pristine, one.working, words_of(one.bytes) * 4});
    }
    return copies;
  }

  std::vector<std::byte> read(const OnDevice& one) const {
    std::vector<std::byte> bytes(words_of(one.bytes) * 4);
    bench_.device().download(*one.working, 0, bytes);
    bytes.resize(one.bytes);
    return bytes;
  }

  void check_guard(const Buffer& buffer, const OnDevice& one) const {
    const std::uint64_t begin = one.bytes / 4 * 4;
    std::vector<std::byte> guard((words_of(one.bytes) + kGuard) * 4 - begin);
    bench_.device().download(*one.working, begin, guard);
    for (std::uint64_t i = one.bytes - begin; i < guard.size(); ++i) {
      if (guard[i] == std::byte{0xff}) continue;
      throw Error("wrong output: {} wrote past the end of {}, {} bytes behind its last element", side_.name, buffer.name,
                  begin + i - one.bytes);
    }
  }

  void compare(const Buffer& buffer, std::span<const std::byte> found, const std::string& found_by,
               std::span<const std::byte> expected, const std::string& expected_by) const {
    const std::string text =
        differences(buffer, {.found = found, .found_by = found_by, .expected = expected, .expected_by = expected_by},
                    description_.tolerance);
    if (!text.empty()) throw Error("{}", text);
  }

  void add_launch(std::size_t number) {
    Packed packed =
        pack(description_, side_.api, side_.steps[number], *job_.sides[of_.side]->steps[number], sizes_, of_.robustness);
    Launch launch = {
        .kernel = &bench_.kernel(packed.spec), .grid = packed.grid, .buffers = {}, .params = std::move(packed.params)};
    for (const Packed::Use& use : packed.uses) {
      launch.buffers.push_back(use.buffer ? buffers_.at(*use.buffer).working : block_of(number, use));
    }
    launches_.push_back(std::move(launch));
  }

  // A scalar or struct that a descriptor wants in memory.
  const bench::Buffer* block_of(std::size_t number, const Packed::Use& use) const {
    bench::Buffer& block =
        bench_.output(fmt::format("{} of side {}, step {}", use.label, of_.side, number), words_of(use.bytes.size()));
    std::vector<std::byte> padded = use.bytes;
    padded.resize(words_of(use.bytes.size()) * 4);
    bench_.device().upload(block, 0, padded);
    return &block;
  }

  Work work() const {
    if (launches_.size() == 1) return launches_.front();
    Passes passes = {.launches = launches_, .overlaps = {}};
    for (const Step& step : side_.steps) passes.overlaps.push_back(!step.barrier);
    return passes;
  }

  Workbench& bench_;
  const Job& job_;
  const Description& description_;
  const Side& side_;
  const Sizes& sizes_;
  SideCase of_;
  bool keeps_contents_;
  std::map<std::size_t, OnDevice> buffers_;
  std::vector<Launch> launches_;
  std::vector<Work> replays_;
};

}  // namespace

std::uint64_t device_bytes(const Description& description, const Side& side, const Sizes& sizes) {
  std::uint64_t bytes = 0;
  for (const std::size_t index : buffers_of(description, side)) {
    const Buffer& buffer = description.buffers[index];
    bytes += (bytes_of(buffer, sizes) + kGuard * 4) * (buffer.role == Role::kInout ? 2 : 1);
  }
  return bytes;
}

bool must_replay(const Job& job, std::size_t step) {
  std::map<std::size_t, Access> known;  // where a side's code tells
  for (std::size_t side = 0; side < job.sides.size(); ++side) {
    for (const auto& [buffer, access] : accesses_of(job, side, step)) {
      if (!access.is_read || !access.is_written) known[buffer] = access;
    }
  }
  for (std::size_t side = 0; side < job.sides.size(); ++side) {
    for (const auto& [buffer, access] : accesses_of(job, side, step)) {
      if (known.contains(buffer) || job.description.buffers[buffer].role == Role::kIn) continue;
      for (std::size_t other = 0; other < job.description.sides[side].steps.size(); ++other) {
        const std::map<std::size_t, Access> there = accesses_of(job, side, other);
        if (const auto found = there.find(buffer); other != step && found != there.end() && found->second.is_written)
          return true;
      }
    }
  }
  return false;
}

Prepared set_up(Workbench& bench, const Job& job, const SideCase& of, Outputs& outputs) {
  if (of.is_first) outputs = {};
  const auto run = std::make_shared<SideRun>(bench, job, of);
  run->fill();
  run->launch();
  run->verify();
  if (of.alone) {
    run->check_written();
  } else if (outputs.of.empty()) {
    outputs = run->outputs();
  } else {
    run->compare_with(outputs);
    outputs = {};
  }
  run->fill();
  // A step alone finds what the steps before it have left.
  if (of.replays) {
    run->keep_for_step();
  } else if (of.step) {
    run->launch();
  }
  if (!of.step) bench.makes_outputs_anew([run] { run->restore(); }, [run] { run->check_remade(); });
  return run->prepare();
}

}  // namespace bench::own
