// The experiment's table: what is done, in which order and scope, in which of the two APIs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "params.h"

inline constexpr int kNone = -1;

inline constexpr std::uint32_t kSpins = 60000;  // of 16 polls, ~0.3 us each: a wait ends after a third of a second

// What GLSL calls an order; kNone: nothing.
struct Order {
  const char* name;
  int glsl;
  bool cuda = true;  // PTX has no order without availability and visibility
};
inline constexpr Order kWeak{"weak", EXP06_WEAK}, kNoFence{"none", EXP06_RELAXED}, kRelaxed{"relaxed", EXP06_RELAXED},
    kAcquire{"acquire", EXP06_ACQUIRE}, kRelease{"release", EXP06_RELEASE}, kAcqRel{"acq_rel", EXP06_ACQ_REL},
    kSeqCst{"seq_cst", kNone}, kByFence{"fence", EXP06_FENCE}, kByFenceOneWay{"fence_one_way", EXP06_FENCE_ONE_WAY},
    kByFenceSc{"fence_sc", kNone}, kAcquireBare{"acquire_bare", EXP06_ACQUIRE_BARE, false},
    kReleaseBare{"release_bare", EXP06_RELEASE_BARE, false};

// The two APIs' scopes. Vulkan has no word for a cluster, nor for host and other devices together with this one; CUDA none for
// one warp or one queue family.
struct Scope {
  const char* name;
  bool cuda;
  int glsl;
};
inline constexpr Scope kNoScope{"", true, EXP06_WORKGROUP}, kCta{"cta", true, EXP06_WORKGROUP},
    kCluster{"cluster", true, kNone}, kGpu{"gpu", true, EXP06_DEVICE}, kSys{"sys", true, kNone},
    kSubgroup{"subgroup", false, EXP06_SUBGROUP}, kQueueFamily{"queue_family", false, EXP06_QUEUE_FAMILY};

enum class Shape : std::uint8_t {
  kChain,    // one thread, each operation needs the one before
  kRate,     // every thread of a full GPU, on words of its own
  kFence,    // one block stores, one of its threads fences
  kMessage,  // two blocks of one thread
};

enum class Op : std::uint8_t { kLoad, kStore, kAdd, kCas, kFence, kMessage };

struct Variant {
  const char* name;
  const char* cuda;   // the .cu file of what every GPU has
  const char* entry;  // its entries begin so; the .comp file's name
  Shape shape;
  Op op;
  std::vector<Order> orders;
  std::vector<Scope> scopes;
  std::vector<std::uint32_t> resident_bytes;   // of what is walked through; {0}: one word, or as much as the GPU's threads need
  std::vector<std::uint32_t> in_flight_bytes;  // stored before each fence; {0}: none
  const char* via = "instruction";             // or atomic_ref
};

inline const std::vector<Scope> kAllScopes = {kCta, kCluster, kGpu, kSys, kSubgroup, kQueueFamily};
inline const std::vector<Scope> kBetweenBlocks = {kCluster, kGpu, kSys, kQueueFamily};
inline const std::vector<Scope> kLibraryScopes = {kCta, kGpu, kSys};
inline const std::vector<Order> kLoadOrders = {kWeak, kRelaxed, kAcquire, kByFence, kByFenceOneWay, kSeqCst};
inline const std::vector<Order> kStoreOrders = {kWeak, kRelaxed, kRelease, kByFence, kByFenceOneWay, kSeqCst};
inline const std::vector<Order> kAddOrders = {kRelaxed, kAcquire, kRelease, kAcqRel, kSeqCst};
inline const std::vector<Order> kFenceOrders = {kNoFence, kAcquire, kRelease, kAcqRel, kSeqCst};
inline const std::vector<Order> kMessageOrders = {kRelaxed, kAcqRel, kByFence, kByFenceSc, kSeqCst};

inline constexpr std::uint32_t kInL1 = 16U << 10;
inline constexpr std::uint32_t kInL2 = 4U << 20;

inline const Variant kVariants[] = {
    {"load_chain", "load", "load", Shape::kChain, Op::kLoad, kLoadOrders, kAllScopes, {kInL1, kInL2}, {0}},
    {"store_chain", "store", "store", Shape::kChain, Op::kStore, kStoreOrders, kAllScopes, {0}, {0}},
    {"add_chain", "atomic", "add", Shape::kChain, Op::kAdd, kAddOrders, kAllScopes, {0}, {0}},
    {"cas_chain", "atomic", "cas", Shape::kChain, Op::kCas, {kRelaxed, kAcqRel}, kAllScopes, {0}, {0}},
    {"load_rate", "load", "load_rate", Shape::kRate, Op::kLoad, kLoadOrders, kAllScopes, {0}, {0}},
    {"store_rate", "store", "store_rate", Shape::kRate, Op::kStore, kStoreOrders, kAllScopes, {0}, {0}},
    {"add_rate", "atomic", "add_rate", Shape::kRate, Op::kAdd, kAddOrders, kAllScopes, {0}, {0}},
    {"fence_rate", "fence", "fence_rate", Shape::kRate, Op::kFence, kFenceOrders, kAllScopes, {0}, {0}},
    {"fence", "fence", "fence", Shape::kFence, Op::kFence, kFenceOrders, kAllScopes, {0}, {0, 65536}},
    {"fence",
     "fence",
     "fence",
     Shape::kFence,
     Op::kFence,
     {kNoFence, kAcqRel, kSeqCst},
     {kCta, kGpu, kSys},
     {0},
     {1024, 4096, 16384}},
    {"message_flag", "message", "message_flag", Shape::kMessage, Op::kMessage, kMessageOrders, kBetweenBlocks, {0}, {0}},
    {"message_payload", "message", "message_payload", Shape::kMessage, Op::kMessage, kMessageOrders, kBetweenBlocks, {0}, {0}},
    {"load_chain", "load", "load", Shape::kChain, Op::kLoad, {kAcquireBare}, {kCta, kGpu}, {kInL1, kInL2}, {0}},
    {"store_chain", "store", "store", Shape::kChain, Op::kStore, {kReleaseBare}, {kCta, kGpu}, {0}, {0}},
    {"load_chain",
     "library",
     "library_load",
     Shape::kChain,
     Op::kLoad,
     {kRelaxed, kAcquire, kSeqCst},
     kLibraryScopes,
     {kInL1},
     {0},
     "atomic_ref"},
    {"store_chain",
     "library",
     "library_store",
     Shape::kChain,
     Op::kStore,
     {kRelaxed, kRelease, kSeqCst},
     kLibraryScopes,
     {0},
     {0},
     "atomic_ref"},
    {"add_chain",
     "library",
     "library_add",
     Shape::kChain,
     Op::kAdd,
     {kRelaxed, kAcqRel, kSeqCst},
     kLibraryScopes,
     {0},
     {0},
     "atomic_ref"},
};

// One row of the CSV, or two twins.
struct Config {
  const Variant* variant = nullptr;
  Order order{};
  Scope scope{};
  std::uint32_t resident_bytes = 0;
  std::uint32_t in_flight_bytes = 0;
  bool small = false;  // for a CPU, or the smoke test
  // Of the GPU: blocks of 256 threads that are there at once, a power of two; and its L2.
  std::uint32_t resident_blocks = 0;
  std::uint64_t l2_bytes = 0;

  bool has_cuda() const { return scope.cuda && order.cuda; }
  bool has_vulkan() const {
    return order.glsl != kNone && scope.glsl != kNone && std::string_view(variant->via) == "instruction";
  }
  std::string_view cuda_stem() const;
  std::string entry() const;
  std::uint32_t steps() const;  // operations of a thread; fence: turns; message: rounds
  std::uint32_t block() const;
  std::uint32_t grid() const;
  std::uint32_t threads() const { return block() * grid(); }
  std::uint32_t advance() const { return variant->shape == Shape::kRate ? EXP06_UNROLL : 1; }
  std::uint64_t words() const;     // of the data
  std::uint64_t elements() const;  // operations of a launch
};

// All configurations, weak and `none` once.
std::vector<Config> all_configs(const bench::Plan& plan);
