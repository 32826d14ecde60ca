#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/model/signal.h"
#include "core/model/value.h"
#include "core/units/duration.h"

namespace jettison {

// Reads the fields of a form (core/json/json_writer.h) from a document which another version may
// have written. A field keeps its value where the member is missing or of another type.
class FormReader {
 public:
  // `map` must outlive this.
  explicit FormReader(const Value& map) : map_(map) {}

  template <typename T>
  void operator()(std::string_view key, T& into) {
    if (const Value* value = map_.Find(key)) Take(*value, into);
  }
  void UnlessEmpty(std::string_view key, std::string& into) { (*this)(key, into); }
  void OneOf(std::string_view key, bool& into, std::string_view yes, std::string_view no) {
    std::string word;
    (*this)(key, word);
    if (word == yes || word == no) into = word == yes;
  }
  void Share(std::string_view key, std::optional<std::int32_t>& hundredths) {
    constexpr double kMost = 1e6;
    std::optional<double> percent;
    (*this)(key, percent);
    if (!percent) return;
    hundredths = static_cast<std::int32_t>(std::lround(std::clamp(*percent, -kMost, kMost) * 100));
  }
  template <typename T>
  void Told(std::string_view /*key*/, const T& /*value*/) {}

 private:
  // These say whether the value is of the field's kind.
  static bool Take(const Value& value, std::string& into) {
    if (value.AsString() == nullptr) return false;
    into = *value.AsString();
    return true;
  }
  static bool Take(const Value& value, bool& into) {
    if (value.AsBool() == nullptr) return false;
    into = *value.AsBool();
    return true;
  }
  static bool Take(const Value& value, Instant& into) {
    std::string text;
    if (!Take(value, text)) return false;
    const auto at = ParseInstant(text);
    if (at) into = *at;
    return at.has_value();
  }
  static bool Take(const Value& value, WallTime& into) {
    Instant at{into.time_since_epoch()};
    const bool is_one = Take(value, at);
    into = WallTime(at.time_since_epoch());
    return is_one;
  }
  static bool Take(const Value& value, Duration& into) {
    constexpr double kMost = 9e9;  // seconds; 64 bits hold a little more of their billionths
    double seconds = 0;
    if (!Take(value, seconds)) return false;
    into = std::chrono::round<Duration>(
        std::chrono::duration<double>(std::clamp(seconds, -kMost, kMost)));
    return true;
  }
  template <typename T>
  static bool Take(const Value& value, std::optional<T>& into) {
    T read{};
    if (Take(value, read)) into = std::move(read);
    return true;
  }
  template <typename T>
  static bool Take(const Value& value, std::vector<T>& into) {
    if (value.AsList() == nullptr) return false;
    for (const Value& entry : *value.AsList()) {
      T read{};
      if (Take(entry, read)) into.push_back(std::move(read));
    }
    return true;
  }
  template <typename T>
  static bool Take(const Value& value, T& into) {
    if constexpr (std::is_arithmetic_v<T>) {
      if (value.AsNumber() == nullptr) return false;
      const std::string& text = value.AsNumber()->text;
      return std::from_chars(text.data(), text.data() + text.size(), into).ec == std::errc();
    } else if constexpr (std::is_enum_v<T>) {
      std::string name;
      const auto found = Take(value, name) ? EnumeratorNamed<T>(name) : std::nullopt;
      into = found.value_or(into);
      return found.has_value();
    } else {
      FormReader members(value);
      VisitFields(members, into);
      return true;
    }
  }

  const Value& map_;
};

}  // namespace jettison
