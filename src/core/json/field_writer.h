#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/json/json_writer.h"
#include "core/units/duration.h"

namespace jettison {

// A wire form has one list of its fields, which the writer and the reader share:
//
//   template <typename Archive, FormOf<Taint> T>
//   void VisitFields(Archive& fields, T& taint) {
//     fields("key", taint.key);
//     fields("effect", taint.effect);
//   }
//
// T is const for a writer. Every archive knows these:
//   fields(name, value)                   what is absent (an optional) is left out
//   fields.UnlessEmpty(name, text)        an empty text, or list, is left out
//   fields.OneOf(name, flag, yes, no)     a flag as one of two words
//   fields.Share(name, hundredths)        a percentage with two decimals
//   fields.Told(name, value)              follows from the others; not read
template <typename T, typename Form>
concept FormOf = std::same_as<std::remove_const_t<T>, Form>;

// The form as a whole, or a list of forms.
template <typename T>
void WriteForm(const T& value, JsonWriter& json);

// Writes the fields of a form. An instant is RFC 3339, a duration a number of seconds, an
// enumerator its name.
class FieldWriter {
 public:
  explicit FieldWriter(JsonWriter& json) : json_(json) {}

  template <typename T>
  void operator()(std::string_view name, const T& value) {
    json_.Key(name);
    WriteForm(value, json_);
  }
  template <typename T>
  void operator()(std::string_view name, const std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }
  template <typename T>
  void UnlessEmpty(std::string_view name, const T& text) {
    if (!text.empty()) (*this)(name, text);
  }
  void IfTrue(std::string_view name, bool flag) {
    if (flag) (*this)(name, true);
  }
  void OneOf(std::string_view name, std::optional<bool> flag, std::string_view yes,
             std::string_view no) {
    if (flag) json_.Field(name, *flag ? yes : no);
  }
  void Share(std::string_view name, std::optional<std::int32_t> hundredths) {
    if (hundredths) json_.Key(name), json_.Hundredths(*hundredths);
  }
  template <typename T>
  void Told(std::string_view name, const T& value) {
    (*this)(name, value);
  }

 private:
  JsonWriter& json_;
};

// Writes the members of a form into an open object, which may have others.
template <typename T>
void WriteFields(const T& form, JsonWriter& json) {
  FieldWriter fields(json);
  VisitFields(fields, form);
}

template <typename T>
void WriteForm(const std::vector<T>& values, JsonWriter& json) {
  json.Array([&] {
    for (const T& value : values) WriteForm(value, json);
  });
}

template <typename T>
void WriteForm(const std::map<std::string, T, std::less<>>& values, JsonWriter& json) {
  json.Object([&] {
    for (const auto& [name, value] : values) json.Key(name), WriteForm(value, json);
  });
}

template <typename T>
void WriteForm(const T& value, JsonWriter& json) {
  if constexpr (std::same_as<T, bool>) {
    json.Bool(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    json.Number(value);
  } else if constexpr (std::convertible_to<T, std::string_view>) {
    json.String(value);
  } else if constexpr (std::same_as<T, Instant>) {
    json.String(FormatInstant(value));
  } else if constexpr (std::same_as<T, Duration>) {
    json.Number(std::chrono::duration<double>(value).count());
  } else if constexpr (std::is_enum_v<T>) {
    json.String(NameOf(value));
  } else {
    json.Object([&] { WriteFields(value, json); });
  }
}

}  // namespace jettison
