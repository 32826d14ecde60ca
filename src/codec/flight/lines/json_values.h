#pragma once

#include <array>
#include <bitset>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/flight/values/binary_values.h"
#include "core/json/json_writer.h"
#include "core/model/value.h"

namespace jettison {

// A value whose fields are listed (codec/flight/values/list_fields.h) as JSON. What is absent, and
// what is as in a value that was just made, is left out. Instants are RFC 3339, durations Go's, a
// set of places a list, an array of optionals an object with places as names.
class JsonValueWriter {
 public:
  static constexpr bool kIsByPlace = false;
  explicit JsonValueWriter(JsonWriter& json) : json_(json) {}

  template <typename T>
  void operator()(std::string_view name, const T& value) {
    if (BytesOf(value) == BytesOf(T{})) return;
    json_.Key(name);
    Write(value);
  }
  template <typename T>
  void operator()(std::string_view name, const std::optional<T>& value) {
    if (!value) return;
    json_.Key(name);
    Write(*value);
  }

  template <typename T>
  void Write(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      json_.Bool(value);
    } else if constexpr (std::is_enum_v<T>) {
      json_.String(WordsOf<T>::Word(value));
    } else if constexpr (std::integral<T>) {
      json_.Number(value);
    } else {
      json_.Object([&] { ListFields(*this, value); });
    }
  }
  void Write(const std::string& text) { json_.String(text); }
  void Write(Instant at) { json_.String(FormatInstant(at)); }
  void Write(Duration span) { json_.String(FormatDuration(span)); }
  void Write(const Quantity& quantity) { json_.String(quantity.ToString()); }
  // A share as a number, an amount as a text.
  void Write(const ThresholdValue& value) {
    if (const auto* share = std::get_if<Percentage>(&value)) return json_.Number(share->fraction);
    Write(std::get<Quantity>(value));
  }
  void Write(NodeConditions conditions) {
    json_.Array([&] {
      for (const auto type : kAllNodeConditions) {
        if (conditions.Has(type)) json_.String(NameOf(type));
      }
    });
  }
  template <std::size_t kSize>
  void Write(const std::bitset<kSize>& set) {
    json_.Array([&] {
      for (std::size_t i = 0; i < kSize; ++i) {
        if (set[i]) json_.Number(i);
      }
    });
  }
  void Write(const Texts& texts) {
    json_.Object([&] {
      for (const auto& [key, text] : texts) json_.Field(key, text);
    });
  }
  template <typename T>
  void Write(const std::vector<T>& values) {
    json_.Array([&] {
      for (const T& value : values) Write(value);
    });
  }
  template <typename T, std::size_t kSize>
  void Write(const std::array<std::optional<T>, kSize>& values) {
    json_.Object([&] {
      for (std::size_t i = 0; i < kSize; ++i) {
        if (values[i]) json_.Key(std::to_string(i)), Write(*values[i]);
      }
    });
  }

 private:
  JsonWriter& json_;
};

// Reads it. Keeps what is wrong: the first fault, with its path.
class JsonValueReader {
 public:
  static constexpr bool kIsByPlace = false;
  JsonValueReader(const Value& map, std::string path, std::optional<Error>& fault)
      : map_(map), path_(std::move(path)), fault_(fault) {}

  // An absent member is what a writer leaves out.
  template <typename T>
  void operator()(std::string_view name, T& into) {
    const Value* value = map_.Find(name);
    into = T{};
    if (value != nullptr) Read(*value, path_ + std::string(name), into);
  }

  template <typename T>
  void Read(const Value& value, const std::string& path, T& into) {
    if constexpr (std::same_as<T, bool>) {
      const bool* flag = value.AsBool();
      if (flag == nullptr) return Refuse(path, "must be true or false");
      into = *flag;
    } else if constexpr (std::is_enum_v<T>) {
      const auto word = value.AsString() ? EnumeratorOf<T>(*value.AsString()) : std::nullopt;
      if (!word) return Refuse(path, "is no word that may stand here");
      into = *word;
    } else if constexpr (std::integral<T>) {
      ReadNumber(value, path, into);
    } else {
      if (value.AsMap() == nullptr) return Refuse(path, "must be an object");
      JsonValueReader members(value, path + ".", fault_);
      ListFields(members, into);
    }
  }
  void Read(const Value& value, const std::string& path, std::string& into) {
    if (value.AsString() == nullptr) return Refuse(path, "must be a text");
    into = *value.AsString();
  }
  void Read(const Value& value, const std::string& path, Instant& into) {
    ReadText(value, path, ParseInstant, into);
  }
  void Read(const Value& value, const std::string& path, Duration& into) {
    ReadText(value, path, ParseDuration, into);
  }
  void Read(const Value& value, const std::string& path, Quantity& into) {
    ReadText(value, path, Quantity::Parse, into);
  }
  void Read(const Value& value, const std::string& path, ThresholdValue& into) {
    if (value.AsNumber() == nullptr) return Read(value, path, into.emplace<Quantity>());
    Percentage share;
    ReadNumber(value, path, share.fraction);
    into = share;
  }
  void Read(const Value& value, const std::string& path, NodeConditions& into) {
    into = {};
    ForEach(value, path, [&](const Value& item, const std::string& at) {
      for (const auto type : kAllNodeConditions) {
        if (item.AsString() != nullptr && *item.AsString() == NameOf(type)) return into.Set(type);
      }
      Refuse(at, "is no condition");
    });
  }
  template <std::size_t kSize>
  void Read(const Value& value, const std::string& path, std::bitset<kSize>& into) {
    into.reset();
    ForEach(value, path, [&](const Value& item, const std::string& at) {
      std::size_t place = kSize;
      ReadNumber(item, at, place);
      if (place >= kSize) return Refuse(at, "is too high a place");
      into.set(place);
    });
  }
  void Read(const Value& value, const std::string& path, Texts& into) {
    if (value.AsMap() == nullptr) return Refuse(path, "must be an object");
    for (const auto& [key, text] : *value.AsMap()) Read(text, path + "." + key, into[key]);
  }
  template <typename T>
  void Read(const Value& value, const std::string& path, std::vector<T>& into) {
    into.clear();
    ForEach(value, path,
            [&](const Value& item, const std::string& at) { Read(item, at, into.emplace_back()); });
  }
  template <typename T, std::size_t kSize>
  void Read(const Value& value, const std::string& path,
            std::array<std::optional<T>, kSize>& into) {
    if (value.AsMap() == nullptr) return Refuse(path, "must be an object");
    for (const auto& [key, item] : *value.AsMap()) {
      std::size_t place = kSize;
      ReadNumber(Value(Value::Number{key}), path, place);
      if (place >= kSize) return Refuse(path, "has too high a place");
      Read(item, path + "." + key, into[place].emplace());
    }
  }
  template <typename T>
  void Read(const Value& value, const std::string& path, std::optional<T>& into) {
    Read(value, path, into.emplace());
  }

 private:
  void Refuse(const std::string& path, std::string_view why) {
    if (!fault_) fault_ = Error{ErrorCode::kInvalidArgument, path + ": " + std::string(why)};
  }
  template <typename T>
  void ReadNumber(const Value& value, const std::string& path, T& into) {
    const auto* number = value.AsNumber();
    if (number == nullptr) return Refuse(path, "must be a number");
    const char* const end = number->text.data() + number->text.size();
    const auto [rest, fault] = std::from_chars(number->text.data(), end, into);
    if (fault != std::errc() || rest != end) Refuse(path, "is out of range, or no whole number");
  }
  template <typename T>
  void ReadText(const Value& value, const std::string& path, Result<T> (*parse)(std::string_view),
                T& into) {
    if (value.AsString() == nullptr) return Refuse(path, "must be a text");
    auto parsed = parse(*value.AsString());
    if (!parsed) return Refuse(path, parsed.error().message);
    into = *std::move(parsed);
  }
  template <typename Visit>
  void ForEach(const Value& value, const std::string& path, const Visit& visit) {
    if (value.AsList() == nullptr) return Refuse(path, "must be a list");
    for (std::size_t i = 0; i < value.AsList()->size(); ++i) {
      visit((*value.AsList())[i], path + "[" + std::to_string(i) + "]");
    }
  }

  const Value& map_;
  std::string path_;
  std::optional<Error>& fault_;
};

}  // namespace jettison
