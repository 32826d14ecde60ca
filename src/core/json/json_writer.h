#pragma once

#include <fmt/format.h>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/units/duration.h"

namespace jettison {

class JsonWriter;

// Writes a value: a scalar, a text, a list, a map, or a form (VisitFields, below) as a whole. An
// instant is RFC 3339, a duration a number of seconds, an enumerator its name.
template <typename T>
void WriteForm(const T& value, JsonWriter& json);

// Appends JSON to a string, for output that is written by the megabyte. Commas are put where they
// belong, and what is opened is closed. Bytes that are not UTF-8 become U+FFFD.
class JsonWriter {
 public:
  // `indent` blanks a level, each member and value on a line of its own; 0: all on one line.
  explicit JsonWriter(std::string& out, std::size_t indent = 0) : out_(out), indent_(indent) {}

  // An object of the members that `write` writes, and a list of its values.
  template <std::invocable Write>
  void Object(Write&& write) {
    Open('{');
    write();
    Close('}');
  }
  template <std::invocable Write>
  void Array(Write&& write) {
    Open('[');
    write();
    Close(']');
  }
  // The same, but nothing at all where nothing is written into it.
  template <std::invocable Write>
  void ObjectUnlessEmpty(std::string_view name, Write&& write) {
    UnlessEmpty([&] { Object(name, std::forward<Write>(write)); });
  }
  template <std::invocable Write>
  void ArrayUnlessEmpty(std::string_view name, Write&& write) {
    UnlessEmpty([&] { Array(name, std::forward<Write>(write)); });
  }

  void Key(std::string_view name) {
    String(name);
    out_ += indent_ == 0 ? ":" : ": ";
    comma_ = false;
    is_value_ = true;
  }
  void String(std::string_view text);
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Null() { Raw("null"); }
  // A value that is written already.
  void Json(std::string_view value) { Raw(value); }
  // Of a fraction, which must be finite, the shortest decimal that is this number.
  template <typename T>
  requires std::is_arithmetic_v<T>
  void Number(T value) {
    Separate();
    fmt::format_to(std::back_inserter(out_), "{}", value);
    comma_ = true;
  }

  // "name": value
  template <std::invocable Write>
  void Object(std::string_view name, Write&& write) {
    Key(name);
    Object(std::forward<Write>(write));
  }
  template <std::invocable Write>
  void Array(std::string_view name, Write&& write) {
    Key(name);
    Array(std::forward<Write>(write));
  }
  // "name": [...], of an object for each of a list, whose members `write` writes, or of texts.
  template <typename List, typename Write>
  void Objects(std::string_view name, const List& list, Write&& write) {
    Array(name, [&] {
      for (const auto& each : list) {
        Object([&] { write(each); });
      }
    });
  }
  template <typename List>
  void Strings(std::string_view name, const List& list) {
    Array(name, [&] {
      for (const auto& each : list) String(each);
    });
  }
  template <typename T>
  void Field(std::string_view name, const T& value) {
    Key(name);
    WriteForm(value, *this);
  }
  // Where there is no value the member is left out.
  template <typename T>
  void Field(std::string_view name, const std::optional<T>& value) {
    if (value) Field(name, *value);
  }

 private:
  template <typename Write>
  void UnlessEmpty(Write write) {
    const std::size_t size = out_.size();
    const bool comma = comma_;
    write();
    if (!was_empty_) return;
    out_.resize(size);
    comma_ = comma;
  }
  void Separate() {
    if (comma_) out_ += ',';
    if (!std::exchange(is_value_, false) && depth_ > 0) Break();
  }
  void Break() {
    if (indent_ > 0) out_.append(1, '\n').append(depth_ * indent_, ' ');
  }
  void Raw(std::string_view text) {
    Separate();
    out_ += text;
    comma_ = true;
  }
  void Open(char bracket) {
    Separate();
    out_ += bracket;
    comma_ = false;
    ++depth_;
  }
  void Close(char bracket) {
    was_empty_ = !comma_;
    --depth_;
    if (!was_empty_) Break();
    out_ += bracket;
    comma_ = true;
  }

  std::string& out_;
  std::size_t indent_;
  std::size_t depth_ = 0;
  bool comma_ = false;      // before what follows
  bool is_value_ = false;   // what follows has its key before it
  bool was_empty_ = false;  // what was closed last
};

// An object whose members `write` writes, as a text.
template <std::invocable<JsonWriter&> Write>
[[nodiscard]] std::string JsonObject(Write&& write) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] { write(json); });
  return text;
}

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
//   fields.Share(name, hundredths)        a percentage, of its hundredths
//   fields.Told(name, value)              follows from the others; not read
template <typename T, typename Form>
concept FormOf = std::same_as<std::remove_const_t<T>, Form>;

// Writes the fields of a form.
class FieldWriter {
 public:
  explicit FieldWriter(JsonWriter& json) : json_(json) {}

  template <typename T>
  void operator()(std::string_view name, const T& value) {
    json_.Field(name, value);
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
    if (hundredths) json_.Field(name, *hundredths / 100.0);
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
    for (const auto& value : values) WriteForm(value, json);
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
  } else if constexpr (std::same_as<T, WallTime>) {
    json.String(FormatWallTime(value));
  } else if constexpr (std::same_as<T, Duration>) {
    json.Number(std::chrono::duration<double>(value).count());
  } else if constexpr (std::is_enum_v<T>) {
    json.String(NameOf(value));
  } else {
    json.Object([&] { WriteFields(value, json); });
  }
}

}  // namespace jettison
