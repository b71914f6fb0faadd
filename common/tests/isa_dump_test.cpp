#include "core/code/isa_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>

#include "core/base/environment.h"
#include "core/code/machine_code.h"
#include "fake_device.h"
#include "synthetic_code.h"

namespace bench {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

const KernelImages kImages = {"copy_tile", {}, {}};
const KernelImages kOthers = {"other", {}, {}};

KernelSpec spec(const std::string& entry, std::uint32_t block_x, const std::vector<std::uint32_t>& constants) {
  return {.images = &kImages, .entry = entry, .block_x = block_x, .constants = constants, .buffers = 2, .params_bytes = 4};
}

std::vector<std::byte> bytes_of(const Bytes& bytes) { return {bytes.view().begin(), bytes.view().end()}; }

class IsaDumpTest : public testing::Test {
 protected:
  std::string read(const std::string& name) const { return read_file(folder_.file("exp99_fake/" + name)); }
  Json index() const { return Json::parse(read("index.json")); }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_.file("exp99_fake/" + name)); }

  TempDir folder_;
  IsaDump dump_{folder_.file(""), "exp99_fake"};
};

TEST_F(IsaDumpTest, WritesWhatThereIs) {
  KernelCode code;
  code.arch = "sm_90a";
  code.code = bytes_of(Bytes().instruction(kExit));
  code.container = bytes_of(Bytes().text("the cubin"));
  code.container_type = "cubin";
  const Bytes ptx = Bytes().text(".version 8.0");
  code.source = ptx.view();
  code.source_type = "ptx";
  code.statistics = {{"numRegs", 20}, {"Occupancy", 0.5}, {"Undefined", std::numeric_limits<double>::quiet_NaN()}};
  dump_.add(cuda::kApi, "", spec("copy_tile_2", 256, {2}), code);
  KernelCode listed;
  listed.text = "v_add_f32";
  listed.reason = "says \"no\"\n";
  dump_.add(vulkan::kApi, "", spec("copy_tile_2", 256, {2}), listed);
  dump_.finish("NVIDIA H200", "580.1");

  EXPECT_EQ(read("copy_tile_2.cuda.bin").size(), 16U);
  EXPECT_EQ(read("copy_tile_2.cuda.cubin"), "the cubin");
  EXPECT_EQ(read("copy_tile.ptx"), ".version 8.0");
  EXPECT_EQ(read("copy_tile_2.vulkan.txt"), "v_add_f32");
  for (const char* absent : {"copy_tile_2.cuda.txt", "copy_tile_2.vulkan.bin", "copy_tile_2.vulkan.nvuc", "copy_tile.spv"}) {
    EXPECT_FALSE(exists(absent)) << absent;
  }
  const Json index = this->index();
  EXPECT_EQ(index["schema"], 1);
  EXPECT_EQ(index["experiment"], "exp99_fake");
  EXPECT_EQ(index["gpu"], "NVIDIA H200");
  EXPECT_EQ(index["driver"], "580.1");
  EXPECT_EQ(index["git_rev"], git_revision());
  ASSERT_EQ(index["kernels"].size(), 2U);
  const Json cuda = {{"kernel", "copy_tile_2"},
                     {"stem", "copy_tile"},
                     {"api", "cuda"},
                     {"arch", "sm_90a"},
                     {"block_x", 256},
                     {"constants", {2}},
                     {"variant", ""},
                     {"code", "copy_tile_2.cuda.bin"},
                     {"container", "copy_tile_2.cuda.cubin"},
                     {"source", "copy_tile.ptx"},
                     {"text", nullptr},
                     {"isa_hash", isa_hash(code.code)},
                     {"statistics", {{"numRegs", 20}, {"Occupancy", 0.5}}},
                     {"reason", ""}};
  EXPECT_EQ(index["kernels"][0], cuda);
  const Json& vulkan = index["kernels"][1];
  for (const char* absent : {"code", "container", "source"}) EXPECT_TRUE(vulkan[absent].is_null()) << absent;
  EXPECT_EQ(vulkan["text"], "copy_tile_2.vulkan.txt");
  EXPECT_EQ(vulkan["isa_hash"], "");
  EXPECT_EQ(vulkan["reason"], "says \"no\"\n");
}

TEST_F(IsaDumpTest, BlockSizesShareAnEntry) {
  KernelCode code;
  code.code = bytes_of(Bytes().instruction(kExit));
  const std::string first = isa_hash(code.code);
  dump_.add(vulkan::kApi, "", spec("copy", 256, {}), code);
  code.code = bytes_of(Bytes().instruction(kExit).instruction(kExit));
  dump_.add(vulkan::kApi, "", spec("copy", 1024, {}), code);
  dump_.finish("", "");
  EXPECT_EQ(read("copy.vulkan.bin").size(), 16U) << "the first one's";
  ASSERT_EQ(index()["kernels"].size(), 1U);
  EXPECT_EQ(index()["kernels"][0]["isa_hash"], first);
}

TEST_F(IsaDumpTest, KernelsOfOneNameGetFilesOfTheirOwn) {
  KernelCode code;
  for (const std::uint32_t constant : {1U, 2U}) {
    code.code.resize(std::size_t{16} * constant);
    dump_.add(vulkan::kApi, "", spec("copy", 256, {constant, 7}), code);
  }
  KernelSpec other = spec("copy", 256, {1, 7});
  other.images = &kOthers;
  code.code.resize(48);
  dump_.add(vulkan::kApi, "", other, code);
  dump_.finish("", "");
  EXPECT_EQ(read("copy.vulkan.bin").size(), 16U);
  EXPECT_EQ(read("copy.copy_tile.2-7.vulkan.bin").size(), 32U);
  EXPECT_EQ(read("copy.other.1-7.vulkan.bin").size(), 48U);
}

// CUDA has one way to its buffers, and one entry.
TEST_F(IsaDumpTest, WaysToBuildAKernelAreVariantsOfIt) {
  KernelCode code;
  code.code.resize(16);
  dump_.add(vulkan::kApi, "", spec("copy", 256, {}), code);
  code.code.resize(32);
  dump_.add(vulkan::kApi, "address-disabled", spec("copy", 256, {}), code);
  dump_.finish("", "");
  EXPECT_EQ(read("copy.vulkan.bin").size(), 16U);
  EXPECT_EQ(read("copy.address-disabled.vulkan.bin").size(), 32U);
  EXPECT_EQ(index()["kernels"][1]["variant"], "address-disabled");
  EXPECT_EQ(index()["kernels"][1]["code"], "copy.address-disabled.vulkan.bin");
}

TEST_F(IsaDumpTest, NothingToDumpIsAnEmptyIndex) {
  dump_.finish("gpu", "driver");
  EXPECT_EQ(index()["kernels"], Json::array());
}

TEST(IsaDump, RefusesAFolderItCannotMake) {
  const TempDir folder;
  std::ofstream(folder.file("taken")) << "a file";
  EXPECT_THAT(message_of<UsageError>([&] { IsaDump(folder.file("taken"), "exp99"); }), HasSubstr("--dump-isa"));
}

}  // namespace
}  // namespace bench
