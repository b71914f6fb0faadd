#include "core/run/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
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

Experiment experiment(const std::vector<Column>& params = {}) {
  Experiment result;
  result.name = "exp99";
  result.question = "Why?";
  result.params = params;
  return result;
}

Options parsed(std::vector<std::string> texts, const std::vector<Column>& params = {}) {
  Arguments arguments(std::move(texts));
  Options options;
  EXPECT_TRUE(parse_options(arguments.argc(), arguments.argv(), experiment(params), kBothApis, options));
  return options;
}

std::string refusal(std::vector<std::string> texts) {
  return message_of<UsageError>([&] { parsed(std::move(texts)); });
}

TEST(Options, WherePowerIsMeasuredALowClockIsNoFault) {
  const auto part_of = [](bool power_bound, std::vector<std::string> texts) {
    Arguments arguments(std::move(texts));
    Options options;
    Experiment bound = experiment();
    bound.power_bound = power_bound;
    EXPECT_TRUE(parse_options(arguments.argc(), arguments.argv(), bound, kBothApis, options));
    return options.throttled_part;
  };
  EXPECT_EQ(part_of(false, {}), 0.75);
  EXPECT_EQ(part_of(true, {}), 0);
  EXPECT_EQ(part_of(true, {"--throttled-below", "0.5"}), 0.5);
}

TEST(Options, MemoryIsOfferedWhereCasesDifferInIt) {
  const std::vector<Column> params = {Column::integer("block", "threads", ""), Column::text("memory", "")};
  EXPECT_TRUE(wants_memory(parsed({}, params), "own"));
  EXPECT_TRUE(wants_memory(parsed({}, params), "from_cuda"));
  EXPECT_TRUE(wants_memory(parsed({"--memory", "own"}, params), "own"));
  EXPECT_FALSE(wants_memory(parsed({"--memory", "own"}, params), "from_cuda"));
  EXPECT_TRUE(wants_memory(parsed({"--memory", "own"}, params), "vulkan_sparse"));
  EXPECT_FALSE(wants_memory(parsed({"--memory", "shared"}, params), "vulkan_sparse"));
  EXPECT_FALSE(wants_memory(parsed({"--memory", "shared"}, params), "own"));
  EXPECT_TRUE(wants_memory(parsed({"--memory", "shared"}, params), "from_vulkan"));
  EXPECT_THAT(message_of<UsageError>([&] { parsed({"--memory", "rented"}, params); }), HasSubstr("rented"));
  EXPECT_THAT(refusal({"--memory", "own"}), HasSubstr("--memory"));
}

TEST(Options, Defaults) {
  const Options options = parsed({});
  EXPECT_EQ(options.api, "both");
  EXPECT_EQ(options.device, "");
  EXPECT_EQ(options.seed, 1U);
  EXPECT_EQ(options.csv, "");
  EXPECT_TRUE(options.sizes.empty());
  EXPECT_TRUE(options.variants.empty());
  EXPECT_TRUE(options.caches.empty());
  EXPECT_EQ(options.case_budget_s(), 0.5);
  for (const bool flag :
       {options.list_devices, options.list_variants, options.describe, options.print_slug, options.print_board, options.resume,
        options.replace, options.quick, options.smoke, options.validate}) {
    EXPECT_FALSE(flag);
  }
}

TEST(Options, EveryOptionIsParsed) {
  EXPECT_EQ(parsed({"--api", "vulkan"}).api, "vulkan");
  EXPECT_EQ(parsed({"--api=cuda"}).api, "cuda");
  EXPECT_EQ(parsed({"--device", "GPU-1234"}).device, "GPU-1234");
  EXPECT_TRUE(parsed({"--list-devices"}).list_devices);
  EXPECT_THAT(parsed({"--size", "4096,4Mi", "--size", "2^23"}).sizes, ElementsAre(4096, 4 << 20, 1 << 23));
  EXPECT_THAT(parsed({"--variant", "add_f32,copy*", "--variant", "x"}).variants, ElementsAre("add_f32", "copy*", "x"));
  EXPECT_TRUE(parsed({"--list-variants"}).list_variants);
  EXPECT_THAT(parsed({"--cache", "cold"}).caches, ElementsAre(Cache::kCold));
  EXPECT_THAT(parsed({"--cache", "warm"}).caches, ElementsAre(Cache::kWarm));
  EXPECT_THAT(parsed({"--cache", "both"}).caches, ElementsAre(Cache::kCold, Cache::kWarm));
  EXPECT_THAT(parsed({"--cache", "auto"}).caches, ElementsAre());
  EXPECT_EQ(parsed({"--budget", "2.5"}).case_budget_s(), 2.5);
  EXPECT_EQ(parsed({"--timeout", "90"}).timeout_s, 90);
  EXPECT_EQ(parsed({"--seed", "18446744073709551615"}).seed, ~0ULL);
  EXPECT_EQ(parsed({"--csv", "a/b.csv"}).csv, "a/b.csv");
  EXPECT_TRUE(parsed({"--csv", "a.csv", "--resume"}).resume);
  EXPECT_TRUE(parsed({"--csv", "a.csv", "--replace"}).replace);
  EXPECT_EQ(parsed({"--quick"}).case_budget_s(), 0.04);
  EXPECT_TRUE(parsed({"--smoke"}).smoke);
  EXPECT_LT(parsed({"--smoke"}).case_budget_s(), 0.1);
  EXPECT_EQ(parsed({"--smoke", "--budget", "3"}).case_budget_s(), 3) << "the user's word goes before a preset's";
  EXPECT_TRUE(parsed({"--validate"}).validate);
  EXPECT_EQ(parsed({"--dump-isa", "there", "--subgroup-size", "64"}).subgroup_size, 64U);
  EXPECT_TRUE(parsed({"--dump-isa", "there", "--compile-only"}).compile_only);
  EXPECT_EQ(parsed({"--dump-isa", "there"}).dump_isa, "there");
  EXPECT_TRUE(parsed({"--describe"}).describe);
  EXPECT_TRUE(parsed({"--print-slug"}).print_slug);
  EXPECT_TRUE(parsed({"--print-board"}).print_board);
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
  EXPECT_THAT(refusal({"--replace"}), HasSubstr("--csv"));
  EXPECT_THAT(refusal({"--replace", "--resume", "--csv", "a.csv"}), HasSubstr("without --resume"));
  EXPECT_THAT(refusal({"--compile-only"}), HasSubstr("--dump-isa"));
  EXPECT_THAT(refusal({"--subgroup-size", "64"}), HasSubstr("--dump-isa"));
  EXPECT_THAT(refusal({"--size", "-1"}), HasSubstr("--size"));
  EXPECT_THAT(refusal({"--size", "4096,x"}), HasSubstr("--size x"));
}

TEST(Options, RefusesNamesThatAreNone) {
  for (const char* option : {"--csv", "--checksums", "--dump-isa", "--device", "--variant"}) {
    EXPECT_THAT(refusal({option, ""}), testing::AllOf(HasSubstr(option), HasSubstr("expected a name, found none"))) << option;
    EXPECT_THAT(refusal({option, "--resume"}), testing::AllOf(HasSubstr(option), HasSubstr("found the option --resume")))
        << option;
  }
}

TEST(Options, RefusesNumbersThatNothingCanMean) {
  EXPECT_THAT(refusal({"--timeout", "0"}), HasSubstr("--timeout 0: expected seconds"));
  for (const char* budget : {"nan", "inf", "-inf", "-1", "0", "1e999", "1s", " 1", "soon"}) {
    EXPECT_THAT(refusal({"--budget", budget}), HasSubstr(fmt::format("--budget {}: expected seconds", budget)));
  }
  for (const char* seed : {"18446744073709551616", "99999999999999999999", "-1", "1x", "x", "1.5", ""}) {
    EXPECT_THAT(refusal({"--seed", seed}), HasSubstr(fmt::format("--seed {}: expected a whole number", seed)));
  }
  EXPECT_EQ(parsed({"--seed", "0"}).seed, 0U);
  EXPECT_EQ(parsed({"--seed", "3"}).input_seed, 1U) << "the input is the same in every run";
  EXPECT_EQ(parsed({"--input-seed", "3"}).input_seed, 3U);
  EXPECT_THAT(refusal({"--input-seed", "-1"}), HasSubstr("--input-seed -1: expected a whole number"));
}

TEST(Options, ASizeGivenTwiceIsOneSize) {
  EXPECT_THAT(parsed({"--size", "4096,64,4Ki", "--size", "2^6"}).sizes, ElementsAre(4096, 64));
}

TEST(Options, SizeIsRefusedWhereTheCasesHaveTheirOwn) {
  Experiment fixed = experiment();
  fixed.takes_size = false;
  Arguments with({"--size", "4096"});
  Options options;
  EXPECT_THAT(message_of<UsageError>([&] { parse_options(with.argc(), with.argv(), fixed, kBothApis, options); }),
              HasSubstr("--size: the cases of exp99 have sizes of their own"));
  Arguments help({"--help"});
  testing::internal::CaptureStdout();
  EXPECT_FALSE(parse_options(help.argc(), help.argv(), fixed, kBothApis, options));
  EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::Not(HasSubstr("--size")));
}

TEST(Options, GoogleBenchmarksFlagsPassBy) {
  const Options options = parsed({"--benchmark_filter=add", "--smoke", "--benchmark_out=x.json", "--benchmark_novelty=1"});
  EXPECT_TRUE(options.smoke);
  EXPECT_TRUE(options.benchmark.any);
  EXPECT_EQ(options.benchmark.filter, "add");
  EXPECT_EQ(options.benchmark.out, "x.json");
  EXPECT_EQ(options.benchmark.out_format, "json");
  EXPECT_THAT(options.benchmark.passed, ElementsAre("--benchmark_out=x.json", "--benchmark_novelty=1"));
  EXPECT_FALSE(parsed({"--smoke"}).benchmark.any);
}

TEST(Options, NoColorIsObeyedUnlessAskedOtherwise) {
  setenv("NO_COLOR", "1", 1);
  const Options options = parsed({"--benchmark_color=true"});
  unsetenv("NO_COLOR");
  EXPECT_THAT(options.benchmark.passed, ElementsAre("--benchmark_color=false", "--benchmark_color=true"));
}

TEST(Options, GoogleBenchmarksFlagsTakeTheirValueAfterASpaceToo) {
  const Options options = parsed({"--benchmark_filter", "-add", "--benchmark_out", "x.csv", "--benchmark_out_format", "csv",
                                  "--benchmark_list_tests", "--smoke", "--benchmark_color", "false"});
  EXPECT_EQ(options.benchmark.filter, "-add");
  EXPECT_EQ(options.benchmark.out, "x.csv");
  EXPECT_EQ(options.benchmark.out_format, "csv");
  EXPECT_TRUE(options.benchmark.list_tests);
  EXPECT_TRUE(options.smoke);
  EXPECT_THAT(options.benchmark.passed, ElementsAre("--benchmark_out=x.csv", "--benchmark_out_format=csv",
                                                    "--benchmark_list_tests", "--benchmark_color=false"));
  EXPECT_THAT(refusal({"--benchmark_filter"}), HasSubstr("--benchmark_filter: its value is missing"));
  EXPECT_THAT(refusal({"--benchmark_out", "--smoke"}), HasSubstr("--benchmark_out: its value is missing"));
}

TEST(Options, ListingTestsIsOnAsGoogleBenchmarkReadsIt) {
  for (const char* on : {"--benchmark_list_tests", "--benchmark_list_tests=true", "--benchmark_list_tests=1"}) {
    EXPECT_TRUE(parsed({on}).benchmark.list_tests) << on;
  }
  for (const char* off : {"--benchmark_list_tests=false", "--benchmark_list_tests=0", "--benchmark_list_tests=No"}) {
    EXPECT_FALSE(parsed({off}).benchmark.list_tests) << off;
  }
}

TEST(Options, RefusesGoogleBenchmarksFlagsThatCannotBeObeyed) {
  for (const char* count : {"0", "-1", "5", "x", ""}) {
    EXPECT_THAT(refusal({fmt::format("--benchmark_repetitions={}", count)}),
                HasSubstr(fmt::format("--benchmark_repetitions={}: expected 1", count)));
  }
  EXPECT_THAT(parsed({"--benchmark_repetitions=1"}).benchmark.passed, ElementsAre("--benchmark_repetitions=1"));
  EXPECT_THAT(refusal({"--benchmark_format=xml"}), HasSubstr("--benchmark_format=xml: expected one of console, json, csv"));
  EXPECT_THAT(refusal({"--benchmark_out_format", "xml"}), HasSubstr("--benchmark_out_format=xml: expected one of"));
  EXPECT_THAT(refusal({"--benchmark_time_unit=h"}), HasSubstr("expected one of ns, us, ms, s"));
  EXPECT_THAT(refusal({"--benchmark_min_time=2"}), HasSubstr("--budget"));
  EXPECT_THAT(refusal({"--benchmark_out="}), HasSubstr("the name of a file"));
}

TEST(NameFilter, MatchesAsGoogleBenchmarkDoes) {
  EXPECT_TRUE(NameFilter("").wants("add/n:4/cuda"));
  EXPECT_TRUE(NameFilter("all").wants("add/n:4/cuda"));
  EXPECT_TRUE(NameFilter("n:4").wants("add/n:4/cuda"));
  EXPECT_TRUE(NameFilter("^(add|copy)/.*cuda$").wants("add/n:4/cuda"));
  EXPECT_FALSE(NameFilter("^n:4").wants("add/n:4/cuda"));
  EXPECT_FALSE(NameFilter("-n:4").wants("add/n:4/cuda"));
  EXPECT_TRUE(NameFilter("-n:8").wants("add/n:4/cuda"));
  EXPECT_THAT(message_of<UsageError>([] { NameFilter("("); }), HasSubstr("--benchmark_filter=(: "));
}

TEST(NameFilter, LongOnesAreRefusedOrObeyed) {
  EXPECT_THAT(message_of<UsageError>([] { NameFilter(std::string(100'000, '.')); }),
              HasSubstr("100000 characters given, 4096 at most"));
  EXPECT_FALSE(NameFilter(std::string(NameFilter::kLongest, '.')).wants("add"));
  const std::string nested = std::string(2047, '(') + "ad" + std::string(2047, ')');
  EXPECT_TRUE(NameFilter(nested).wants("add"));
  EXPECT_TRUE(NameFilter("(" + std::string(4090, '|') + "x)").wants("add"));
}

TEST(Options, HelpIsPrintedAndEndsTheProgram) {
  Arguments arguments({"--help"});
  Options options;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(parse_options(arguments.argc(), arguments.argv(), experiment(), kBothApis, options));
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
