// A table of a TOML file whose keys are taken one by one: what is wrong with one, and what nobody takes, is a UsageError of one
// line, `file:line: what was found; what is allowed`.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "description/description.h"
#include "description/toml.h"

namespace bench::own {

// The names nearest to `name` as text: "; near: elements, element"; "" if none is near.
std::string near_names(std::string_view name, const std::vector<std::string>& names);

class Keys {
 public:
  // `what` is how messages call the table: "[[buffer]] x".
  Keys(const toml::table& table, std::string file, std::string what);

  [[noreturn]] void fail(std::uint32_t line, const std::string& message) const;
  template <class... Args>
  [[noreturn]] void fail(std::uint32_t line, fmt::format_string<Args...> format, Args&&... args) const {
    fail(line, fmt::format(format, std::forward<Args>(args)...));
  }

  // nullptr if there is no such key.
  const toml::node* find(std::string_view key);
  // Fails if there is no such key.
  const toml::node& need(std::string_view key, std::string_view form);

  bool has(std::string_view key) const { return table_.contains(key); }
  std::uint32_t line_of(std::string_view key) const;
  std::uint32_t line() const { return line_; }
  const std::string& file() const { return file_; }
  const std::string& what() const { return what_; }
  void rename(std::string what) { what_ = std::move(what); }

  std::string text(std::string_view key, const toml::node& node) const;
  std::optional<std::string> text(std::string_view key);
  std::optional<bool> yes_or_no(std::string_view key);
  std::optional<std::uint64_t> whole(std::string_view key, std::uint64_t most);
  // A number as it was written, or the text of one.
  Expression expression(std::string_view key, const toml::node& node) const;
  std::optional<Expression> expression(std::string_view key);
  // One of the words; its index.
  std::optional<std::size_t> word(std::string_view key, std::span<const std::string_view> words);
  std::size_t word(std::string_view key, const toml::node& node, std::span<const std::string_view> words) const;
  // A list of tables; empty if there is no such key.
  std::vector<const toml::table*> tables(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  const toml::table& table(std::string_view key, const toml::node& node, std::string_view form) const;

  // Fails if the table has a key that was neither found nor asked for.
  void end() const;

 private:
  const toml::table& table_;
  std::string file_;
  std::string what_;
  std::uint32_t line_ = 0;
  std::vector<std::string> known_;
};

std::uint32_t line_of(const toml::node& node);
// "a boolean", "a table", ...
std::string_view kind_of(const toml::node& node);

}  // namespace bench::own
