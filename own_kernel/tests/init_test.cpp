#include "compile/init.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/check.h"
#include "compile/tools.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "description/read.h"
#include "temp_dir.h"

namespace bench::own {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<std::vector<fs::path>> pairs() {
  const fs::path folder = BENCH_OWN_EXAMPLES;
  return {{folder / "saxpy/saxpy.cu", folder / "saxpy/saxpy.comp"},
          {folder / "transpose/transpose.comp"},
          {folder / "reduction/reduction.cu", folder / "reduction/reduction.cu"},
          {folder / "reduction/reduction.comp"},
          {folder / "two_cuda_versions/scale.cu", folder / "two_cuda_versions/scale.cu"},
          {folder / "spv_entry/copies.spv", folder / "spv_entry/copies.spv"},
          {folder / "spv_entry/negate.comp", folder / "spv_entry/copies.spv"},
          {folder / "addresses/scan.cu"},
          {folder / "addresses/scan.comp"},
          {folder / "addresses/scan.cu", folder / "addresses/scan.comp"},
          {folder / "softmax/softmax.cu"}};
}

bool needs_nvcc(const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [](const fs::path& file) { return file.extension() == ".cu"; });
}

class Init : public testing::TestWithParam<std::vector<fs::path>> {};

// The guesses may be wrong; what is taken is not.
TEST_P(Init, GivesWhatTheKernelsTake) {
  if (needs_nvcc(GetParam()) && !find_nvcc({})) GTEST_SKIP() << "no nvcc on this machine";
  const TempDir folder;
  const std::string text = first_description(GetParam(), {}, folder.path());
  const CheckReport report = check(read_description(std::string_view(text), folder.path() / "first.toml"), {});
  EXPECT_EQ(report.exit_code, kOk) << text << report.text;
  EXPECT_THAT(text, HasSubstr("# guess"));
}

std::string name_of_pair(const testing::TestParamInfo<std::vector<fs::path>>& info) {
  std::string name = std::to_string(info.index);
  for (const fs::path& file : info.param) name += "_" + file.stem().string() + "_" + file.extension().string().substr(1);
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Init, testing::ValuesIn(pairs()), name_of_pair);

constexpr std::string_view kFirstSaxpy =
    R"toml(# Written from the kernels by --init. What says "guess" the code does not tell: make it right, then see --check.
name = "saxpy"
# useful_bytes = "12 * n"  # bytes that a launch has to move: GB/s are computed of it

[sizes]
n = [65536, "1 << 22"]  # guess: elements of each buffer

[[scalar]]
name = "n"
type = "u32"
value = "n"  # guess

[[scalar]]
name = "a"
type = "f32"
value = 1.5  # guess

[[buffer]]
name = "x"
type = "f32"
elements = "n"  # guess
role = "in"

[[buffer]]
name = "y"
type = "f32"
elements = "n"  # guess
role = "inout"  # guess: in, out, inout, or scratch, which is not compared

[[side]]
file = "saxpy.cu"
entry = "saxpy"
arguments = ["n", "a", "x", "y"]
block = 256  # guess
grid = "ceil(n / 256)"  # guess: a thread per element

[[side]]
file = "saxpy.comp"
arguments = [
  { name = "x", set = 0, binding = 0 },
  { name = "y", set = 0, binding = 1 },
  { name = "n", push = 0 },
  { name = "a", push = 4 },
]
constants = { 0 = 256 }  # guess; 0 is the local size
block = [256, 1, 1]
grid = "ceil(n / 256)"  # guess: an invocation per element
)toml";

TEST(InitText, NamesPairUpAndGuessesAreMarked) {
  if (!find_nvcc({})) GTEST_SKIP() << "no nvcc on this machine";
  const fs::path folder = fs::path(BENCH_OWN_EXAMPLES) / "saxpy";
  EXPECT_EQ(first_description({folder / "saxpy.cu", folder / "saxpy.comp"}, {}, folder), kFirstSaxpy);
}

TEST(InitText, AKernelMayBeCalledAsATypeIsMangled) {
  if (!find_nvcc({})) GTEST_SKIP() << "no nvcc on this machine";
  const TempDir folder;
  folder.write("f.cu", "extern \"C\" __global__ void __launch_bounds__(64) f(float* y) { y[0] = 1; }\n");
  const std::string text = first_description({folder.path() / "f.cu"}, {}, folder.path());
  EXPECT_THAT(text, HasSubstr("entry = \"f\"\n"));
  EXPECT_THAT(text, HasSubstr("block = 64  # guess\ngrid = \"ceil(n / 64)\""));
  const CheckReport report = check(read_description(std::string_view(text), folder.path() / "first.toml"), {});
  EXPECT_EQ(report.exit_code, kOk) << text << report.text;
  EXPECT_THAT(report.text, HasSubstr("f.cu, f ("));
}

TEST(InitText, ATemplateWithoutAnInstanceAsksForItsArguments) {
  if (!find_nvcc({})) GTEST_SKIP() << "no nvcc on this machine";
  const TempDir folder;
  folder.write("scale.cu",
               "template <typename T>\n__global__ void scale(T* __restrict__ out, const T* in /* read, */, T factor, int n) { "
               "out[n] = in[n] * factor; }\n");
  const std::string text = first_description({folder.path() / "scale.cu"}, {}, folder.path());
  EXPECT_THAT(text, HasSubstr("instance = \"scale<float>\"  # guess: the template's arguments\narguments = [\"out\", \"in\", "
                              "\"factor\", \"n\"]\n"));
  const CheckReport report = check(read_description(std::string_view(text), folder.path() / "first.toml"), {});
  EXPECT_EQ(report.exit_code, kOk) << text << report.text;
}

TEST(InitText, ATemplateInANamespaceHasItsPath) {
  if (!find_nvcc({})) GTEST_SKIP() << "no nvcc on this machine";
  const TempDir folder;
  folder.write(
      "scan.cu",
      "namespace outer { namespace { int x; }\nnamespace inner {\ntemplate <unsigned kWarps, bool kFast, class T>\n"
      "__global__ void scan(T* to, volatile unsigned* parts, const unsigned n) { to[n] = T(parts[0] * kWarps); }\n}}\n");
  const std::string text = first_description({folder.path() / "scan.cu"}, {}, folder.path());
  EXPECT_THAT(text, HasSubstr("instance = \"outer::inner::scan<4, true, float>\"  # guess: the template's arguments\n"));
  const CheckReport report = check(read_description(std::string_view(text), folder.path() / "first.toml"), {});
  EXPECT_EQ(report.exit_code, kOk) << text << report.text;
}

TEST(InitText, ATemplateOfAHeaderIsFoundAndAnInstanceIsCalledSo) {
  if (!find_nvcc({})) GTEST_SKIP() << "no nvcc on this machine";
  const TempDir folder;
  folder.write("scan.cuh",
               "namespace app {\ntemplate <unsigned kWarps> __global__ void scan(unsigned* to) { to[0] = kWarps; }\n"
               "template <class T> __global__ void other(T* to) { to[0] = 1; }\n}\n");
  folder.write("scan.cu", "#include \"scan.cuh\"\n");
  const auto text = [&] { return first_description({folder.path() / "scan.cu"}, {}, folder.path()); };
  EXPECT_THAT(text(), HasSubstr("instance = \"app::scan<4>\"  # guess: the template's arguments; there are: app::other\n"));
  folder.write("scan.cu",
               "#include \"scan.cuh\"\ntemplate __global__ void app::scan<8>(unsigned*);\n"
               "template __global__ void app::other<float>(float*);\n");
  EXPECT_THAT(text(), HasSubstr("instance = \"app::scan<8u>\"  # guess; there are: app::other<float>\n"));
  const CheckReport report = check(read_description(std::string_view(text()), folder.path() / "first.toml"), {});
  EXPECT_EQ(report.exit_code, kOk) << report.text;
  EXPECT_THAT(message_of<UsageError>([&] { first_description({folder.path() / "scan.cuh"}, {}, folder.path()); }),
              HasSubstr("scan.cuh: a header; a .cu file that includes it is allowed"));
}

TEST(InitText, OfManyKernelsTheOneThatIsNamedIsTaken) {
  const fs::path file = fs::path(BENCH_OWN_EXAMPLES) / "spv_entry/copies.spv";
  const fs::path folder = fs::path(BENCH_OWN_EXAMPLES) / "spv_entry";
  EXPECT_THAT(first_description({file}, {}, folder), HasSubstr("entry = \"copy\"  # guess; there are: negate\n"));
  EXPECT_THAT(first_description({file}, {}, folder, {.kernel = "neg"}),
              HasSubstr("entry = \"negate\"  # guess; there are: copy\n"));
  EXPECT_THAT(first_description({folder / "negate.comp", file}, {}, folder), HasSubstr("entry = \"negate\"  # guess"))
      << "as the other file is called";
  EXPECT_THAT(message_of<UsageError>([&] { first_description({file}, {}, folder, {.kernel = "other"}); }),
              HasSubstr("--kernel other: no such kernel; there: copy, negate"));
}

TEST(InitText, AUniformBlockIsAStructAndAnArrayOfStructsHasItsSize) {
  const TempDir folder;
  folder.write("move.comp", R"glsl(#version 460
layout(local_size_x = 64) in;
struct Particle { vec2 at; vec2 speed; };
layout(std430, binding = 0) buffer Particles { Particle particles[]; };
layout(std140, binding = 1) uniform Ubo { mat4 turn; float dt; int particle_count; } ubo;
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < ubo.particle_count) particles[i].at += (ubo.turn * vec4(particles[i].speed, 0, 0)).xy * ubo.dt * FACTOR;
}
)glsl");
  const SourceOptions options = {.defines = {{"FACTOR", "2.0"}}, .include = {folder.path()}, .flags = {"-g"}};
  const std::string text = first_description({folder.path() / "move.comp"}, {}, folder.path(), options);
  EXPECT_THAT(text, HasSubstr("elements = \"4 * n\"  # guess: 16 bytes each\n"));
  EXPECT_THAT(text, HasSubstr("  { name = \"turn\", offset = 0, type = \"f32\", count = 16, value = 1.5 },  # guess\n"
                              "  { name = \"dt\", offset = 64, type = \"f32\", value = 1.5 },  # guess\n"
                              "  { name = \"particle_count\", offset = 68, type = \"i32\", value = \"n\" },  # guess\n"));
  EXPECT_THAT(text, HasSubstr("file = \"move.comp\"\ndefines = { FACTOR = \"2.0\" }\ninclude = [\".\"]\nflags = [\"-g\"]\n"));
  const CheckReport report = check(read_description(std::string_view(text), folder.path() / "first.toml"), {});
  EXPECT_EQ(report.exit_code, kOk) << text << report.text;
  EXPECT_THAT(report.text, HasSubstr("     0  turn_0 to turn_15 f32\n    64  dt f32\n"));
}

TEST(InitText, WhatIsPairedByItsOrderIsAGuess) {
  const TempDir folder;
  const auto shader = [](const char* from, const char* to) {
    return fmt::format(
        "#version 460\nlayout(local_size_x = 64) in;\nlayout(binding = 0) readonly buffer A {{ uint {0}[]; }};\n"
        "layout(binding = 1) buffer B {{ uint {1}[]; }};\n"
        "layout(push_constant) uniform P {{ uint n; }};\nvoid main() {{ if (gl_GlobalInvocationID.x < n) "
        "{1}[gl_GlobalInvocationID.x] = {0}[gl_GlobalInvocationID.x]; }}\n",
        from, to);
  };
  folder.write("one.comp", shader("bump", "data"));
  folder.write("two.comp", shader("source", "Data"));
  const std::string text = first_description({folder.path() / "one.comp", folder.path() / "two.comp"}, {}, folder.path());
  EXPECT_THAT(text, HasSubstr("name = \"bump\"  # guess: two.comp calls it source\n"));
  EXPECT_THAT(text, HasSubstr("name = \"data\"\n"));
  EXPECT_THAT(text, HasSubstr("name = \"n\"\n"));
}

TEST(InitText, WhatOwnKernelsCannotUseIsRefusedAtOnce) {
  const TempDir folder;
  folder.write("blur.comp",
               "#version 460\nlayout(binding = 2, rgba8) uniform image2D picture;\nvoid main() { imageStore(picture, ivec2(0), "
               "vec4(1)); }\n");
  EXPECT_THAT(message_of<Error>([&] { first_description({folder.path() / "blur.comp"}, {}, folder.path()); }),
              HasSubstr("blur.comp: main uses the storage image picture (set 0, binding 2): own kernels take buffers alone"));
  folder.write("two.comp",
               "#version 460\nlayout(binding = 2) buffer X { float x[]; } both[2];\nvoid main() { both[1].x[0] = 1; }\n");
  EXPECT_THAT(message_of<Error>([&] { first_description({folder.path() / "two.comp"}, {}, folder.path()); }),
              HasSubstr("two.comp: main uses an array of buffers at set 0, binding 2: own kernels take single ones"));
}

TEST(InitText, OtherFilesAreRefusedInOneLine) {
  const TempDir folder;
  folder.write("a.hip", "");
  EXPECT_THAT(message_of<UsageError>([&] { first_description({}, {}, folder.path()); }),
              HasSubstr("--init with 0 files; one or two are allowed"));
  EXPECT_THAT(message_of<UsageError>([&] { first_description({folder.path() / "a.hip"}, {}, folder.path()); }),
              HasSubstr("a.hip: the ending tells"));
  EXPECT_THAT(message_of<UsageError>([&] { first_description({folder.path() / "gone.cu"}, {}, folder.path()); }),
              HasSubstr("no such file"));
  folder.write("a\nb.comp", "");
  EXPECT_THAT(message_of<UsageError>([&] { first_description({folder.path() / "a\nb.comp"}, {}, folder.path()); }),
              HasSubstr("a control character in a file's name"));
}

}  // namespace
}  // namespace bench::own
