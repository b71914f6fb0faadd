// The experiment's table: which operation, on what, where, by how many.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "params.h"

// What is left in the words, and what came back of it.
enum class Op : std::uint8_t { kAdd, kMin, kExchange, kCas, kExchangeLoop, kFirst, kAddGeneric, kAddKnown };
enum class Type : std::uint8_t { kI32, kI64, kF32, kF64, kF16x2 };

std::string_view to_string(Op op);      // "add", "min", "exchange", "cas", "exchange_loop", "first", "add_generic", "add_known"
std::string_view to_string(Type type);  // "i32", "i64", "f32", "f64", "f16x2"
std::uint32_t bytes_of(Type type);

// One row of the CSV, or two twins.
struct Config {
  Op op{};
  Type type{};
  bool shared = false;  // in shared memory: each block has `addresses` of its own
  bool used = false;    // what comes back is summed up
  std::uint32_t addresses = 1;
  std::uint32_t threads = 0;
  std::uint32_t steps = 1;

  bool has_vulkan() const { return op != Op::kAddGeneric; }  // GLSL has no address without a memory
  bool loops() const { return op == Op::kCas || op == Op::kExchangeLoop; }
  std::string kernel() const;  // global_add_i32_used
  std::uint32_t block() const { return EXP09_BLOCK; }
  std::uint32_t grid() const { return threads / EXP09_BLOCK; }
  std::uint64_t operations() const { return std::uint64_t{threads} * steps; }
  std::uint32_t turns() const;  // after which a loop gives up
  // Threads that share addresses: all, or a block's; and how many such groups there are.
  std::uint32_t group_threads() const { return shared ? block() : threads; }
  std::uint32_t groups() const { return threads / group_threads(); }
  std::uint64_t data_words() const { return std::uint64_t{addresses} * groups() * bytes_of(type) / 4; }
  std::uint64_t result_words() const { return std::uint64_t{threads} * bytes_of(type) / 4; }
};

std::vector<Config> all_configs(const bench::Plan& plan);
