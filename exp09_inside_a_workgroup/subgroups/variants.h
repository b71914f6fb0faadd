// The experiment's table: the operations, by the names of both APIs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "params.h"

struct Operation {
  const char* name;
  std::uint32_t number;
  std::string_view set;  // the kernels' stem: basic is in every device that the suite takes, groups is in CUDA alone
  bool of_some;          // also of the even lanes alone
};

inline constexpr Operation kOperations[] = {
    {"none", EXP09_NONE, "basic", true},
    {"shuffle", EXP09_SHUFFLE, "more", false},
    {"shuffle_xor", EXP09_SHUFFLE_XOR, "more", false},
    {"shuffle_up", EXP09_SHUFFLE_UP, "more", false},
    {"rotate", EXP09_ROTATE, "more", false},
    {"broadcast", EXP09_BROADCAST, "basic", true},
    {"ballot", EXP09_BALLOT, "basic", true},
    {"all", EXP09_ALL, "basic", true},
    {"any", EXP09_ANY, "basic", true},
    {"add", EXP09_ADD, "basic", true},
    {"add_shuffles", EXP09_ADD_SHUFFLES, "more", false},
    {"min", EXP09_MIN, "basic", true},
    {"and", EXP09_AND, "basic", true},
    {"add_float", EXP09_ADD_FLOAT, "basic", false},
    {"exclusive_add", EXP09_EXCLUSIVE_ADD, "basic", false},
    {"clustered_add", EXP09_CLUSTERED_ADD, "more", false},
    {"quad_swap", EXP09_QUAD_SWAP, "more", false},
    {"inclusive_add", EXP09_INCLUSIVE_ADD, "basic", false},
    // GLSL's own rotation, for which CUDA has a shuffle.
    {"subgroup_rotate", EXP09_ROTATE, "rotate", false},
    // CUDA's cooperative groups: of a tile of a warp, of a tile of 8 lanes, and of the lanes that are there.
    {"tile_shuffle", EXP09_SHUFFLE, "groups", false},
    {"tile_ballot", EXP09_BALLOT, "groups", false},
    {"tile_add", EXP09_ADD, "groups", false},
    {"tile_add_float", EXP09_ADD_FLOAT, "groups", false},
    {"tile_inclusive_add", EXP09_INCLUSIVE_ADD, "groups", false},
    {"tile_exclusive_add", EXP09_EXCLUSIVE_ADD, "groups", false},
    {"tile_clustered_add", EXP09_CLUSTERED_ADD, "groups", false},
    {"coalesced_add", EXP09_ADD, "groups", true},
};

// One row of the CSV, or two twins.
struct Config {
  const Operation* operation = nullptr;
  bool rate = false;                                                 // a full GPU's; else one subgroup's chain
  bool even = false;                                                 // of the even lanes alone, behind a branch
  bool full = false;                                                 // Vulkan alone: the pipeline asks for full subgroups
  bench::Reconvergence reconvergence = bench::Reconvergence::kNone;  // Vulkan alone: what the module declares
  std::uint32_t sms = 0;
  bool small = false;  // for a CPU, or the smoke test

  std::string variant() const { return rate ? "rate" : "chain"; }
  // A row's.
  std::string name() const { return variant() + (reconvergence != bench::Reconvergence::kNone ? "_declared" : ""); }
  std::string glsl_stem() const;
  std::string_view subgroups() const;
  bool vulkan_alone() const { return full || reconvergence != bench::Reconvergence::kNone; }
  std::string_view cuda_stem() const { return operation->set; }
  bool has_vulkan() const { return operation->set != "groups"; }
  std::string entry() const;
  std::uint32_t block() const { return rate ? 256 : 32; }
  std::uint32_t blocks() const { return !rate ? 1 : small ? 4 : sms * 8; }
  std::uint32_t steps() const { return small ? 16 : rate ? 128 : 4096; }
  std::uint64_t operations() const;  // of threads, in a launch
};

std::vector<Config> all_configs(const bench::Plan& plan);
