#include "description/keys.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace bench::own {
namespace {

constexpr std::size_t kLongestMessage = 1000;

// Letters to change, add or leave out (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char letter : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (letter == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string near_names(std::string_view name, const std::vector<std::string>& names) {
  if (name.size() > 100) return "";
  std::vector<std::string> found;
  for (const std::string& one : names) {
    const bool begins = name.size() > 2 && (one.starts_with(name) || name.starts_with(one));
    if (begins || distance(name, one) <= (one.size() < 5 ? 1U : 2U)) found.push_back(one);
  }
  return found.empty() ? "" : fmt::format("; near: {}", fmt::join(found, ", "));
}

std::uint32_t line_of(const toml::node& node) { return node.source().begin.line; }

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or a time";
  }
}

Keys::Keys(const toml::table& table, std::string file, std::string what)
    : table_(table), file_(std::move(file)), what_(std::move(what)), line_(own::line_of(table)) {}

void Keys::fail(std::uint32_t line, const std::string& message) const {
  std::string text = fmt::format("{}:{}: {}: {}", file_, std::max(line, 1U), what_, message);
  // One line that a screen holds, whatever the names in it.
  std::replace_if(text.begin(), text.end(), is_control_character, ' ');
  if (text.size() > kLongestMessage)
    text = text.substr(0, kLongestMessage / 2) + " ... " + text.substr(text.size() - kLongestMessage / 2);
  throw UsageError("{}", text);
}

std::uint32_t Keys::line_of(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return node == nullptr ? line_ : own::line_of(*node);
}

const toml::node* Keys::find(std::string_view key) {
  known_.emplace_back(key);
  return table_.get(key);
}

const toml::node& Keys::need(std::string_view key, std::string_view form) {
  const toml::node* node = find(key);
  if (node == nullptr) {
    std::vector<std::string> unknown;  // a key that is misspelt is named as that
    for (const auto& [name, value] : table_) unknown.emplace_back(name.str());
    fail(line_, "no key {}{}; {} is needed", key, near_names(key, unknown), form);
  }
  return *node;
}

std::string Keys::text(std::string_view key, const toml::node& node) const {
  if (!node.is_string()) fail(own::line_of(node), "{} is {}; a text in quotes is allowed", key, kind_of(node));
  std::string found = node.as_string()->get();
  if (found.find('\0') != std::string::npos) fail(own::line_of(node), "{} holds a zero byte; none is allowed", key);
  return found;
}

std::optional<std::string> Keys::text(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  return text(key, *node);
}

std::optional<bool> Keys::yes_or_no(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_boolean()) fail(own::line_of(*node), "{} is {}; true or false is allowed", key, kind_of(*node));
  return node->as_boolean()->get();
}

std::optional<std::uint64_t> Keys::whole(std::string_view key, std::uint64_t most) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto* integer = node->as_integer();
  if (integer == nullptr) fail(own::line_of(*node), "{} is {}; an integer from 0 to {} is allowed", key, kind_of(*node), most);
  if (integer->get() < 0 || static_cast<std::uint64_t>(integer->get()) > most)
    fail(own::line_of(*node), "{} is {}; an integer from 0 to {} is allowed", key, integer->get(), most);
  return static_cast<std::uint64_t>(integer->get());
}

Expression Keys::expression(std::string_view key, const toml::node& node) const {
  const std::uint32_t line = own::line_of(node);
  if (const auto* integer = node.as_integer()) return {std::to_string(integer->get()), line};
  if (const auto* number = node.as_floating_point()) {
    if (!std::isfinite(number->get())) fail(line, "{} is {}; a finite number is allowed", key, number->get());
    return {fmt::format("{}", number->get()), line};
  }
  if (node.is_string()) {
    std::string found = text(key, node);
    // One line, whatever the message it stands in.
    std::replace_if(
        found.begin(), found.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    if (found.find_first_not_of(' ') == std::string::npos)
      fail(line, "{} is empty; a number or an expression of the sizes is allowed", key);
    return {found, line};
  }
  fail(line, "{} is {}; a number or an expression of the sizes in quotes is allowed", key, kind_of(node));
}

std::optional<Expression> Keys::expression(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  return expression(key, *node);
}

std::size_t Keys::word(std::string_view key, const toml::node& node, std::span<const std::string_view> words) const {
  const std::string found = node.is_string() ? text(key, node) : std::string(kind_of(node));
  if (node.is_string()) {
    const auto at = std::find(words.begin(), words.end(), found);
    if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  }
  const std::string quote = node.is_string() ? "\"" : "";
  fail(own::line_of(node), "{} is {}{}{}; allowed: {}", key, quote, found, quote, fmt::join(words, ", "));
}

std::optional<std::size_t> Keys::word(std::string_view key, std::span<const std::string_view> words) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  return word(key, *node, words);
}

const toml::table& Keys::table(std::string_view key, const toml::node& node, std::string_view form) const {
  if (!node.is_table()) fail(own::line_of(node), "{} is {}; {} is allowed", key, kind_of(node), form);
  return *node.as_table();
}

std::vector<const toml::table*> Keys::tables(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  if (!node->is_array())
    fail(own::line_of(*node), "{} is {}; tables are allowed, each begins with [[{}]]", key, kind_of(*node), key);
  std::vector<const toml::table*> all;
  for (const toml::node& one : *node->as_array()) {
    if (!one.is_table())
      fail(own::line_of(one), "{} holds {}; tables are allowed, each begins with [[{}]]", key, kind_of(one), key);
    all.push_back(one.as_table());
  }
  return all;
}

std::vector<std::string> Keys::texts(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  if (!node->is_array()) fail(own::line_of(*node), "{} is {}; a list of texts is allowed", key, kind_of(*node));
  std::vector<std::string> all;
  for (const toml::node& one : *node->as_array()) all.push_back(text(key, one));
  return all;
}

void Keys::end() const {
  for (const auto& [key, node] : table_) {
    const std::string name(key.str());
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    fail(own::line_of(node), "unknown key {}{}; allowed: {}", name, near_names(name, known_), fmt::join(known_, ", "));
  }
}

}  // namespace bench::own
