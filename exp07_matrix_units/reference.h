// What a product must be, independent of any kernel, and how far from that its sums may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "inputs.h"
#include "params.h"

// C = A B of random matrices, known in three ways:
//   - elements of blocks at random places, summed in double precision;
//   - of every row its sum with random signs: C x = A (B x);
//   - of every column likewise: y C = (y A) B (R. Freivalds, "Fast probabilistic algorithms", 1979).
// An element that is wrong shows in its row and in its column; a tile at a wrong place does, too, since the signs differ.
class Product {
 public:
  // Takes the time of four passes over each operand, on all of the host's threads.
  Product(std::uint64_t seed, Number in, Data data, const MatrixParams& shape, Layout b = Layout::kByColumns);

  struct Element {
    std::uint64_t index = 0;  // row * n + column
    double value = 0;
    double peak = 0;  // the largest of its products and of the sums on the way, without their signs
  };

  const MatrixParams& shape() const { return shape_; }
  const std::vector<Element>& elements() const { return elements_; }  // by index
  const std::vector<double>& row_sums() const { return row_sums_; }
  const std::vector<double>& column_sums() const { return column_sums_; }
  std::uint64_t seed() const { return seed_; }
  Number in() const { return in_; }

 private:
  std::uint64_t seed_;
  Number in_;
  MatrixParams shape_;
  std::vector<Element> elements_;
  std::vector<double> row_sums_;
  std::vector<double> column_sums_;
};

// How far a kernel's sums may be from the product.
struct Bounds {
  double element = 0;  // of one element, from its peak: error <= element * peak
  double typical = 0;  // of all elements looked at: root mean square of the errors <= typical * that of the peaks
  double summed = 0;   // of a row's sum of n elements: error <= summed * sqrt(n) * root mean square of the peaks
};
// `depth`: how many products a sum has.
Bounds bounds_of(Number in, Number sums, std::uint32_t depth);

// Compares a product with what a kernel made, part by part, in any order and from any thread.
class Comparison {
 public:
  Comparison(const Product& product, Number sums);
  // Elements of C from `first` on, as they lie in memory.
  void add(std::uint64_t first, std::span<const std::byte> bytes);
  // Throws Error with what is wrong, after the last part.
  void finish() const;

 private:
  const Product& product_;
  Number sums_;
  std::vector<float> row_signs_;
  std::vector<float> column_signs_;
  std::mutex mutex_;
  std::vector<double> found_;  // of product_.elements()
  std::vector<double> row_sums_;
  std::vector<double> column_sums_;
};
