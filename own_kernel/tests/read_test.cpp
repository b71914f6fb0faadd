#include "description/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/base/error.h"
#include "description/expression.h"
#include "temp_dir.h"

namespace bench::own {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Every kind of key once.
constexpr std::string_view kRight = R"toml(name = "saxpy"
useful_bytes = "12 * n"
operations = "2 * n"
cache = ["warm", "cold"]
tolerance = { relative = 1e-6 }
restore = "each"

[sizes]
n = [65536, "1 << 24"]
m = 3

[[buffer]]
name = "x"
type = "f32"
elements = "n"
content = "random"
seed = 7
role = "in"

[[buffer]]
name = "y"
type = "f32"
elements = "n"
file = "y.npy"
role = "inout"
expected = "y.npy"

[[scalar]]
name = "a"
type = "f32"
value = 2.5

[[scalar]]
name = "n32"
type = "u32"
value = "n"

[[struct]]
name = "params"
members = [{ name = "n", type = "u32", value = "n" }, { name = "x", address = "x" }, { name = "h", type = "u8", value = 1 }, { name = "v", type = "f32", value = [1, "n"] }, { name = "z", type = "i32", count = 3, value = -1 }]

[[side]]
file = "saxpy.cu"
entry = "saxpy"
arguments = ["n32", "a", "x", "y"]
block = [256]
grid = ["ceil(n / 256)", 2]
shared_bytes = "4 * m"
flags = ["-O3"]
include = ["."]
defines = { TILE = 16, FAST = true, T = "float" }

[[side]]
file = "saxpy.comp"
arguments = [
  { name = "x", set = 0, binding = 0 },
  { name = "y", set = 1, binding = 1 },
  { name = "n32", push = 0 }, { name = "a", push = 4 },
  { name = "params", push = 8 },
]
constants = { 0 = 256, 3 = { type = "f32", value = 1.5 }, 1 = -1, 2 = true }
subgroup_size = 32
grid = "ceil(n / 256)"
)toml";

// A folder with the files that kRight names.
class Read : public testing::Test {
 protected:
  Read() {
    for (const char* name : {"saxpy.cu", "saxpy.comp", "y.npy", "one.spv", "two.ptx"}) folder_.write(name, "");
  }
  Description read(const std::string& text) const {
    return read_description(std::string_view(text), folder_.path() / "saxpy.toml");
  }
  // kRight with its first `from` replaced.
  static std::string with(const std::string& from, const std::string& to) {
    std::string text(kRight);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }
  // What is said about it, from the line on.
  std::string complaint(const std::string& text) const {
    try {
      read(text);
    } catch (const UsageError& error) {
      const std::string prefix = (folder_.path() / "saxpy.toml").string() + ":";
      std::string message = error.what();
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_TRUE(message.starts_with(prefix)) << message;
      return message.substr(prefix.size());
    }
    return "(nothing)";
  }

  TempDir folder_;
};

TEST_F(Read, AllOfARightFileIsThere) {
  const Description found = read(std::string(kRight));
  EXPECT_EQ(found.name, "saxpy");
  EXPECT_EQ(found.file, folder_.path() / "saxpy.toml");
  EXPECT_EQ(found.useful_bytes.text, "12 * n");
  EXPECT_EQ(found.useful_bytes.line, 2);
  EXPECT_THAT(found.caches, ElementsAre(Cache::kWarm, Cache::kCold));
  ASSERT_TRUE(found.tolerance);
  EXPECT_EQ(found.tolerance->kind, Tolerance::Kind::kRelative);
  EXPECT_EQ(found.tolerance->value, 1e-6);
  EXPECT_TRUE(found.restores_each);
  EXPECT_THAT(found.sizes, ElementsAre(Sizes{{"n", 65536}, {"m", 3}}, Sizes{{"n", 16777216}, {"m", 3}}));

  ASSERT_EQ(found.buffers.size(), 2);
  EXPECT_EQ(found.buffers[0].seed, 7);
  EXPECT_EQ(found.buffers[0].role, Role::kIn);
  EXPECT_EQ(found.buffers[1].content, Content::kFile);
  EXPECT_EQ(found.buffers[1].file, folder_.path() / "y.npy");
  EXPECT_EQ(found.buffers[1].expected, folder_.path() / "y.npy");
  ASSERT_EQ(found.scalars.size(), 2);
  EXPECT_EQ(found.scalars[0].value.text, "2.5");
  ASSERT_EQ(found.structs.size(), 1);
  const Struct& params = found.structs[0];
  EXPECT_EQ(params.members[0].offset, 0);
  EXPECT_EQ(params.members[1].offset, 8) << "an address is aligned to its 8 bytes";
  EXPECT_EQ(params.members[1].buffer, 0U);
  EXPECT_EQ(params.members[2].offset, 16);
  EXPECT_EQ(params.members[3].name, "v_0");
  EXPECT_EQ(params.members[4].offset, 24);
  EXPECT_EQ(params.members[4].value.text, "n");
  EXPECT_EQ(params.members[7].name, "z_2");
  EXPECT_EQ(params.members[7].offset, 36);
  EXPECT_EQ(params.bytes, 40) << "padded behind the last member, as in C";
  EXPECT_EQ(params.alignment, 8);

  ASSERT_EQ(found.sides.size(), 2);
  EXPECT_EQ(found.sides[0].name, "CUDA");
  const Step& cuda = found.sides[0].steps.at(0);
  EXPECT_EQ(cuda.file, folder_.path() / "saxpy.cu");
  EXPECT_EQ(cuda.entry, "saxpy");
  EXPECT_EQ(cuda.arguments.at(1).kind, Argument::Kind::kScalar);
  EXPECT_EQ(cuda.arguments.at(3).index, 1);
  EXPECT_EQ(count_of(cuda.grid[0], found.sizes[1], 1), 65536);
  EXPECT_EQ(cuda.grid[1].text, "2");
  EXPECT_EQ(cuda.grid[2].text, "1");
  EXPECT_EQ(count_of(cuda.shared_bytes, found.sizes[0]), 12);
  EXPECT_THAT(cuda.defines, ElementsAre(std::pair("FAST", "1"), std::pair("T", "float"), std::pair("TILE", "16")));
  EXPECT_THAT(cuda.include, ElementsAre(folder_.path() / ""));

  EXPECT_EQ(found.sides[1].name, "Vulkan");
  EXPECT_EQ(found.sides[1].api, SideApi::kVulkan);
  const Step& vulkan = found.sides[1].steps.at(0);
  EXPECT_EQ(vulkan.arguments.at(1).as, As::kStorage);
  EXPECT_EQ(vulkan.arguments.at(1).set, 1);
  EXPECT_EQ(vulkan.arguments.at(3).as, As::kPush);
  EXPECT_EQ(vulkan.arguments.at(3).push, 4);
  EXPECT_EQ(vulkan.arguments.at(4).as, As::kPush);
  std::string text = with("{ name = \"x\", address = \"x\" }", "{ name = \"x\", type = \"u64\", value = 1 }");
  text.replace(text.find("push = 8"), std::string_view("push = 8").size(), "set = 1, binding = 2");
  EXPECT_EQ(read(text).sides.at(1).steps.at(0).arguments.at(4).as, As::kUniform) << "a struct's default";
  EXPECT_EQ(vulkan.block[0].text, "") << "the module's own";
  EXPECT_EQ(vulkan.subgroup_size, 32);
  ASSERT_EQ(vulkan.constants.size(), 4);
  EXPECT_EQ(vulkan.constants[1].type, Type::kI32);
  EXPECT_EQ(vulkan.constants[2].type, Type::kBool);
  EXPECT_EQ(vulkan.constants[3].type, Type::kF32);
}

TEST_F(Read, APipelineAndTwoSidesOfOneApi) {
  constexpr std::string_view kPipeline = R"(
[[buffer]]
name = "x"
type = "f16"
elements = 8
role = "out"
[[buffer]]
name = "sums"
type = "f32"
elements = 8
role = "scratch"
[[side]]
name = "two launches"
[[side.step]]
file = "saxpy.cu"
instance = "first<float, 4>"
arguments = ["sums"]
block = 32
grid = 1
[[side.step]]
file = "two.ptx"
entry = "second"
arguments = ["sums", "x"]
block = [8, 8, 8]
grid = [1, 1, 1]
barrier = false
[[side]]
file = "saxpy.cu"
arguments = ["x"]
block = 32
grid = 1
)";
  const Description found = read(std::string(kPipeline));
  EXPECT_EQ(found.name, "saxpy") << "the file's, where it names none";
  EXPECT_THAT(found.sizes, ElementsAre(Sizes{}));
  EXPECT_EQ(found.buffers[0].content, Content::kZeros);
  EXPECT_EQ(found.buffers[1].role, Role::kScratch);
  EXPECT_EQ(found.sides[0].name, "two launches");
  EXPECT_EQ(found.sides[1].name, "saxpy.cu");
  ASSERT_EQ(found.sides[0].steps.size(), 2);
  EXPECT_EQ(found.sides[0].steps[0].instance, "first<float, 4>");
  EXPECT_TRUE(found.sides[0].steps[0].barrier);
  EXPECT_FALSE(found.sides[0].steps[1].barrier);
}

struct Mistake {
  const char* from;
  const char* to;
  const char* said;  // part of it
};

const Mistake kMistakes[] = {
    // The language.
    {"name = \"saxpy\"", "name = saxpy", "1:"},
    {"[sizes]", "[sizes", "8:"},
    {"m = 3", "m = 3\nm = 4", "11:"},
    {"name = \"saxpy\"", "name = \"\xff\xfe\"", "1:"},
    {"name = \"saxpy\"", "name = \"saxpy\" \xef\xb3\xbf",
     "1: a character outside ASCII; allowed within quotes and in comments"},
    {"restore =", "# \"\xc3\xa4\n\xc3\xa4 =", "7: a character outside ASCII"},
    {"restore =", "[[@buffer]]\nrestore =", "expected bare key starting character or string delimiter, saw '@'"},
    {"restore = \"each\"", "restore = \"\\\"\xc3\xa4\" #\xc3\xa4", "6: the file: restore is \"\"\xc3\xa4\"; allowed"},
    {"restore = \"each\"", "restore = \'\'\'\xc3\xa4\'\'\' # \'", "6: the file: restore is \"\xc3\xa4\"; allowed"},
    // Keys.
    {"useful_bytes", "usefull_bytes", "2: the file: unknown key usefull_bytes; near: useful_bytes; allowed: "},
    {"elements = \"n\"", "elemnts = \"n\"",
     "12: [[buffer]] x: no key elements; near: elemnts; a number or an expression of the sizes is needed"},
    {"[[side]]", "[[sides]]", "the file: unknown key sides; near: sizes, side; allowed: "},
    {"seed = 7", "sed = 7",
     "17: [[buffer]] x: unknown key sed; near: seed; allowed: name, type, elements, role, content, seed, range, file, "
     "value, expected"},
    {"name = \"saxpy\"", "name = \"Saxpy!\"", "1: the file: name is \"Saxpy!\"; small letters, digits and _ are allowed"},
    {"name = \"saxpy\"", "name = 5", "1: the file: name is an integer; a text in quotes is allowed"},
    // The head.
    {"\"12 * n\"", "\"12 * k\"",
     "2: the file: useful_bytes = \"12 * k\": Unexpected token \"k\" found at position 5; numbers, + - * / % << >> ( ), ceil, "
     "floor, min, max, log2 and "},
    {"\"12 * n\"", "true", "useful_bytes is a boolean; a number or an expression of the sizes in quotes is allowed"},
    {"\"12 * n\"", "\" \"", "useful_bytes is empty; a number"},
    {"\"12 * n\"", "\"12 *\"", "useful_bytes = \"12 *\": "},
    {"\"12 * n\"", "\"n, n\"", "\"n, n\" has 2 values; one is allowed"},
    {"\"12 * n\"", "\"n / 0\"", "\"n / 0\" has no finite value with n = 65536"},
    {"[\"warm\", \"cold\"]", "\"hot\"", "4: the file: cache is \"hot\"; allowed: cold, warm"},
    {"[\"warm\", \"cold\"]", "[]", "cache is an empty list; allowed: cold, warm, or both"},
    {"[\"warm\", \"cold\"]", "[\"warm\", \"warm\"]", "cache names warm twice; once is allowed"},
    {"{ relative = 1e-6 }", "{ relative = 1e-6, ulp = 2 }", "5: tolerance: more than one kind; one of "},
    {"{ relative = 1e-6 }", "{ relative = -1 }", "relative = \"-1\" is -1; a number from 0 on is allowed"},
    {"{ relative = 1e-6 }", "{ relativ = 1 }", "5: tolerance: unknown key relativ; near: relative"},
    {"{ relative = 1e-6 }", "1e-6", "tolerance is a number with a fraction; { absolute = 1e-6 }"},
    {"{ relative = 1e-6 }", "{}", "5: tolerance: it is empty"},
    {"{ relative = 1e-6 }", "{ ulp = nan }", "5: tolerance: ulp is nan; a finite number is allowed"},
    {"restore = \"each\"", "restore = \"never\"", "6: the file: restore is \"never\"; allowed: batch, each"},
    // Sizes.
    {"m = 3", "m = 0", "10: [sizes]: m = \"0\" is 0; a whole number from 1 to 2^53 is allowed"},
    {"m = 3", "m = 1.5", "m = \"1.5\" is 1.5; a whole number"},
    {"m = 3", "m = \"1 << 60\"", "m = \"1 << 60\" is 1152921504606846976; a whole number from 1 to 2^53"},
    {"m = 3", "m = []", "m has 0 values; 1 to 64 are allowed"},
    {"m = 3", "m = [1, 2, 3]", "9: [sizes]: n has 2 values and m has 3; lists are swept together"},
    {"m = 3", "min = 3", "\"min\" cannot be a size's name"},
    {"m = 3", "\"a b\" = 3", "\"a b\" cannot be a size's name"},
    {"[sizes]\nn = [65536, \"1 << 24\"]\nm = 3", "sizes = 5", "sizes is an integer; a table [sizes]"},
    // Buffers.
    {"type = \"f32\"", "type = \"float\"",
     "14: [[buffer]] x: type is \"float\"; allowed: f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64"},
    {"elements = \"n\"", "elements = \"n / 7\"", "15: [[buffer]] x: elements = \"n / 7\" is 9362.28"},
    {"elements = \"n\"", "elements = 0", "elements = \"0\" is 0; a whole number from 1"},
    {"content = \"random\"", "content = \"noise\"", "16: [[buffer]] x: content is \"noise\"; allowed: random, zeros, counting"},
    {"content = \"random\"\nseed = 7", "value = \"n / 0\"",
     "16: [[buffer]] x: value = \"n / 0\" has no finite value with n = 65536"},
    {"content = \"random\"\nseed = 7", "value = [1, 2]",
     "15: [[buffer]] x: elements = \"n\" is 65536 with n = 65536; value has 2: one for each, or one number for all, is "
     "allowed"},
    {"seed = 7", "value = 7", "17: [[buffer]] x: both value and content; one of them is allowed"},
    {"seed = 7", "seed = -1", "seed is -1; an integer from 0 to "},
    {"content = \"random\"", "content = \"zeros\"", "17: [[buffer]] x: seed without content = \"random\""},
    {"content = \"random\"\nseed = 7", "content = \"zeros\"\nrange = [0, 1]",
     "17: [[buffer]] x: range without content = \"random\""},
    {"seed = 7", "range = [1, 1]", "17: [[buffer]] x: range = [1, 1]: the second is to be above the first"},
    {"seed = 7", "range = [1, inf]", "17: [[buffer]] x: range"},
    {"seed = 7", "range = 1", "range is no [low, high] of two numbers; range = [-1, 1] is allowed"},
    {"type = \"f32\"\nelements = \"n\"\ncontent = \"random\"\nseed = 7", "type = \"u8\"\nelements = \"n\"\nrange = [0, 256]",
     "16: [[buffer]] x: range = \"256\" is 256; a whole number from 0 to 255 is allowed in u8"},
    {"type = \"f32\"\nelements = \"n\"\ncontent = \"random\"\nseed = 7",
     "type = \"i32\"\nelements = \"n\"\nrange = [\"m\", \"m - 1\"]",
     "16: [[buffer]] x: range = [3, 2] with m = 3: the second is to be above the first"},
    {"role = \"in\"", "role = \"out\"", "content of a buffer of role out, which the kernel fills"},
    {"role = \"in\"", "role = \"input\"", "18: [[buffer]] x: role is \"input\"; allowed: in, out, inout, scratch"},
    {"file = \"y.npy\"", "file = \"z.npy\"", "24: [[buffer]] y: file = \"z.npy\": no such file ("},
    {"name = \"y\"", "name = \"x\"",
     "21: [[buffer]]: the name x is taken in line 13; each buffer, scalar and struct has its own"},
    {"name = \"y\"", "name = \"1y\"", "name is \"1y\"; letters, digits and _"},
    {"[[buffer]]\nname = \"x\"", "[[buffer]]\nexpected = \"y.npy\"\nname = \"x\"",
     "expected of a buffer of role in; allowed with role out or inout"},
    {"role = \"inout\"\nexpected = \"y.npy\"", "role = \"in\"", "no buffer has role out or inout"},
    // Scalars and structs.
    {"value = \"n\"\n", "value = \"n / 7\"\n", "36: [[scalar]] n32: value = \"n / 7\" is 9362.28"},
    {"value = \"n\"\n", "value = \"1 << 32\"\n",
     "value = \"1 << 32\" is 4294967296; a whole number from 0 to 4294967295 is allowed in u32"},
    {"value = \"n\"\n", "value = -1\n", "value = \"-1\" is -1"},
    {"value = 2.5", "values = 2.5", "28: [[scalar]] a: no key value; near: values; "},
    {"value = 2.5", "value = nan", "value is nan; a finite number is allowed"},
    {"address = \"x\"", "address = \"z\"", "address = \"z\": no such buffer; near: a, x, y; allowed: "},
    {"{ name = \"x\", address", "{ name = \"n\", address", "two members are called n"},
    {"{ name = \"x\", address", "{ name = \"x\", offset = 2, address", "offset is 2; a multiple of 8 from 4 on is allowed"},
    {"members = [{ name = \"n\", type = \"u32\", value = \"n\" }, { name = \"x\", address = \"x\" }, { name = \"h\", type = "
     "\"u8\", value = 1 }, { name = \"v\", "
     "type = \"f32\", value = [1, \"n\"] }, { name = \"z\", type = \"i32\", count = 3, value = -1 }]",
     "members = []", "members is empty; one member or more"},
    {"members = [{ name = \"n\",", "bytes = 16\nmembers = [{ name = \"n\",", "bytes is 16; the last member ends at 40"},
    {"value = [1, \"n\"]", "value = []", "member v: value has 0 elements; 1 to 1024 are allowed"},
    {"value = [1, \"n\"]", "count = 2, value = [1, 2]", "member v: count is 2; 1 to 1024 are allowed, with one value"},
    {"count = 3, value = -1", "count = 3, value = 0.5", "member z: value = \"0.5\" is 0.5"},
    {"type = \"u8\", value = 1", "type = \"u8\", value = 256", "member h: value = \"256\" is 256"},
    // Sides.
    {"file = \"saxpy.cu\"", "file = \"saxpy.hip\"",
     "43: [[side]] 1: file = \"saxpy.hip\": the ending tells the language; allowed: .cu, .ptx, .cubin, .comp, .spv"},
    {"file = \"saxpy.cu\"", "file = \"saxpy.cuh\"", "file = \"saxpy.cuh\": a header; a .cu file that includes it is allowed"},
    {"file = \"saxpy.cu\"", "file = \"gone.cu\"", "file = \"gone.cu\": no such file ("},
    {"file = \"saxpy.cu\"", "file = \"sax\\npy.cu\"", "a control character in a path; none is allowed"},
    {"file = \"saxpy.cu\"", "file = \"saxpy.cu\"\nname = \"a\\u001b[2Jb\"", "1 to 40 characters are allowed"},
    {"file = \"saxpy.cu\"\n", "", "42: [[side]] 1: no key file; a kernel's file is needed"},
    {"[\"n32\", \"a\", \"x\", \"y\"]", "[\"n32\", \"a\", \"x\", \"yy\"]",
     "45: [[side]] 1: \"yy\" is the name of no buffer, scalar or struct; near: y; allowed: a, n32, params, x, y"},
    {"[\"n32\", \"a\", \"x\", \"y\"]", "[\"n32\", \"a\", \"x\"]", "the output y is no argument of side CUDA"},
    {"[\"n32\", \"a\", \"x\", \"y\"]", "[{ name = \"x\", binding = 0 }]", "arguments holds a table; a list of names"},
    {"[\"n32\", \"a\", \"x\", \"y\"]", "\"x\"", "arguments is a text; a list of names"},
    {"block = [256]", "block = [256, 8]", "block = 2048 threads; at most 1024 are allowed"},
    {"block = [256]", "block = [8, 8, 8, 8]", "block has 4 dimensions; one to three are allowed"},
    {"block = [256]", "block = [8, 1, 128]", "block.z = \"128\" is 128"},
    {"block = [256]\n", "", "no key block; a list of one to three"},
    {"\"ceil(n / 256)\", 2", "\"n / 100\", 2", "47: [[side]] 1: grid.x = \"n / 100\" is 655.36"},
    {"\"ceil(n / 256)\", 2", "1, 65536", "grid.y = \"65536\" is 65536; a whole number from 1 to 65535 is allowed"},
    {"\"ceil(n / 256)\", 2", "-1", "grid.x = \"-1\" is -1"},
    {"flags = [\"-O3\"]", "flags = \"-O3\"", "flags is a text; a list of texts is allowed"},
    {"include = [\".\"]", "include = [\"gone\"]", "include = \"gone\": no such folder ("},
    {"TILE = 16", "\"TI LE\" = 16", "defines has \"TI LE\"; letters"},
    {"shared_bytes = \"4 * m\"", "subgroup_size = 32",
     "subgroup_size is not a key of this file's kind; allowed with a Vulkan kernel"},
    {"entry = \"saxpy\"", "entry = \"saxpy\"\ninstance = \"saxpy<float>\"", "both entry and instance; one of them is allowed"},
    {"entry = \"saxpy\"", "instance = \"saxpy\"", "instance is \"saxpy\"; a template with its arguments is allowed"},
    {"entry = \"saxpy\"", "instance = \"saxpy<float>; int x[]{}; f<int>\"", "a template with its arguments is allowed"},
    {"entry = \"saxpy\"", "barrier = true", "barrier of a first launch"},
    {"{ name = \"x\", set = 0, binding = 0 },", "\"x\",",
     "arguments holds a text; a list of { name = \"x\", set = 0, binding = 0 }"},
    {"{ name = \"x\", set = 0, binding = 0 },", "{ name = \"x\" },", "argument x: neither binding nor push"},
    {"{ name = \"x\", set = 0, binding = 0 },", "{ name = \"x\", set = 1, binding = 1 },",
     "arguments x and y are both at set 1, binding 1"},
    {"{ name = \"x\", set = 0, binding = 0 },", "{ name = \"x\", push = 0 },",
     "arguments x and n32 overlap in the push constants: bytes 0 to 8 and 0 to 4"},
    {"{ name = \"x\", set = 0, binding = 0 },", "{ name = \"x\", binding = 0, as = \"image\" },",
     "as is \"image\"; allowed: storage, uniform, address"},
    {"{ name = \"params\", push = 8 }", "{ name = \"params\", set = 1, binding = 2 }",
     "params: the struct params holds the address of x; it is allowed in the push constants alone: push = 0"},
    {"{ name = \"x\", set = 0, binding = 0 },", "{ name = \"x\", binding = 0, as = \"address\" },",
     "as = \"address\" without push"},
    {"{ name = \"n32\", push = 0 }", "{ name = \"n32\", push = 2 }", "push is 2; a multiple of 4 is allowed for n32"},
    {"{ name = \"n32\", push = 0 }", "{ name = \"n32\", push = 0, as = \"address\" }", "as = \"address\" of what is no buffer"},
    {"{ 0 = 256,", "{ BLOCK = 256,", "constants has the key \"BLOCK\"; a specialization constant's id is allowed"},
    {"{ 0 = 256,", "{ 0 = 1.5e400,", "61:"},
    {"{ type = \"f32\", value = 1.5 }", "{ type = \"f32\" }", "constants.3: no key value"},
    {"subgroup_size = 32", "subgroup_size = 24", "subgroup_size is 24; a power of two from 1 to 128 is allowed"},
    {"subgroup_size = 32", "instance = \"f<int>\"", "instance is not a key of this file's kind; allowed with a .cu file"},
    {"grid = \"ceil(n / 256)\"\n", "", "no key grid"},
    {"{ name = \"params\", push = 8 },", "", "params is an argument of no side; use it or leave it out"},
};

TEST_F(Read, EveryMistakeIsOneLineThatSaysWhatIsAllowed) {
  static_assert(std::size(kMistakes) >= 40);
  for (const Mistake& mistake : kMistakes)
    EXPECT_THAT(complaint(with(mistake.from, mistake.to)), HasSubstr(mistake.said)) << mistake.to;
  EXPECT_LT(complaint(with("entry = \"saxpy\"", "name = \"" + std::string(100000, 'x') + "\"")).size(), 1100);
  EXPECT_THAT(complaint(""), HasSubstr("1: the file: 0 [[side]] tables; one or two are allowed"));
  EXPECT_THAT(complaint(std::string(kRight) + "[[side]]\nfile = \"one.spv\"\narguments = []\ngrid = 1\n"),
              HasSubstr("3 [[side]] tables"));
  EXPECT_THAT(
      complaint("[[side]]\n[[side.step]]\nfile = \"one.spv\"\narguments = []\ngrid = 1\n[[side.step]]\nfile = \"two.ptx\"\n"),
      HasSubstr("file = \"two.ptx\" is a CUDA kernel in a side of Vulkan"));
  EXPECT_THAT(complaint("[[side]]\nfile = \"one.spv\"\n[[side.step]]\nfile = \"one.spv\"\n"),
              HasSubstr("2: [[side]] 1: unknown key file; "));
}

TEST_F(Read, AFileThatIsNotThereIsNamed) {
  const auto said = [](const std::filesystem::path& path) {
    try {
      read_description(path);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("(nothing)");
  };
  EXPECT_THAT(said(folder_.path() / "gone.toml"), HasSubstr("gone.toml: no such file"));
  EXPECT_THAT(said(folder_.path()), HasSubstr("no such file"));
  folder_.write("saxpy.toml", std::string(kRight));
  EXPECT_EQ(said(folder_.path() / "saxpy.toml"), "(nothing)");
  EXPECT_THAT(said(folder_.path() / "saxpy.cu"), HasSubstr("saxpy.cu: a kernel, and no TOML file; own_kernel --init "));
  folder_.write("large.toml", std::string((1 << 20) + 1, '#'));
  EXPECT_THAT(said(folder_.path() / "large.toml"), HasSubstr("1048577 bytes; a TOML file of at most 1048576 is allowed"));
}

// Whatever the bytes: a description or a line.
TEST_F(Read, NoBytesAreTooOdd) {
  std::minstd_rand random(1);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text(kRight);
    for (auto changes = random() % 4 + 1; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, random() % 40);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
          break;
        default:
          text.insert(at, std::string(random() % 40, "[{\"n1(-="[random() % 8]));
          break;
      }
    }
    try {
      read(text);
    } catch (const UsageError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Expression, HasTheValueOfC) {
  const Sizes sizes = {{"n", 1000}, {"big", 9007199254740991.0}};
  const auto value = [&](const char* text) { return value_of({text}, sizes); };
  EXPECT_EQ(value("2 + 3 * 4 << 1"), 28);
  EXPECT_EQ(value("1 << 2 << 3"), 32);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("100 / 10 / 5"), 2);
  EXPECT_EQ(value("n / 256"), 3.90625) << "division is real";
  EXPECT_EQ(value("ceil(n / 256)"), 4);
  EXPECT_EQ(value("floor(n / 256)"), 3);
  EXPECT_EQ(value("n % 256"), 232);
  EXPECT_EQ(value("n >> 3"), 125);
  EXPECT_EQ(value("-n + 1"), -999);
  EXPECT_EQ(value("min(n, 7, 9) + max(1, 2)"), 9);
  EXPECT_EQ(value("log2(1 << 20)"), 20);
  EXPECT_EQ(value("(1 << 53) - 1 - big"), 0) << "integers are exact up to 2^53";
  EXPECT_EQ(count_of({"big"}, sizes), 9007199254740991ULL);
  for (const char* text : {"", "n +", "n = 3", "(n", "n)", "k", "1 << -1", "1 << 2000", "1 << 0.5", "\"n\"", "min()", "0x10",
                           "n n", "2 ** 3", "n / 0", "0 / 0"})
    EXPECT_THROW(value(text), Error) << text;
  EXPECT_THROW(value(std::string(2000, '(').c_str()), Error);
  EXPECT_THROW(value(std::string(1000, '(').c_str()), Error);
}

TEST(Expression, ACountIsWholeAndBigEnough) {
  const Sizes sizes = {{"n", 100}};
  EXPECT_EQ(count_of({"n / 4"}, sizes, 1), 25);
  for (const char* text : {"n / 3", "n - 100", "0 - n", "(1 << 53) + 2"})
    EXPECT_THROW(count_of({text}, sizes, 1), Error) << text;
  EXPECT_EQ(count_of({"n - 100"}, sizes, 0), 0);
}

}  // namespace
}  // namespace bench::own
