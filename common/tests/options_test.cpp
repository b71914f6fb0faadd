#include "core/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// argv for main(): mutable, and alive as long as the options that point into it.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> texts) : texts_(std::move(texts)) {
    texts_.insert(texts_.begin(), "exp99");
    for (std::string& text : texts_) pointers_.push_back(text.data());
  }
  int argc() const { return static_cast<int>(pointers_.size()); }
  char** argv() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

Experiment experiment(const std::vector<std::string>& params = {}) {
  Experiment result;
  result.name = "exp99";
  result.question = "Why?";
  result.params = params;
  return result;
}

Options parsed(std::vector<std::string> texts, const std::vector<std::string>& params = {}) {
  Arguments arguments(std::move(texts));
  Options options;
  EXPECT_TRUE(parse_options(arguments.argc(), arguments.argv(), experiment(params), options));
  options.benchmark_args.clear();  // they point into `arguments`
  return options;
}

std::string refusal(std::vector<std::string> texts) {
  return message_of<UsageError>([&] { parsed(std::move(texts)); });
}

TEST(Options, MemoryIsOfferedWhereCasesDifferInIt) {
  const std::vector<std::string> params = {"block", "memory"};
  EXPECT_TRUE(wants_memory(parsed({}, params), "own"));
  EXPECT_TRUE(wants_memory(parsed({}, params), "from_cuda"));
  EXPECT_TRUE(wants_memory(parsed({"--memory", "own"}, params), "own"));
  EXPECT_FALSE(wants_memory(parsed({"--memory", "own"}, params), "from_cuda"));
  EXPECT_FALSE(wants_memory(parsed({"--memory", "shared"}, params), "own"));
  EXPECT_TRUE(wants_memory(parsed({"--memory", "shared"}, params), "from_vulkan"));
  EXPECT_THAT(message_of<UsageError>([&] { parsed({"--memory", "rented"}, params); }), HasSubstr("rented"));
  EXPECT_THAT(refusal({"--memory", "own"}), HasSubstr("--memory"));
}

TEST(Options, Defaults) {
  const Options options = parsed({});
  EXPECT_TRUE(options.want_cuda);
  EXPECT_TRUE(options.want_vulkan);
  EXPECT_EQ(options.device, "");
  EXPECT_EQ(options.seed, 1U);
  EXPECT_EQ(options.csv, "");
  EXPECT_TRUE(options.sizes.empty());
  EXPECT_TRUE(options.variants.empty());
  EXPECT_TRUE(options.caches.empty());
  EXPECT_EQ(options.case_budget_s(), 0.5);
  for (const bool flag : {options.list_devices, options.list_variants, options.describe, options.print_slug, options.resume,
                          options.quick, options.smoke, options.validate}) {
    EXPECT_FALSE(flag);
  }
}

TEST(Options, EveryOptionIsParsed) {
  EXPECT_FALSE(parsed({"--api", "vulkan"}).want_cuda);
  EXPECT_TRUE(parsed({"--api", "vulkan"}).want_vulkan);
  EXPECT_FALSE(parsed({"--api=cuda"}).want_vulkan);
  EXPECT_EQ(parsed({"--device", "GPU-1234"}).device, "GPU-1234");
  EXPECT_TRUE(parsed({"--list-devices"}).list_devices);
  EXPECT_THAT(parsed({"--size", "4096,4Mi", "--size", "2^22"}).sizes, ElementsAre(4096, 4 << 20, 1 << 22));
  EXPECT_THAT(parsed({"--variant", "add_f32,copy*", "--variant", "x"}).variants, ElementsAre("add_f32", "copy*", "x"));
  EXPECT_TRUE(parsed({"--list-variants"}).list_variants);
  EXPECT_THAT(parsed({"--cache", "cold"}).caches, ElementsAre(Cache::kCold));
  EXPECT_THAT(parsed({"--cache", "warm"}).caches, ElementsAre(Cache::kWarm));
  EXPECT_THAT(parsed({"--cache", "both"}).caches, ElementsAre(Cache::kCold, Cache::kWarm));
  EXPECT_THAT(parsed({"--cache", "auto"}).caches, ElementsAre());
  EXPECT_EQ(parsed({"--budget", "2.5"}).case_budget_s(), 2.5);
  EXPECT_EQ(parsed({"--seed", "18446744073709551615"}).seed, ~0ULL);
  EXPECT_EQ(parsed({"--csv", "a/b.csv"}).csv, "a/b.csv");
  EXPECT_TRUE(parsed({"--csv", "a.csv", "--resume"}).resume);
  EXPECT_EQ(parsed({"--quick"}).case_budget_s(), 0.1);
  EXPECT_TRUE(parsed({"--smoke"}).smoke);
  EXPECT_LT(parsed({"--smoke"}).case_budget_s(), 0.1);
  EXPECT_EQ(parsed({"--smoke", "--budget", "3"}).case_budget_s(), 3) << "the user's word goes before a preset's";
  EXPECT_TRUE(parsed({"--validate"}).validate);
  EXPECT_EQ(parsed({"--dump-isa", "there"}).dump_isa, "there");
  EXPECT_TRUE(parsed({"--describe"}).describe);
  EXPECT_TRUE(parsed({"--print-slug"}).print_slug);
}

TEST(Options, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(refusal({"--speed", "11"}), HasSubstr("--speed"));
  EXPECT_THAT(refusal({"stray"}), HasSubstr("stray"));
  EXPECT_THAT(refusal({"--api", "opencl"}), HasSubstr("opencl"));
  EXPECT_THAT(refusal({"--cache", "lukewarm"}), HasSubstr("lukewarm"));
  EXPECT_THAT(refusal({"--budget", "0"}), HasSubstr("--budget"));
  EXPECT_THAT(refusal({"--budget", "soon"}), HasSubstr("soon"));
  EXPECT_THAT(refusal({"--seed", "-1"}), HasSubstr("--seed"));
  EXPECT_THAT(refusal({"--device"}), HasSubstr("--device"));
  EXPECT_THAT(refusal({"--resume"}), HasSubstr("--csv"));
  EXPECT_THAT(refusal({"--size", "-1"}), HasSubstr("--size"));
  EXPECT_THAT(refusal({"--size", "4096,x"}), HasSubstr("--size x"));
}

TEST(Options, GoogleBenchmarksFlagsPassBy) {
  Arguments arguments({"--benchmark_filter=add", "--smoke", "--benchmark_out=x.json"});
  Options options;
  ASSERT_TRUE(parse_options(arguments.argc(), arguments.argv(), experiment(), options));
  EXPECT_TRUE(options.smoke);
  const std::vector<std::string> passed(options.benchmark_args.begin(), options.benchmark_args.end());
  EXPECT_THAT(passed, ElementsAre("exp99", "--benchmark_filter=add", "--benchmark_out=x.json"));
}

TEST(Options, HelpIsPrintedAndEndsTheProgram) {
  Arguments arguments({"--help"});
  Options options;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(parse_options(arguments.argc(), arguments.argv(), experiment(), options));
  EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::AllOf(HasSubstr("Why?"), HasSubstr("--variant")));
}

TEST(ParseSize, Texts) {
  EXPECT_EQ(parse_size("4096"), 4096U);
  EXPECT_EQ(parse_size("4Ki"), 4096U);
  EXPECT_EQ(parse_size("4Mi"), 4U << 20);
  EXPECT_EQ(parse_size("1Gi"), 1U << 30);
  EXPECT_EQ(parse_size("2^22"), 1U << 22);
  EXPECT_EQ(parse_size("2^0"), 1U);
  EXPECT_EQ(parse_size("2^62"), 1ULL << 62);
  EXPECT_EQ(parse_size("4294967296Gi"), 1ULL << 62);
  for (const char* text : {"0",
                           "0Mi",
                           "-1",
                           "x",
                           "",
                           " 1",
                           "1 ",
                           "4M",
                           "4MiB",
                           "Mi",
                           "2^",
                           "2^-1",
                           "2^63",
                           "2^2Ki",
                           "3^4",
                           "1.5",
                           "1e6",
                           "0x10",
                           "4294967297Gi",
                           "4611686018427387905",
                           "18446744073709551616",
                           "99999999999999999999999"}) {
    EXPECT_THAT(message_of<UsageError>([&] { parse_size(text); }), HasSubstr(fmt::format("--size {}:", text)));
  }
}

TEST(WantsVariant, NamesAndBeginnings) {
  const auto wants = [](std::vector<std::string> wishes, std::string_view name) {
    Options options;
    options.variants = std::move(wishes);
    return wants_variant(options, name);
  };
  EXPECT_TRUE(wants({}, "add"));
  EXPECT_TRUE(wants({"copy", "add"}, "add"));
  EXPECT_FALSE(wants({"add"}, "add_f32")) << "a name is the whole name";
  EXPECT_FALSE(wants({"add_f32"}, "add"));
  EXPECT_TRUE(wants({"add*"}, "add_f32"));
  EXPECT_TRUE(wants({"add*"}, "add"));
  EXPECT_TRUE(wants({"*"}, "add"));
  EXPECT_FALSE(wants({"add*"}, "copy_add"));
}

}  // namespace
}  // namespace bench
