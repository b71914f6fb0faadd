// An experiment's own case list on cards that nobody has measured: every case fits the memory, and what is to be there all at
// once does. Linked with all of a program's own objects: its main() describes the experiment to this run_main().
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "cards.h"
#include "core/base/error.h"

namespace bench {
namespace {

Experiment described;

const Experiment& experiment() { return described; }

// --list CARD RUN: what each case is keyed by and sized by, a line a side, for scripts/tests/test_quick_time.py.
int list_cases(std::string_view name, std::string_view run) {
  const Card& card = name == "h200" ? kH200 : kTenth;
  Options options;
  options.quick = run == "quick";
  std::cout << "case,variant,api,params,elements,cache,footprint_bytes,fixed_batch,host_samples,budget_s\n";
  std::size_t number = 0;
  for (const Case& one : choose_cases(experiment(), options, plan_of(card, true, options))) {
    ++number;
    for (const Side& side : one.sides) {
      std::string params;
      for (const Column& column : experiment().params)
        params += fmt::format("{}={};", column.name, side.params.text(column.name));
      std::cout << fmt::format("{},{},{},{},{},{},{},{},{},{}\n", number, side.variant, to_string(side.api), params,
                               one.elements, to_string(one.cache), one.footprint_bytes, one.fixed_batch, one.host_samples,
                               one.budget_part * options.case_budget_s());
    }
  }
  return 0;
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature of the function that it stands for
int run_main(int argc, char** argv, const Experiment& one, std::vector<std::unique_ptr<Backend>> /*backends*/) {
  described = one;
  if (argc == 4 && std::string_view(argv[1]) == "--list") return list_cases(argv[2], argv[3]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

namespace {

class CaseLists : public testing::TestWithParam<const Card*> {
 protected:
  Plan plan_ = plan_of(*GetParam());
  std::vector<Case> cases_ = choose_cases(experiment(), {}, plan_);
};
INSTANTIATE_TEST_SUITE_P(Cards, CaseLists, testing::ValuesIn(kCards),
                         [](const auto& one) { return "Card" + std::to_string(one.index); });

TEST_P(CaseLists, EveryCaseFitsTheMemoryTwice) {
  SCOPED_TRACE(GetParam()->name);
  for (const Case& one : cases_) {
    EXPECT_LE(2 * (one.footprint_bytes + plan_.sweep_bytes), GetParam()->memory_bytes)
        << case_name(experiment(), one, one.sides.front());
  }
}

// Whether the case is one whose blocks are to fill the GPU or to be there all at once; if so, whether they do.
using Check = std::function<bool(const Plan&, const Case&, const std::string& name)>;

constexpr std::uint64_t kThreads = 256;

std::uint64_t number(const Case& one, const char* param) {
  const Value* value = one.sides.front().params.find(param);
  return value == nullptr || value->text().empty() ? 0 : std::stoull(value->text());
}

bool is_variant(const Case& one, std::string_view name) { return one.sides.front().variant == name; }

bool check_window(const Plan& plan, const Case& one, const std::string& name) {
  if (!is_variant(one, "read_window")) return false;
  EXPECT_EQ(number(one, "grid"), plan.cpu ? 4 : plan.resident_blocks(kThreads)) << name;
  EXPECT_LE(one.footprint_bytes, std::max<std::uint64_t>(2 * plan.l2_bytes + (16U << 20), 128U << 20)) << name;
  return true;
}

bool check_order(const Plan& plan, const Case& one, const std::string& name) {
  if (!one.sides.front().variant.ends_with("_rate")) return false;
  // 32 or 512 operations of a thread.
  const std::uint64_t threads = one.footprint_bytes / 64;
  const std::uint64_t full = kThreads * (plan.cpu ? 8 : plan.resident_blocks(kThreads));
  EXPECT_TRUE(plan.cpu || one.elements == 32 * threads || one.elements == 512 * threads) << name;
  EXPECT_LE(threads, full) << name;
  EXPECT_GT(2 * threads, full) << name << ": a full GPU";
  return true;
}

bool check_litmus(const Plan& plan, const Case& one, const std::string& name) {
  if (is_variant(one, "constant")) return false;
  if (plan.cpu) return true;
  const std::uint64_t blocks = one.elements / kThreads / 8;
  EXPECT_LT(blocks, plan.resident_blocks(kThreads)) << name << ": some blocks stress beside the test's";
  EXPECT_GE(4 * blocks, plan.resident_blocks(kThreads)) << name;
  return true;
}

// Blocks that load a large array of shared memory each: four for every SM, or as many as the buffer has room for.
bool check_shared_arrays(const Plan& plan, const Case& one, const std::string& name) {
  const std::uint64_t bytes = number(one, "shared_bytes");
  if (bytes == 0) return false;
  const std::uint64_t blocks = one.elements * 4 / bytes;
  EXPECT_LE(blocks, 4 * plan.multiprocessors) << name;
  EXPECT_TRUE(plan.cpu || blocks == 4 * plan.multiprocessors) << name;
  return true;
}

// Of two kernels, blocks for every slot of the GPU at most.
bool check_together(const Plan& plan, const Case& one, const std::string& name) {
  if (!is_variant(one, "two_kernels")) return false;
  EXPECT_LE(number(one, "blocks"), plan.cpu ? 1 : plan.resident_blocks(kThreads)) << name;
  return true;
}

bool check_dispatches(const Plan& plan, const Case& one, const std::string& name) {
  if (number(one, "blocks") == 1) return false;
  const std::uint64_t sms = plan.cpu ? 4 : plan.multiprocessors;
  const std::uint64_t full = plan.cpu ? 16 : plan.resident_blocks(kThreads);
  EXPECT_TRUE(number(one, "blocks") == sms || number(one, "blocks") == full) << name;
  return true;
}

// The same threads on every GPU, or as many as a larger one holds: a full GPU.
bool check_atomics(const Plan& plan, const Case& one, const std::string& name) {
  const std::uint64_t threads = number(one, "threads");
  if (one.elements == threads) return false;  // one addition each, of a crowd of its own size
  EXPECT_TRUE(plan.cpu || (threads >= 1U << 18 && 2 * threads > kThreads * plan.resident_blocks(kThreads))) << name;
  EXPECT_LE(threads, std::max<std::uint64_t>(1U << 18, kThreads * plan.resident_blocks(kThreads))) << name;
  return true;
}

const std::map<std::string_view, Check> kFull = {{"exp04_bda", check_shared_arrays}, {"exp05_strided", check_window},
                                                 {"exp06_ordering", check_order},    {"exp06_litmus", check_litmus},
                                                 {"exp08_queues", check_together},   {"exp08_dispatches", check_dispatches},
                                                 {"exp09_atomics", check_atomics}};

TEST_P(CaseLists, WhatIsThereAllAtOnceFitsTheGpu) {
  SCOPED_TRACE(GetParam()->name);
  const auto check = kFull.find(experiment().name);
  if (check == kFull.end()) GTEST_SKIP() << "no row tells how many blocks it has";
  std::size_t checked = 0;
  for (const Case& one : cases_) {
    checked += check->second(plan_, one, case_name(experiment(), one, one.sides.front())) ? 1 : 0;
  }
  EXPECT_GT(checked, 0U);
}

// Which of the cache's states its cases are in: what is about memory meets both on every card.
TEST_P(CaseLists, TheCachesAreMetThatTheExperimentIsAbout) {
  const std::set<std::string_view> both = {"exp01_vector_add", "exp02_descriptors", "exp04_bda",
                                           "exp05_strided",    "exp08_queues",      "exp10_l2_halves"};
  const std::set<std::string_view> warm_alone = {"exp09_atomics", "exp09_subgroups"};
  std::set<Cache> caches;
  for (const Case& one : cases_) caches.insert(one.cache);
  const std::string_view name = experiment().name;
  if (both.contains(name)) {
    EXPECT_EQ(caches.size(), 2U) << GetParam()->name;
  } else if (warm_alone.contains(name)) {
    EXPECT_EQ(caches, std::set{Cache::kWarm}) << GetParam()->name;
  } else {
    GTEST_SKIP() << "either will do";
  }
}

}  // namespace
}  // namespace bench
