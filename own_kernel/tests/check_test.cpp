#include "compile/check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "compile/tools.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "description/read.h"
#include "temp_dir.h"

namespace bench::own {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kSaxpyCu = R"(
extern "C" __global__ void saxpy(unsigned n, float a, const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
)";
constexpr std::string_view kSaxpyComp = R"(#version 460
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const float scale = 1.0;
layout(std430, binding = 0) buffer X { float x[]; };
layout(std430, set = 1, binding = 1) buffer Y { float y[]; };
layout(push_constant, std430) uniform Params { uint n; float a; } params;
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.n) y[i] = params.a * scale * x[i] + y[i];
}
)";
constexpr std::string_view kHead = R"(
[sizes]
n = 1024
[[buffer]]
name = "x"
type = "f32"
elements = "n"
[[buffer]]
name = "y"
type = "f32"
elements = "n"
role = "inout"
[[scalar]]
name = "count"
type = "u32"
value = "n"
[[scalar]]
name = "a"
type = "f32"
value = 2
)";
constexpr std::string_view kCudaSide = R"(
[[side]]
file = "saxpy.cu"
arguments = ["count", "a", "x", "y"]
block = 256
grid = 4
)";
constexpr std::string_view kVulkanSide = R"(
[[side]]
file = "saxpy.comp"
arguments = [
  { name = "x", binding = 0 }, { name = "y", set = 1, binding = 1 },
  { name = "count", push = 0 }, { name = "a", push = 4 },
]
constants = { 0 = 256 }
block = 256
grid = 4
)";

// A folder with a saxpy of each API, and what --check says of a file in it.
class Check : public testing::Test {
 protected:
  Check() {
    folder_.write("saxpy.cu", std::string(kSaxpyCu));
    folder_.write("saxpy.comp", std::string(kSaxpyComp));
    target_.log_folder = folder_.path();
  }
  CheckReport said(const std::string& sides) const {
    return check(read_description(std::string_view(std::string(kHead) + sides), folder_.path() / "saxpy.toml"), target_);
  }
  static std::string with(std::string_view text, const std::string& from, const std::string& to) {
    std::string changed(text);
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? changed : changed.replace(at, from.size(), to);
  }
  std::string said_of_cuda(const std::string& from, const std::string& to) const {
    return said(with(kCudaSide, from, to)).text;
  }
  std::string said_of_vulkan(const std::string& from, const std::string& to) const {
    return said(with(kVulkanSide, from, to)).text;
  }
  void script(const std::string& name, const std::string& text) const {
    folder_.write(
        name,
        "#!/bin/sh\ncase \"$1\" in --version) echo 'release 99.1, V99.1.2'; echo 'Glslang Version: 11:99.1.2'; exit;; esac\n" +
            text);
    std::filesystem::permissions(folder_.path() / name, std::filesystem::perms::owner_all);
  }

  TempDir folder_;
  Target target_;
};

class CheckCuda : public Check {
 protected:
  void SetUp() override {
    if (!find_nvcc({})) GTEST_SKIP() << "no nvcc on this machine";
  }
};

TEST_F(Check, ARightShaderAgrees) {
  const CheckReport report = said(std::string(kVulkanSide));
  EXPECT_EQ(report.exit_code, kOk);
  EXPECT_THAT(report.text, HasSubstr("Vulkan: saxpy.comp, main (glslang "));
  EXPECT_THAT(report.text,
              HasSubstr("): agrees: 2 bindings, 8 bytes of push constants, 1 of 2 specialization constants given\n"));
}

// Debian 12's is 12.0, which has fewer options than the newest.
TEST_F(Check, TheDistributionsOwnCompilerIsEnough) {
  target_.glslang = "/usr/bin/glslangValidator";
  if (!std::filesystem::exists(target_.glslang)) GTEST_SKIP() << target_.glslang << " is not there";
  EXPECT_EQ(said(std::string(kVulkanSide)).exit_code, kOk) << said(std::string(kVulkanSide)).text;
}

TEST_F(Check, EachCompilerIncludesFilesForAShaderThatDoesNotAsk) {
  folder_.write("scaled.glsl", "float scaled(float v) { return 2 * v; }\n");
  const std::string including = "// a saxpy\n" + with(with(kSaxpyComp, "void main()", "#include \"scaled.glsl\"\nvoid main()"),
                                                      " + y[i];", " + scaled(y[i]);");
  for (const std::string compiler : {"", "/usr/bin/glslangValidator"}) {
    if (!compiler.empty() && !std::filesystem::exists(compiler)) continue;
    target_.glslang = compiler;
    folder_.write("saxpy.comp", including);
    EXPECT_EQ(said(std::string(kVulkanSide)).exit_code, kOk) << said(std::string(kVulkanSide)).text;
    folder_.write("saxpy.comp", including + "what\n");
    const auto line = std::count(including.begin(), including.end(), '\n') + 1;
    EXPECT_THAT(said(std::string(kVulkanSide)).text, HasSubstr(fmt::format("saxpy.comp:{}: ", line))) << compiler;
  }
}

// A table of rows, which nothing here could fill.
TEST_F(Check, AnAddressInABufferIsRefused) {
  constexpr std::string_view kTable = R"(#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x_id = 0) in;
layout(buffer_reference, std430) buffer Row { float at[]; };
layout(std430, binding = 0) buffer X { Row rows[]; };
layout(std430, set = 1, binding = 1) buffer Y { float y[]; };
layout(push_constant, std430) uniform Params { uint n; float a; } params;
float read(uint i) { return rows[0].at[i]; }
void main() {
  y[gl_GlobalInvocationID.x] = read(gl_GlobalInvocationID.x);
}
)";
  constexpr std::string_view kRefused =
      "saxpy.comp: main reads the address of Row out of a buffer: own kernels give addresses in push constants alone";
  folder_.write("saxpy.comp", std::string(kTable));
  EXPECT_THAT(said(std::string(kVulkanSide)).text, HasSubstr(kRefused));
  const std::string behind =
      with(with(kTable, "{ float at[]; };", "{ float at[]; };\nlayout(buffer_reference, std430) buffer Table { Row rows[]; };"),
           "{ uint n; float a; }", "{ uint n; float a; Table table; }");
  folder_.write("saxpy.comp", with(behind, "rows[0].at[i]", "params.table.rows[0].at[i]"));
  EXPECT_THAT(said(std::string(kVulkanSide)).text, HasSubstr(kRefused)) << "behind an address";
  folder_.write("saxpy.comp", with(behind, "rows[0].at[i]", "float(i)"));
  EXPECT_THAT(said(std::string(kVulkanSide)).text, Not(HasSubstr("reads the address"))) << "never read";
}

TEST_F(CheckCuda, APointerToPointersIsRefused) {
  folder_.write("saxpy.cu", with(with(kSaxpyCu, "const float* x,", "float* const* x,"), "a * x[i]", "a * x[0][i]"));
  EXPECT_THAT(said(std::string(kCudaSide)).text,
              HasSubstr("saxpy takes a pointer to pointers as parameter 2: own kernels give addresses as parameters alone"));
}

TEST_F(Check, SwappedBuffersAreSeenByWhatTheCodeMayDoWithThem) {
  const std::string shader = with(kSaxpyComp, " + y[i];", ";");
  const auto head = [](const std::string& role) { return with(kHead, "role = \"inout\"", "role = \"" + role + "\""); };
  const auto checked = [&](const std::string& role, const std::string& sides) {
    return check(read_description(std::string_view(head(role) + sides), folder_.path() / "saxpy.toml"), target_);
  };
  const std::string swapped =
      with(with(kVulkanSide, "\"x\", binding = 0", "\"y\", binding = 0"), "\"y\", set = 1", "\"x\", set = 1");
  folder_.write("saxpy.comp", with(shader, "buffer X", "readonly buffer X"));
  EXPECT_EQ(checked("out", std::string(kVulkanSide)).exit_code, kOk);
  CheckReport report = checked("out", swapped);
  EXPECT_EQ(report.exit_code, kFailed);
  EXPECT_THAT(report.text, HasSubstr("! set 0, binding 0: y storage buffer, 4096 bytes, role out  set 0, binding 0: X storage "
                                     "buffer, readonly\n"));
  EXPECT_EQ(checked("inout", swapped).exit_code, kOk) << "an inout buffer may keep its values";
  folder_.write("saxpy.comp", with(shader, "buffer Y", "writeonly buffer Y"));
  EXPECT_EQ(checked("out", std::string(kVulkanSide)).exit_code, kOk);
  report = checked("out", swapped);
  EXPECT_EQ(report.exit_code, kFailed);
  EXPECT_THAT(report.text, HasSubstr("x storage buffer, 4096 bytes, role in  set 1, binding 1: Y storage buffer, writeonly\n"));
}

TEST_F(Check, UsefulBytesBeyondTheBuffersAreDoubted) {
  const auto text = [&](const std::string& bytes) {
    return check(read_description(
                     std::string_view("useful_bytes = \"" + bytes + "\"\n" + std::string(kHead) + std::string(kVulkanSide)),
                     folder_.path() / "saxpy.toml"),
                 target_)
        .text;
  };
  EXPECT_THAT(text("12 * n"), Not(HasSubstr("too few"))) << "x once, y twice";
  EXPECT_THAT(text("12 * n + 1"), HasSubstr("useful_bytes is 12289 with n = 1024, and all buffers hold 12288 (an inout counts "
                                            "twice): are the elements of one too few?\n"));
}

TEST_F(Check, NamesThatSeemSwappedAreSaid) {
  folder_.write("saxpy.comp", with(kSaxpyComp, "uint n; float a;", "uint n; uint m; float a;"));
  const std::string sides = with(with(kVulkanSide, "\"count\", push = 0", "\"m\", push = 0"), "{ name = \"a\", push = 4 }",
                                 "{ name = \"n\", push = 4 }, { name = \"a\", push = 8 }");
  const std::string scalars =
      with(kHead, "name = \"count\"", "name = \"n\"") + "[[scalar]]\nname = \"m\"\ntype = \"u32\"\nvalue = 1\n";
  const auto checked = [&](const std::string& side) {
    return check(read_description(std::string_view(scalars + side), folder_.path() / "saxpy.toml"), target_);
  };
  const CheckReport report = checked(sides);
  EXPECT_EQ(report.exit_code, kOk) << "names decide nothing";
  EXPECT_THAT(report.text,
              HasSubstr("given; swapped? push = 0 is n in the code and m here, push = 4 is m in the code and n here\n"));
  const std::string right = with(with(sides, "\"m\", push = 0", "\"n\", push = 0"), "\"n\", push = 4", "\"m\", push = 4");
  EXPECT_THAT(checked(right).text, Not(HasSubstr("swapped")));
  const CheckReport buffers =
      checked(with(with(right, "\"x\", binding = 0", "\"y\", binding = 0"), "\"y\", set = 1", "\"x\", set = 1"));
  EXPECT_THAT(buffers.text,
              HasSubstr("swapped? set 0, binding 0 is x in the code and y here, set 1, binding 1 is y in the code"));
}

TEST_F(Check, BindingsAreSideBySide) {
  const CheckReport report = said(with(kVulkanSide, "set = 1, binding = 1", "binding = 1"));
  EXPECT_EQ(report.exit_code, kFailed);
  EXPECT_THAT(report.text,
              HasSubstr("differs (saxpy.toml:22): entry point main: the bindings given are not those taken\n"
                        "    given                                           taken\n"
                        "    set 0, binding 0: x storage buffer, 4096 bytes  set 0, binding 0: X storage buffer\n"
                        "  ! set 0, binding 1: y storage buffer, 4096 bytes  -\n"
                        "  ! -                                               set 1, binding 1: Y storage buffer\n"));
  EXPECT_THAT(said_of_vulkan("binding = 0 }", "binding = 0, as = \"uniform\" }"),
              HasSubstr("! set 0, binding 0: x uniform buffer, 4096 bytes"));
}

TEST_F(Check, PushConstantsAreSideBySide) {
  const std::string swapped = said(with(with(kVulkanSide, "push = 0", "push = 8"), "push = 4", "push = 0")).text;
  EXPECT_THAT(swapped, HasSubstr("the push constants given are not those taken (8 bytes)\n"
                                 "    given                  taken\n"
                                 "  ! 0: a f32, 4 bytes      0: n integer, 4 bytes\n"
                                 "  ! -                      4: a float, 4 bytes\n"
                                 "  ! 8: count u32, 4 bytes  -\n"));
  EXPECT_THAT(said_of_vulkan("push = 4", "push = 8"), HasSubstr("! -                      4: a float, 4 bytes"));
}

TEST_F(Check, ConstantsAndTheLocalSize) {
  EXPECT_THAT(said_of_vulkan("{ 0 = 256 }", "{ 0 = 256, 1 = 2 }"), HasSubstr("! 1: u32 = 2    1: scale f32"));
  EXPECT_THAT(said_of_vulkan("{ 0 = 256 }", "{ 0 = 256, 7 = 2 }"), HasSubstr("! 7: u32 = 2"));
  EXPECT_THAT(said_of_vulkan("{ 0 = 256 }", "{ 0 = 256, 1 = 1.5 }"), HasSubstr("agrees"));
  EXPECT_THAT(said_of_vulkan("{ 0 = 256 }", "{ 0 = 128 }"),
              HasSubstr("its local size is 128 x 1 x 1, and block.x is 256; constants = { 0 = 256 } sets it"));
  EXPECT_THAT(said_of_vulkan("{ 0 = 256 }", "{ 0 = \"n / 4\" }"), HasSubstr("agrees")) << "by the sizes";
}

TEST_F(Check, AHalfConstant) {
  folder_.write("saxpy.comp", with(with(kSaxpyComp, "const float scale = 1.0", "const float16_t scale = 1.0hf"), "#version 460",
                                   "#version 460\n#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require"));
  EXPECT_THAT(said_of_vulkan("{ 0 = 256 }", "{ 0 = 256, 1 = { type = \"f16\", value = 1.5 } }"), HasSubstr("agrees"));
  EXPECT_THAT(said_of_vulkan("{ 0 = 256 }", "{ 0 = 256, 1 = 1.5 }"), HasSubstr("! 1: f32 = 1.5  1: scale f16"));
  const Constant half = {.id = 1, .type = Type::kF16, .value = {"1.5", 1}};
  EXPECT_EQ(bits_of(half, {}), 0x3e00U);
}

TEST_F(Check, ExpressionsKnowTheSubgroupSizeThatTheSideGives) {
  EXPECT_THAT(said_of_vulkan("{ 0 = 256 }\nblock = 256",
                             "{ 0 = \"8 * subgroup_size\" }\nsubgroup_size = 32\nblock = \"8 * subgroup_size\""),
              HasSubstr("agrees"));
  EXPECT_THAT(message_of<UsageError>([&] { said(with(kVulkanSide, "{ 0 = 256 }", "{ 0 = \"8 * subgroup_size\" }")); }),
              HasSubstr("saxpy.toml:28: [[side]] 1: constants.0 = \"8 * subgroup_size\": subgroup_size is known in a side's "
                        "block, grid, constants"));
}

TEST_F(Check, ADescriptorMayBeNoBufferAndNoArray) {
  folder_.write("saxpy.comp",
                with(kSaxpyComp, "buffer X { float x[]; };", "buffer X { float a[]; } x[2];") + "\n// x[i] is no longer one\n");
  folder_.write("saxpy.comp", with(with(kSaxpyComp, "buffer X { float x[]; };", "buffer X { float a[]; } x[2];"),
                                   "scale * x[i]", "scale * x[0].a[i]"));
  EXPECT_THAT(
      said(std::string(kVulkanSide)).text,
      HasSubstr(
          "saxpy.comp: main uses an array of buffers at set 0, binding 0, given in line 25: own kernels take single ones"));
  folder_.write("saxpy.comp", with(with(kSaxpyComp, "layout(std430, binding = 0) buffer X { float x[]; };",
                                        "layout(binding = 0) uniform sampler2D x;"),
                                   "scale * x[i]", "scale * texture(x, vec2(0)).x"));
  EXPECT_THAT(said(std::string(kVulkanSide)).text,
              HasSubstr("saxpy.comp: main uses the sampled image x (set 0, binding 0): own kernels take buffers alone"));
}

TEST_F(Check, AnEntryThatThereIsNotIsNamedWithThoseThatThereAre) {
  EXPECT_THAT(said_of_vulkan("block = 256", "entry = \"other\"\nblock = 256"),
              HasSubstr("no entry point for compute is called other; there: main"));
  folder_.write("code.spv", "no module");
  EXPECT_THAT(said_of_vulkan("saxpy.comp", "code.spv"), HasSubstr("code.spv: no SPIR-V module: it does not begin as one"));
  // A head, OpEntryPoint Vertex %1 "main", and that: void %1() { return; }.
  const std::vector<std::uint32_t> vertex = {0x07230203, 0x00010000, 0,          5,         0, 0x0005000f, 0, 1, 0x6e69616d, 0,
                                             0x00020013, 2,          0x00030021, 3,         2, 0x00050036, 2, 1, 0,          3,
                                             0x000200f8, 4,          0x000100fd, 0x00010038};
  folder_.write("code.spv", std::string(reinterpret_cast<const char*>(vertex.data()), 4 * vertex.size()));
  EXPECT_THAT(said_of_vulkan("saxpy.comp", "code.spv"), HasSubstr("code.spv: it has no entry point of a compute shader"));
  folder_.write("code.cubin", "no cubin");
  EXPECT_THAT(said_of_cuda("saxpy.cu", "code.cubin"),
              HasSubstr("code.cubin: no cubin: it does not begin as a 64-bit ELF file"));
  folder_.write("code.ptx", "no PTX");
  EXPECT_THAT(said_of_cuda("saxpy.cu", "code.ptx"), HasSubstr("code.ptx: the PTX has no .entry"));
}

TEST_F(Check, ACompilersMistakeIsOneLineAndItsLogIsKept) {
  folder_.write("saxpy.comp", with(kSaxpyComp, "uint n;", "uint n"));
  const CheckReport report = said(std::string(kVulkanSide));
  EXPECT_EQ(report.exit_code, kFailed);
  EXPECT_EQ(std::count(report.text.begin(), report.text.end(), '\n'), 1) << report.text;
  EXPECT_THAT(report.text, HasSubstr("says: ERROR: "));
  EXPECT_THAT(report.text, HasSubstr("saxpy.comp:6: "));
  const std::size_t at = report.text.find("; all of it: ");
  ASSERT_NE(at, std::string::npos);
  const std::string log = report.text.substr(at + 13, report.text.size() - at - 14);
  EXPECT_GT(std::filesystem::file_size(log), 50) << log;
}

TEST_F(Check, ACompilerThatCrashesOrHangsIsOneLine) {
  script("crashes", "echo 'begins well'; kill -SEGV $$\n");
  script("hangs", "sleep 100\n");
  script("fails", "exit 9\n");
  target_.glslang = folder_.path() / "crashes";
  EXPECT_THAT(
      said(std::string(kVulkanSide)).text,
      HasSubstr(
          "saxpy.comp: glslang 99.1.2 was ended by signal 11 (Segmentation fault), after saying: begins well; all of it: "));
  target_.nvcc = folder_.path() / "hangs";
  target_.limit_s = 0.3;
  EXPECT_THAT(said(std::string(kCudaSide)).text, HasSubstr("saxpy.cu: nvcc 99.1.2 did not end within 0.3 s and was killed\n"));
  target_.nvcc = folder_.path() / "fails";
  EXPECT_THAT(said(std::string(kCudaSide)).text, HasSubstr("saxpy.cu: nvcc 99.1.2 ended with exit code 9\n"));
  target_.nvcc = folder_.path() / "gone";
  EXPECT_EQ(said(std::string(kCudaSide)).exit_code, kFailed);
}

TEST_F(CheckCuda, ARightKernelAgrees) {
  const CheckReport report = said(std::string(kCudaSide) + std::string(kVulkanSide));
  EXPECT_EQ(report.exit_code, kOk) << report.text;
  EXPECT_THAT(report.text, HasSubstr("CUDA: saxpy.cu, saxpy (nvcc "));
  EXPECT_THAT(report.text, HasSubstr("): agrees: 4 parameters, 24 bytes\n"));
}

TEST_F(CheckCuda, ParametersAreSideBySide) {
  EXPECT_THAT(said_of_cuda("\"count\", \"a\", \"x\"", "\"count\", \"x\", \"a\""),
              HasSubstr("saxpy takes 4 parameters of 24 bytes; the arguments given are others\n"
                        "    given                        taken\n"
                        "    0: count u32, 4 bytes at 0   0: 4 bytes at 0 (integer)\n"
                        "  ! 1: x address, 8 bytes at 8   1: 4 bytes at 4 (float)\n"
                        "  ! 2: a f32, 4 bytes at 16      2: 8 bytes at 8 (integer)\n"
                        "  ! 3: y address, 8 bytes at 24  3: 8 bytes at 16 (integer)\n"));
}

TEST_F(CheckCuda, AFloatInANumbersPlaceIsFound) {
  EXPECT_THAT(said_of_cuda("\"count\", \"a\"", "\"a\", \"count\""),
              HasSubstr("! 0: a f32, 4 bytes at 0       0: 4 bytes at 0 (integer)"));
  EXPECT_THAT(said_of_cuda("\"y\"]", "\"y\", \"y\"]"), HasSubstr("! 4: y address, 8 bytes at 24  -\n"));
}

TEST_F(CheckCuda, SwappedPointersAreSeenByTheSource) {
  const std::string swapped = said_of_cuda("\"x\", \"y\"", "\"y\", \"x\"");
  EXPECT_THAT(swapped,
              HasSubstr("agrees: 4 parameters, 24 bytes; swapped? parameter 2 is x in the code and y here, parameter 3 is "
                        "y in the code and x here\n"));
  // A pointer to const is no output.
  folder_.write("saxpy.cu", with(kSaxpyCu, " + y[i];", ";"));
  const std::string head = with(kHead, "role = \"inout\"", "role = \"out\"");
  const auto checked = [&](const std::string& side) {
    return check(read_description(std::string_view(head + side), folder_.path() / "saxpy.toml"), target_);
  };
  EXPECT_EQ(checked(std::string(kCudaSide)).exit_code, kOk);
  const CheckReport report = checked(with(kCudaSide, "\"x\", \"y\"", "\"y\", \"x\""));
  EXPECT_EQ(report.exit_code, kFailed);
  EXPECT_THAT(report.text,
              HasSubstr("2: y address, 8 bytes at 8, role out  2: 8 bytes at 8 (integer), a pointer to const: x\n"));
  // A macro's kernel is as the preprocessor has it.
  folder_.write("saxpy.cu",
                "#define KERNEL(name) __global__ void name(unsigned n, float a, const float* x, float* const y)\n"
                "KERNEL(saxpy) { if (threadIdx.x < n) y[threadIdx.x] = a * x[threadIdx.x]; }\n");
  EXPECT_THAT(checked(std::string(kCudaSide)).text, HasSubstr("agrees: 4 parameters, 24 bytes\n"));
  EXPECT_THAT(checked(with(kCudaSide, "\"x\", \"y\"", "\"y\", \"x\"")).text, HasSubstr(", a pointer to const: x\n"));
}

TEST_F(CheckCuda, OtherElementsThanTheParameterPointsToAreAskedAbout) {
  folder_.write("saxpy.cu", with(kSaxpyCu, "const float* x", "const short* x"));
  EXPECT_THAT(said(std::string(kCudaSide)).text,
              HasSubstr("another type? parameter 2 points to i16 in the code, and x is f32\n"));
  folder_.write("saxpy.cu",
                "extern \"C\" __global__ void saxpy(unsigned n, float a, const uint4* x, float* y) { y[n] = x[n].x; }\n");
  EXPECT_THAT(said(std::string(kCudaSide)).text, Not(HasSubstr("another type?"))) << "vectors of bits are common";
}

// What the compiler made, as code of its own: PTX and a cubin are read as they are.
TEST_F(CheckCuda, CodeThatCameMade) {
  Step step;
  step.file = folder_.path() / "saxpy.cu";
  const Compiled compiled = compile(step, target_);
  EXPECT_EQ(compiled.kind, Compiled::Kind::kCubin);
  EXPECT_EQ(compiled.entry, "saxpy");
  folder_.write("made.cubin", std::string(reinterpret_cast<const char*>(compiled.bytes.data()), compiled.bytes.size()));
  EXPECT_THAT(said_of_cuda("saxpy.cu", "made.cubin"),
              HasSubstr("CUDA: made.cubin, saxpy: agrees: 4 parameters, 24 bytes; the parameters' names are not known"));
  // Cut anywhere: an error, and never more than that.
  for (std::size_t end = 0; end < compiled.bytes.size(); end += 7) {
    EXPECT_THROW(cubin_kernels(std::span(compiled.bytes).first(end)), Error) << end;
  }
  std::minstd_rand random(1);
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::byte> bytes = compiled.bytes;
    for (int changes = 0; changes < 4; ++changes) bytes[random() % bytes.size()] = static_cast<std::byte>(random() % 256);
    try {
      cubin_kernels(bytes);
    } catch (const Error&) {
    }
  }
}

TEST(Ptx, ParametersAndWhatIsRefused) {
  const std::vector<CudaKernel> kernels = ptx_kernels(R"(
.version 9.0
.target sm_90
.address_size 64
.const .align 4 .b8 coef[16];  // .entry wrong(
.const .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.global .align 4 .u32 counter;
.func (.param .b32 r) helper(.param .b64 p) { ld.global.u32 %r1, [counter]; ret; }
.func lonely { ret; }
.visible .entry plain(
	.param .align 8 .b8 plain_param_0[24],
	.param .f32 plain_param_1, .param .u64 .ptr .global .align 16 plain_param_2,
	.param .u8 plain_param_3
) .reqntid 64, 2, 1 .maxntid 128, 2 .minnctapersm 2 { { mov.u64 %rd1, table; } ret; }
.visible .entry uses_constant(.param .u64 p) { ld.const.f32 %f1, [coef+4]; }
.visible .entry uses_helper(.param .u64 p) { call.uni (retval0), helper, (param0); }
.visible .entry uses_texture(.param .u64 p) { tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}]; }
.visible .entry uses_grid() { mov.u32 %r1, %envreg2; }
)");
  ASSERT_EQ(kernels.size(), 5);
  std::vector<std::string> texts;
  for (const CudaParameter& one : kernels[0].parameters)
    texts.push_back(fmt::format("{} {} {} {}", one.index, one.offset, one.bytes, static_cast<int>(one.holds)));
  EXPECT_THAT(texts, ElementsAre("0 0 24 3", "1 24 4 2", "2 32 8 1", "3 40 1 1"));
  EXPECT_THAT(kernels[0].required_block, ElementsAre(64, 2, 1));
  EXPECT_EQ(kernels[0].most_threads, 256U);
  EXPECT_EQ(kernels[1].most_threads, 0U);
  EXPECT_THAT(kernels[0].refused, testing::IsEmpty()) << "a table that its own initializer fills";
  EXPECT_THAT(kernels[1].refused, ElementsAre("the __constant__ variable coef, which nothing here sets"));
  EXPECT_THAT(kernels[2].refused, ElementsAre("the device global counter, which nothing here sets"));
  EXPECT_THAT(kernels[3].refused, ElementsAre("a texture or surface (instruction tex.1d.v4.f32.s32)"));
  EXPECT_THAT(kernels[4].refused, ElementsAre("a barrier of the whole grid (cooperative launch)"));
  EXPECT_THAT(message_of<Error>([] { ptx_kernels("\x7f ELF"); }), HasSubstr("the PTX has no .entry"));
}

TEST(Ptx, NoTextIsTooOdd) {
  constexpr std::string_view kText =
      ".const .b8 a[4]; .global .texref t; .func (.param .b32 r) f(.param .b64 p) { ret; } .visible .entry k( .param .align 8 "
      ".b8 p[24], .param "
      ".u64 .ptr .global .align 4 q ) .reqntid 64, 2, 1 { call f, (a); ret; }";
  std::minstd_rand random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text(kText);
    for (auto changes = random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      random() % 2 == 0 ? text.erase(at, random() % 20) : text.insert(at, std::string(1, "([{.,;\"/*%"[random() % 10]));
      if (text.empty()) text = ".";
    }
    try {
      ptx_kernels(text);
    } catch (const Error&) {
    }
  }
}

TEST_F(CheckCuda, TemplatesAndTwoKernelsInAFile) {
  folder_.write(
      "saxpy.cu",
      "#include <cuda_fp16.h>\n"
      "template <typename T, unsigned N> __global__ void saxpy(unsigned n, float a, const T* x, T* y) { y[threadIdx.x] = "
      "x[threadIdx.x] * T(a) * T(N); }\n"
      "__global__ void other(int n) {}\ntemplate __global__ void saxpy<float, 8>(unsigned, float, const float*, float*);\n");
  EXPECT_THAT(said_of_cuda("block = 256", "instance = \"saxpy<__half, 4u>\"\nblock = 256"),
              HasSubstr("saxpy.cu, void saxpy<__half, 4u>(unsigned int, float, __half const*, __half*) (nvcc "));
  EXPECT_THAT(said_of_cuda("block = 256", "instance = \"saxpy<float, 8>\"\nblock = 256"), HasSubstr("agrees: 4 parameters"));
  EXPECT_THAT(said(std::string(kCudaSide)).text, HasSubstr("it has several kernels, and no entry names one; there: "));
  EXPECT_THAT(said_of_cuda("block = 256", "entry = \"other\"\nblock = 256"),
              HasSubstr("other(int) takes 1 parameters of 4 bytes"));
  EXPECT_THAT(said_of_cuda("block = 256", "entry = \"othe\"\nblock = 256"), HasSubstr("no kernel is called othe; there: "));
  EXPECT_THAT(said_of_cuda("block = 256", "instance = \"gone<4>\"\nblock = 256"), HasSubstr("says: "));
}

TEST_F(CheckCuda, WhatIsRefusedIsOneLine) {
  folder_.write("saxpy.cu",
                "__constant__ float coef[4];\nextern \"C\" __global__ void saxpy(unsigned n, float a, const float* x, float* "
                "y) { y[n] = coef[n & 3] * a * x[n]; }\n");
  const std::string constants = said(std::string(kCudaSide)).text;
  EXPECT_THAT(constants, HasSubstr("saxpy uses the __constant__ variable coef, which nothing here sets: own kernels cannot\n"));
  folder_.write("saxpy.cu",
                "__constant__ float coef[4] = {1, 2, 3, 4};\nextern \"C\" __global__ void saxpy(unsigned n, float a, const "
                "float* x, float* y) { y[n] = coef[n & 3] * a * x[n]; }\n");
  EXPECT_THAT(said(std::string(kCudaSide)).text, HasSubstr("agrees"));
  folder_.write(
      "saxpy.cu",
      "#include <cooperative_groups.h>\nextern \"C\" __global__ void saxpy(unsigned n, float a, const float* x, float* y) { "
      "cooperative_groups::this_grid().sync(); y[n] = a * x[n]; }\n");
  EXPECT_THAT(said(std::string(kCudaSide)).text,
              HasSubstr("saxpy uses a barrier of the whole grid (cooperative launch): own kernels cannot\n"));
}

TEST_F(CheckCuda, ABlockBeyondTheKernelsBounds) {
  folder_.write("saxpy.cu",
                "extern \"C\" __global__ void __launch_bounds__(128) saxpy(unsigned n, float a, const float* x, float* y) "
                "{ y[n] = a * x[n]; }\n");
  EXPECT_THAT(said(std::string(kCudaSide)).text,
              HasSubstr("saxpy allows blocks of at most 128 threads (__launch_bounds__); the block has 256\n"));
  folder_.write("saxpy.cu",
                "extern \"C\" __global__ void __launch_bounds__(256) saxpy(unsigned n, float a, const float* x, float* y) "
                "{ y[n] = a * x[n]; }\n");
  EXPECT_THAT(said(std::string(kCudaSide)).text, HasSubstr("agrees"));
}

TEST_F(CheckCuda, ACompilerThatMakesNothing) {
  std::string side(kCudaSide);
  side.replace(side.find("block ="), 0, "flags = [\"--help\"]\n");
  EXPECT_THAT(said(side).text, HasSubstr("ended well and made no cubin: flags = [\"--help\"]?"));
}

TEST_F(CheckCuda, ABlockThatTheKernelRequires) {
  folder_.write("saxpy.cu",
                "extern \"C\" __global__ void __block_size__((128, 1, 1)) saxpy(unsigned n, float a, const float* x, float* y) "
                "{ y[n] = a * x[n]; }\n");
  EXPECT_THAT(said(std::string(kCudaSide)).text,
              testing::AnyOf(HasSubstr("saxpy requires blocks of 128 x 1 x 1; block.x is 256"), HasSubstr("says: ")));
}

TEST_F(CheckCuda, NvrtcCompilesWhereThereIsNoNvcc) {
  target_.nvcc = "none";
  const CheckReport report = said(std::string(kCudaSide));
  if (report.exit_code == kAllSkipped) GTEST_SKIP() << report.text;
  EXPECT_THAT(report.text, HasSubstr("CUDA: saxpy.cu, saxpy (NVRTC "));
  EXPECT_THAT(report.text, HasSubstr("agrees: 4 parameters, 24 bytes"));
  folder_.write("saxpy.cu",
                "#include <cuda_fp16.h>\ntemplate <typename T> __global__ void saxpy(unsigned n, float a, const T* x, T* y) { "
                "y[n] = x[n] * T(a); }\n");
  EXPECT_THAT(said_of_cuda("block = 256", "instance = \"saxpy<__half>\"\nblock = 256"), HasSubstr("agrees"));
  folder_.write("saxpy.cu", "no C++\n");
  EXPECT_THAT(said(std::string(kCudaSide)).text, HasSubstr("saxpy.cu(1): error"));
}

}  // namespace
}  // namespace bench::own
