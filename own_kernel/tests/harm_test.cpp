// Kernels that do harm, on whatever Vulkan device the machine has: each costs its own side and one line, and what can still run
// runs. Those of CUDA are skipped without a GPU of NVIDIA's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/base/child.h"
#include "temp_dir.h"

namespace bench::own {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kLimitS = 180;

class Harm : public testing::Test {
 protected:
  void SetUp() override { write("right.comp", kernel("y[i] = 2 * x[i];")); }

  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }

  // One thread per element, by descriptors: `body` makes y[i] of x[i], n elements.
  static std::string kernel(const std::string& body, const std::string& head = "") {
    return "#version 460\n" + head +
           "\nlayout(local_size_x = 64) in;\n"
           "layout(binding = 0) buffer X { float x[]; };\nlayout(binding = 1) buffer Y { float y[]; };\n"
           "layout(push_constant) uniform P { uint n; };\n"
           "void main() {\n  const uint i = gl_GlobalInvocationID.x;\n  if (i >= n) return;\n  " +
           body + "\n}\n";
  }

  static constexpr std::string_view kBuffers =
      "[[buffer]]\nname = \"x\"\ntype = \"f32\"\nelements = \"n\"\n"
      "[[buffer]]\nname = \"y\"\ntype = \"f32\"\nelements = \"n\"\nrole = \"out\"\n";
  static constexpr std::string_view kArguments =
      "arguments = [{ name = \"x\", binding = 0 }, { name = \"y\", binding = 1 }, { name = \"m\", push = 0 }]\n";

  static std::string toml(std::string_view buffers = kBuffers, std::string_view n = "1000") {
    return "name = \"harm\"\n[sizes]\nn = " + std::string(n) + "\n" + std::string(buffers) +
           "[[scalar]]\nname = \"m\"\ntype = \"u32\"\nvalue = \"n\"\n";
  }
  static std::string side(const std::string& name, const std::string& file, const std::string& more = "",
                          std::string_view arguments = kArguments, const std::string& grid = "ceil(n / 64)") {
    const bool has_block = more.find("block") != std::string::npos;
    return "[[side]]\nname = \"" + name + "\"\nfile = \"" + file + "\"\n" + std::string(arguments) + "grid = [\"" + grid +
           "\"]\n" + (has_block ? "" : "block = 64\n") + more + "\n";
  }

  // The harmful side is called bad and comes first; the right one is called good.
  ChildEnd run(const std::string& text, std::vector<std::string> more = {}) const {
    write("harm.toml", text);
    std::vector<std::string> command = {BENCH_OWN_KERNEL, folder_.file("harm.toml"), "--processes", "1", "--budget", "0.02"};
    command.insert(command.end(), more.begin(), more.end());
    return run_child(command, kLimitS);
  }
  ChildEnd run_beside_good(const std::string& bad, std::vector<std::string> more = {}) const {
    return run(toml() + side("bad", bad) + side("good", "right.comp"), std::move(more));
  }

  // One line says what, the program exits with 1, and the good side has a time.
  static void expect_fault(const ChildEnd& end, const std::string& line, bool good_runs = true) {
    if (end.output.find("nothing could run here") != std::string::npos || end.exit_code == 77) GTEST_SKIP() << end.output;
    EXPECT_EQ(end.exit_code, 1) << end.output;
    EXPECT_THAT(end.output, HasSubstr(line));
    EXPECT_LE(std::count(end.output.begin(), end.output.end(), '\n'), 15) << end.output;
    if (!good_runs) return;
    EXPECT_THAT(end.output, AnyOf(HasSubstr("warm: good "), HasSubstr("cold: good "))) << "the other side is timed";
  }

  TempDir folder_;
};

TEST_F(Harm, NoneAtAll) {
  const ChildEnd end = run(toml() + side("bad", "right.comp") + side("good", "right.comp"));
  if (end.exit_code == 77) GTEST_SKIP() << end.output;
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, testing::ContainsRegex("warm: bad .* us .*, good .* us"));
}

// A shader that knows its workgroup, and a file that leaves it out.
TEST_F(Harm, NoneWithTheShadersOwnBlock) {
  std::string own = kernel("y[i] = 2 * x[i];");
  own.replace(own.find("local_size_x = 64"), 17, "local_size_x_id = 3, local_size_x = 64");
  write("own.comp", own);
  const std::string text = toml() + "[[side]]\nname = \"bad\"\nfile = \"own.comp\"\n" + std::string(kArguments) +
                           "grid = \"ceil(n / 64)\"\n" + side("good", "right.comp");
  const ChildEnd end = run(text);
  if (end.exit_code == 77) GTEST_SKIP() << end.output;
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, testing::ContainsRegex("warm: bad .* us .*, good .* us"));
}

// A count that a shader reads from memory, as of an indirect dispatch.
TEST_F(Harm, NoneWithNumbersInABuffer) {
  write("counted.comp", kernel("y[i] = by[1] * x[i];", "layout(binding = 2) buffer Numbers { uint by[]; };"));
  const std::string numbers = "[[buffer]]\nname = \"numbers\"\ntype = \"u32\"\nelements = 2\nvalue = [\"n + 1\", 2]\n";
  const std::string arguments =
      "arguments = [{ name = \"x\", binding = 0 }, { name = \"y\", binding = 1 }, { name = \"numbers\", binding = 2 }, "
      "{ name = \"m\", push = 0 }]\n";
  const ChildEnd end = run(toml(std::string(kBuffers) + numbers, "[1000, 2000]") + side("bad", "counted.comp", "", arguments) +
                           side("good", "right.comp"));
  if (end.exit_code == 77) GTEST_SKIP() << end.output;
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, testing::ContainsRegex("n = 2000, warm: bad .* us .*, good .* us"));
}

// In place: put back before each cold sample, before each warm one where the file asks for it, and before each look at the
// output.
TEST_F(Harm, NoneInPlace) {
  write("place.comp", kernel("y[i] = 3 * x[i];\n  x[i] = 2 * x[i] + 1;"));
  std::string buffers(kBuffers);
  buffers.replace(buffers.find("elements"), 0, "role = \"inout\"\n");
  for (const std::string restore : {"batch", "each"}) {
    const ChildEnd end = run("cache = [\"warm\", \"cold\"]\nrestore = \"" + restore + "\"\n" + toml(buffers) +
                             side("one", "place.comp") + side("other", "place.comp"));
    if (end.exit_code == 77) GTEST_SKIP() << end.output;
    EXPECT_EQ(end.exit_code, 0) << end.output;
    EXPECT_THAT(end.output, HasSubstr("n = 1000, warm: one "));
    EXPECT_THAT(end.output, HasSubstr("n = 1000, cold: one "));
  }
}

// A counter that the step before clears: launched again without it, the kernel would not end.
TEST_F(Harm, NoneWithACounterThatAnotherStepClears) {
  write("clear.comp",
        "#version 460\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer C { uint counter[]; };\n"
        "void main() { counter[0] = 0; }\n");
  write("parts.comp",
        kernel("const uint part = atomicAdd(counter[0], 1);\n  while (part >= n && x[part % n] < 2) y[i] += x[i];\n"
               "  y[i] = 2 * x[i];",
               "layout(binding = 2) buffer C { uint counter[]; };"));
  const std::string counter = "[[buffer]]\nname = \"c\"\ntype = \"u32\"\nelements = 1\nrole = \"scratch\"\n";
  const std::string steps =
      "[[side.step]]\nfile = \"clear.comp\"\narguments = [{ name = \"c\", binding = 0 }]\ngrid = 1\n"
      "[[side.step]]\nfile = \"parts.comp\"\ngrid = \"ceil(n / 64)\"\narguments = [{ name = \"x\", binding = 0 }, { name = "
      "\"y\", "
      "binding = 1 }, { name = \"c\", binding = 2 }, { name = \"m\", push = 0 }]\n";
  const ChildEnd end = run(toml(std::string(kBuffers) + counter, "1048576") + "[[side]]\nname = \"one\"\n" + steps +
                               "[[side]]\nname = \"other\"\n" + steps,
                           {"--timeout", "3"});
  if (end.exit_code == 77) GTEST_SKIP() << end.output;
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("step 2 (parts)"));
}

TEST_F(Harm, AnEndlessLoop) {
  // llvmpipe leaves a loop after 65,535 turns: 2^20 of them take minutes.
  write("endless.comp", kernel("while (x[0] < 2) y[i] += x[i];\n  y[i] = 2 * x[i];"));
  expect_fault(run(toml(kBuffers, "1048576") + side("bad", "endless.comp") + side("good", "right.comp"), {"--timeout", "3"}),
               "bad, n = 1048576: device lost: kernel harm_bad: not finished after 3 s");
}

TEST_F(Harm, AWriteBehindTheEnd) {
  // By address: a driver's bounds checks stop what goes by a descriptor.
  write("behind.comp",
        "#version 460\n#extension GL_EXT_buffer_reference : require\nlayout(local_size_x = 64) in;\n"
        "layout(buffer_reference, std430) buffer F { float v[]; };\n"
        "layout(push_constant) uniform P { F x; F y; uint n; };\n"
        "void main() { const uint i = gl_GlobalInvocationID.x; y.v[i] = 2 * x.v[min(i, n - 1)]; }\n");
  const std::string arguments =
      "arguments = [{ name = \"x\", as = \"address\", push = 0 }, { name = \"y\", as = \"address\", push = 8 }, "
      "{ name = \"m\", push = 16 }]\n";
  expect_fault(run(toml() + side("bad", "behind.comp", "", arguments) + side("good", "right.comp")),
               "bad, n = 1000: wrong output: bad wrote past the end of y, 0 bytes behind its last element");
}

TEST_F(Harm, NaN) {
  write("nan.comp", kernel("y[i] = i == 7 ? sqrt(-x[i] - 1) : 2 * x[i];"));
  expect_fault(run_beside_good("nan.comp"), "1 of 1000 elements of y are NaN, or were never written; the first is y[7]");
}

TEST_F(Harm, AnotherResult) {
  write("other.comp", kernel("y[i] = i == 500 ? 3 : 2 * x[i];"));
  const ChildEnd end = run_beside_good("other.comp");
  if (end.exit_code == 77) GTEST_SKIP() << end.output;
  EXPECT_EQ(end.exit_code, 1) << end.output;
  EXPECT_THAT(end.output, HasSubstr("wrong output: 1 of 1000 elements of y differ by more than 2 ulp: y[500] is "));
  EXPECT_THAT(end.output, HasSubstr("(good) and 3 (bad)"));
  EXPECT_THAT(end.output, Not(testing::ContainsRegex("warm: bad .* us .*, good .* us")))
      << "what is not the same is not compared";
}

TEST_F(Harm, IntegersThatNobodyWrote) {
  const std::string ints =
      "[[buffer]]\nname = \"x\"\ntype = \"u32\"\nelements = \"n\"\n"
      "[[buffer]]\nname = \"y\"\ntype = \"u32\"\nelements = \"n\"\nrole = \"out\"\n";
  const std::string head = "#define float uint";
  write("half.comp", kernel("if (i % 2 == 0) y[i] = 2 * x[i];", head));
  write("whole.comp", kernel("y[i] = 2 * x[i];", head));
  expect_fault(run(toml(ints) + side("bad", "half.comp") + side("good", "whole.comp")),
               "bad, n = 1000: wrong output: 500 of 1000 elements of y were never written, the first is y[1]");
}

TEST_F(Harm, AWriteToAnInput) {
  write("input.comp", kernel("y[i] = 2 * x[i]; x[i] = 0;"));
  expect_fault(run_beside_good("input.comp"), "wrong output: bad wrote to x, whose role is in");
}

TEST_F(Harm, AnotherResultEachTime) {
  write("clock.comp",
        "#version 460\n#extension GL_EXT_shader_realtime_clock : require\nlayout(local_size_x = 64) in;\n"
        "layout(binding = 0) buffer X { float x[]; };\nlayout(binding = 1) buffer Y { float y[]; };\n"
        "layout(push_constant) uniform P { uint n; };\n"
        "void main() { const uint i = gl_GlobalInvocationID.x; if (i < n) y[i] = float(clockRealtime2x32EXT().x & 0xffffffu) + "
        "x[i]; }\n");
  const ChildEnd end = run(toml() + side("bad", "clock.comp"));
  if (end.output.find("shader_clock") != std::string::npos) GTEST_SKIP() << end.output;
  expect_fault(end, "(bad after the samples) and ", false);
}

TEST_F(Harm, TooManyBuffers) {
  std::string buffers;
  std::string arguments = "arguments = [";
  std::string head = "#version 460\nlayout(local_size_x = 64) in;\n";
  std::string body;
  constexpr int kMany = 3000;
  for (int i = 0; i < kMany; ++i) {
    const std::string name = "b" + std::to_string(i);
    buffers += "[[buffer]]\nname = \"" + name + "\"\ntype = \"f32\"\nelements = \"n\"\n" + (i == 0 ? "role = \"out\"\n" : "");
    arguments += "{ name = \"" + name + "\", binding = " + std::to_string(i) + " }, ";
    head += "layout(binding = " + std::to_string(i) + ") buffer B" + std::to_string(i) + " { float " + name + "[]; };\n";
    if (i > 0) body += " + " + name + "[i]";
  }
  write("many.comp", head +
                         "layout(push_constant) uniform P { uint n; };\nvoid main() { const uint i = gl_GlobalInvocationID.x; "
                         "if (i < n) b0[i] = 0" +
                         body + "; }\n");
  const ChildEnd end = run(toml(buffers, "64") + side("bad", "many.comp", "", arguments + "{ name = \"m\", push = 0 }]\n"));
  // Where there is room, the kernel runs, or takes so long to compile that it counts as endless.
  const bool has_room = end.exit_code == 0 || end.output.find("not finished after") != std::string::npos;
  if (has_room) GTEST_SKIP() << "this device has room for so many: " << end.output;
  EXPECT_EQ(end.exit_code, 77) << end.output;
  EXPECT_THAT(end.output, HasSubstr("storage buffers; maxPerStageDescriptorStorageBuffers of"));
}

TEST_F(Harm, AHundredGigabytes) {
  std::string text = toml(kBuffers, "[1000, \"100e9\"]");
  text.replace(text.find("value = \"n\""), 11, "value = \"min(n, 1000)\"");
  const std::string grid = "ceil(min(n, 1000) / 64)";
  const ChildEnd end =
      run(text + side("bad", "right.comp", "", kArguments, grid) + side("good", "right.comp", "", kArguments, grid));
  expect_fault(end, "n = 100000000000: ", false);
  EXPECT_THAT(end.output, HasSubstr("the buffers of bad take 762939"));
  EXPECT_THAT(end.output, HasSubstr("n = 1000, warm: bad")) << "the other size runs";
}

TEST_F(Harm, AMissingFeature) {
  write("sm.comp", kernel("y[i] = float(gl_SMIDNV) + x[i];", "#extension GL_NV_shader_sm_builtins : require"));
  const ChildEnd end = run_beside_good("sm.comp");
  if (end.output.find("lacks") == std::string::npos) GTEST_SKIP() << "this device has the feature: " << end.output;
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("bad, n = 1000: skipped: kernel harm_bad wants VK_NV_shader_sm_builtins, which "));
  EXPECT_THAT(end.output, HasSubstr("good "));
}

TEST_F(Harm, AGridOfNothing) {
  const ChildEnd end = run(toml() + side("bad", "right.comp", "", kArguments, "0 * n") + side("good", "right.comp"));
  EXPECT_THAT(end.exit_code, AnyOf(1, 2)) << end.output;
  EXPECT_THAT(end.output, HasSubstr("0")) << end.output;
  EXPECT_LE(std::count(end.output.begin(), end.output.end(), '\n'), 15) << end.output;
}

TEST_F(Harm, AGridBeyondTheDevice) {
  const ChildEnd end = run(toml() + side("bad", "right.comp", "", kArguments, "2147483647") + side("good", "right.comp"));
  if (end.output.find("maxComputeWorkGroupCount") == std::string::npos)
    GTEST_SKIP() << "this device has such grids: " << end.output;
  EXPECT_THAT(end.output,
              HasSubstr("bad, n = 1000: skipped: kernel harm_bad: grid 2147483647 x 1 x 1; maxComputeWorkGroupCount[0]"));
  EXPECT_THAT(end.output, HasSubstr("warm: good "));
}

// The largest size alone is beyond it, on both sides: the listing is of the other one.
TEST_F(Harm, AGridBeyondTheDeviceAtTheLargestSize) {
  const std::string grid = "max(16, min(2147483647, (n - 1000) * 4000000))";
  const ChildEnd end = run(toml(kBuffers, "[1000, 2000]") + side("bad", "right.comp", "", kArguments, grid) +
                               side("good", "right.comp", "", kArguments, grid),
                           {"--dump-isa", folder_.file("isa")});
  if (end.output.find("maxComputeWorkGroupCount") == std::string::npos)
    GTEST_SKIP() << "this device has such grids: " << end.output;
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("n = 1000, warm: bad "));
  EXPECT_TRUE(std::filesystem::exists(folder_.file("isa"))) << end.output;
}

TEST_F(Harm, ASubgroupSizeThatIsNone) {
  const ChildEnd end = run(toml() + side("bad", "right.comp", "subgroup_size = 128") + side("good", "right.comp"));
  if (end.output.find("subgroups of 128") == std::string::npos) GTEST_SKIP() << end.output;
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("bad, n = 1000: skipped: kernel harm_bad wants subgroups of 128"));
}

TEST_F(Harm, ABlockBeyondTheDevice) {
  std::string large = kernel("y[i] = 2 * x[i];");
  large.replace(large.find("local_size_x = 64"), 17, "local_size_x_id = 0");
  write("large.comp", large);
  const ChildEnd end =
      run(toml() + side("bad", "large.comp", "block = 65536\nconstants = { 0 = 65536 }") + side("good", "right.comp"));
  EXPECT_THAT(end.output, HasSubstr("skipped: kernel harm_bad wants 65536 invocations in x; maxComputeWorkGroupSize[0]"));
  EXPECT_THAT(end.output, HasSubstr("good "));
}

TEST_F(Harm, AnAddressThatIsNone) {
  write("wild.comp",
        "#version 460\n#extension GL_EXT_buffer_reference : require\n#extension GL_EXT_buffer_reference_uvec2 : require\n"
        "layout(local_size_x = 64) in;\nlayout(buffer_reference, std430) buffer F { float v[]; };\n"
        "layout(binding = 0) buffer X { float x[]; };\nlayout(binding = 1) buffer Y { float y[]; };\n"
        "layout(push_constant) uniform P { uint n; };\n"
        "void main() { const uint i = gl_GlobalInvocationID.x; if (i < n) { F f = F(uvec2(8, 0)); f.v[i] = x[i]; y[i] = 2 * "
        "x[i]; } }\n");
  const ChildEnd end = run_beside_good("wild.comp");
  // llvmpipe's threads are this process's; a GPU reports a lost device.
  EXPECT_THAT(end.output, AnyOf(HasSubstr("bad: the process that ran it alone was ended by signal 11"),
                                HasSubstr("bad, n = 1000: device lost: ")));
  expect_fault(end, "bad");
}

TEST_F(Harm, TooManyPushConstants) {
  std::string large = kernel("y[i] = 2 * x[i] + f[1023];");
  large.replace(large.find("{ uint n; }"), 11, "{ uint n; float f[1024]; }");
  write("push.comp", large);
  const ChildEnd end = run_beside_good("push.comp");
  EXPECT_THAT(end.output, AnyOf(HasSubstr("push constants"), HasSubstr("push")));
  EXPECT_THAT(end.output, HasSubstr("good "));
}

TEST_F(Harm, MoreSharedMemoryThanThereIs) {
  write("shared.comp", kernel("s[i] = x[i]; barrier(); y[i] = 2 * s[i];", "shared float s[1 << 28];"));
  const ChildEnd end = run_beside_good("shared.comp");
  EXPECT_THAT(end.output, HasSubstr("good ")) << "the other side is timed";
  EXPECT_THAT(end.output, HasSubstr("bad"));
  EXPECT_FALSE(end.timed_out);
}

TEST_F(Harm, AShaderThatDoesNotCompile) {
  write("broken.comp", kernel("y[i] = 2 * z[i];"));
  expect_fault(run_beside_good("broken.comp"), "bad: ");
}

TEST_F(Harm, AModuleThatIsNone) {
  write("noise.spv", std::string(1000, 'x'));
  expect_fault(run_beside_good("noise.spv"), "bad: ");
}

TEST_F(Harm, AnEntryThatIsNotThere) {
  expect_fault(run(toml() + side("bad", "right.comp", "entry = \"nowhere\"") + side("good", "right.comp")), "nowhere");
}

TEST_F(Harm, AWrongFileOfExpectations) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000,), }";
  header.resize(118, ' ');
  std::string text =
      std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + std::string(4000, '\0');
  write("y.npy", text);
  const std::string buffers = std::string(kBuffers) + "expected = \"y.npy\"\n";
  const ChildEnd end = run(toml(buffers) + side("bad", "right.comp"));
  expect_fault(end, "(bad) and 0 (y.npy)", false);
  EXPECT_THAT(end.output, HasSubstr("of 1000 elements of y differ by more than 2 ulp"));
}

// CUDA's: skipped where there is no GPU of NVIDIA's, or no compiler.
class CudaHarm : public Harm {
 protected:
  ChildEnd run_cuda(const std::string& body, const std::string& more = "", std::vector<std::string> flags = {}) const {
    write("bad.cu",
          "extern \"C\" __global__ void bad(const float* x, float* y, unsigned n) {\n"
          "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) { " +
              body + " }\n}\n");
    return run(toml() + side("bad", "bad.cu", "entry = \"bad\"\n" + more, "arguments = [\"x\", \"y\", \"m\"]\n") +
                   side("good", "right.comp"),
               std::move(flags));
  }
  static bool is_skipped(const ChildEnd& end) {
    return end.output.find("bad: skipped") != std::string::npos || end.exit_code == 77;
  }
};

TEST_F(CudaHarm, AnIllegalAddress) {
  const ChildEnd end = run_cuda("y[i + (1ull << 40)] = x[i];");
  if (is_skipped(end)) GTEST_SKIP() << end.output;
  expect_fault(end, "bad, n = 1000: device lost: ");
}

TEST_F(CudaHarm, AnEndlessLoop) {
  const ChildEnd end = run_cuda("while (*(volatile const float*)x < 2) y[i] = x[i];", "", {"--timeout", "3"});
  if (is_skipped(end)) GTEST_SKIP() << end.output;
  expect_fault(end, "bad, n = 1000: device lost: ");
}

TEST_F(CudaHarm, ATrap) {
  const ChildEnd end = run_cuda("y[i] = x[i]; __trap();");
  if (is_skipped(end)) GTEST_SKIP() << end.output;
  expect_fault(end, "bad, n = 1000: device lost: ");
}

TEST_F(CudaHarm, AWriteBehindTheEnd) {
  const ChildEnd end = run_cuda("y[i] = 2 * x[i]; if (i == 0) y[n + 3] = 1;");
  if (is_skipped(end)) GTEST_SKIP() << end.output;
  expect_fault(end, "bad wrote past the end of y, 12 bytes behind its last element");
}

TEST_F(CudaHarm, MoreSharedMemoryThanThereIs) {
  const ChildEnd end = run_cuda("y[i] = 2 * x[i];", "shared_bytes = 1000000");
  if (end.output.find("bad: skipped") != std::string::npos) GTEST_SKIP() << end.output;
  EXPECT_THAT(end.output, HasSubstr("skipped: bad: 0 + 1000000 bytes of shared memory a block wanted"));
}

TEST_F(CudaHarm, AParameterTooMany) {
  write("bad.cu", "extern \"C\" __global__ void bad(const float* x, float* y) { y[0] = x[0]; }\n");
  const ChildEnd end = run(toml() + side("bad", "bad.cu", "entry = \"bad\"", "arguments = [\"x\", \"y\", \"m\"]\n") +
                           side("good", "right.comp"));
  if (is_skipped(end)) GTEST_SKIP() << end.output;
  expect_fault(end, "bad: ");
}

}  // namespace
}  // namespace bench::own
