#include "reference.h"

namespace {

Row after(Row row, std::uint32_t turns) {
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    for (std::uint32_t& x : row) x = EXP08_STEP(x);
  }
  return row;
}

}  // namespace

std::vector<Row> rows_before(const Config& config) {
  std::vector<Row> rows(config.rows());
  std::uint32_t i = 0;
  for (Row& row : rows) {
    for (std::uint32_t& word : row) word = EXP08_BEFORE(i++);
  }
  return rows;
}

std::vector<Row> expected_rows(const Config& config) {
  if (config.overwrites) {
    std::vector<Row> rows = rows_before(config);
    for (std::uint32_t i = 0; i < config.links; ++i) rows[i] = after(rows[i + 1], 1);  // which is as it was before
    return rows;
  }
  Row start{};
  for (std::uint32_t lane = 0; lane < EXP08_LANES; ++lane) start[lane] = EXP08_START(lane);
  std::vector<Row> rows = {after(start, 1)};
  while (rows.size() < config.links) rows.push_back(after(rows.back(), 1));
  if (config.filler_turns != 0) rows.resize(config.rows(), after(start, config.filler_turns));
  return rows;
}

std::uint32_t wrong_rows(std::span<const Row> found, std::span<const Row> expected) {
  std::uint32_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) wrong += found[i] == expected[i] ? 0 : 1;
  return wrong;
}
