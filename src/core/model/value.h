#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace jettison {

// A parsed document, YAML or JSON alike: what a reader turns into a Pod or a configuration. It
// keeps numbers as their text ("1e3", "0.10"), so that nothing is rounded before it is understood.
class Value {
 public:
  struct Null {
    friend bool operator==(Null, Null) = default;
  };
  struct Number {
    std::string text;
    friend bool operator==(const Number&, const Number&) = default;
  };
  using List = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Map = std::vector<Member>;  // in the order of the document; keys are unique

  Value() = default;
  template <typename T>
  explicit Value(T data, int line = 0) : data_(std::move(data)), line_(line) {}

  [[nodiscard]] bool IsNull() const { return std::holds_alternative<Null>(data_); }
  [[nodiscard]] const bool* AsBool() const { return std::get_if<bool>(&data_); }
  [[nodiscard]] const Number* AsNumber() const { return std::get_if<Number>(&data_); }
  [[nodiscard]] const std::string* AsString() const { return std::get_if<std::string>(&data_); }
  [[nodiscard]] const List* AsList() const { return std::get_if<List>(&data_); }
  [[nodiscard]] const Map* AsMap() const { return std::get_if<Map>(&data_); }
  // The member of that name, or null where this is no map or has no such member.
  [[nodiscard]] const Value* Find(std::string_view key) const {
    const Map* map = AsMap();
    if (map == nullptr) return nullptr;
    const auto found = std::ranges::find(*map, key, &Member::first);
    return found == map->end() ? nullptr : &found->second;
  }
  // Where it began in its document, counted from 1; 0 where unknown.
  [[nodiscard]] int line() const { return line_; }
  // "null", "a boolean", "a number", "a string", "a list", "a map": for messages.
  [[nodiscard]] std::string_view KindName() const {
    constexpr auto kNames = std::to_array<std::string_view>(
        {"null", "a boolean", "a number", "a string", "a list", "a map"});
    return kNames[data_.index()];
  }

 private:
  std::variant<Null, bool, Number, std::string, List, Map> data_;
  int line_ = 0;
};

}  // namespace jettison
