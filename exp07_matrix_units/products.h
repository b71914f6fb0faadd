// The second part: products of matrices, from the plainest kernel to the vendor's library.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/experiment/experiment.h"
#include "inputs.h"
#include "variants.h"

std::vector<bench::Column> product_columns();

// What all cases of a program share.
class Products;

// C = A B of one size by one kernel.
struct ProductConfig {
  Shape shape;
  Data data = Data::kNormal;
  std::uint32_t size = 0;  // m and n, and k but for a shallow product
  std::uint32_t sms = 0;   // 0: no device tells
};

// `kernels`: the program's own.
std::shared_ptr<Products> make_products(std::span<const bench::KernelImages> kernels);
// What makes it, how it is launched (of operands that are there, into poisoned memory), and whether what a launch of it has
// left there is the product: throws Error if not.
bench::KernelSpec product_kernel(const ProductConfig& config, const Products& products);
bench::Launch product_launch(bench::Workbench& bench, const ProductConfig& config, const bench::Kernel& kernel);
void check_product(bench::Workbench& bench, const ProductConfig& config, Products& products, const bench::Launch& launched);
double product_operations(const ProductConfig& config);

// The parameters in, sums, size, data, tile and warps are set.
bench::Case product_case(const ProductConfig& config, const std::shared_ptr<Products>& products);

std::vector<bench::Case> product_cases(const bench::Plan& plan, std::span<const bench::KernelImages> kernels);
