#pragma once

#include <simdjson.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Walks a parsed JSON document once, field by field, into memory that is used again. Every step
// answers whether it succeeded; where one fails, each level on the way back puts its name in front
// of the path, so success costs nothing. Null is absence everywhere.
class JsonWalk {
 public:
  using Element = simdjson::dom::element;

  // Visits the fields of a map: visit(key, value) -> bool.
  template <typename Visit>
  bool Fields(Element element, Visit visit);
  // Visits a list as `items`, which is made as long as the list: visit(element, item) -> bool.
  // Items are used again with what they hold, for `visit` to empty.
  template <typename T, typename Visit>
  bool Items(Element element, std::vector<T>& items, Visit visit);

  // Reads a form of which there is a list of fields (core/json/field_writer.h).
  template <typename T>
  bool Form(Element element, T& into);
  template <typename T>
  bool Form(Element element, std::optional<T>& into);
  // One field of a form; one that its list does not have is passed over.
  template <typename T>
  bool FieldOf(std::string_view key, Element value, T& into);

  bool Text(Element element, std::string& text);
  bool Time(Element element, std::optional<Instant>& time);
  template <std::integral Number>
  bool Count(Element element, std::optional<Number>& number);
  // A percentage as a number, 12.34, in hundredths of a percent.
  bool Share(Element element, std::optional<std::int32_t>& share);

  // What went wrong, once a step has failed: "path.to[3].it: must be a map". `whole` names the
  // document.
  [[nodiscard]] Error TakeError(std::string_view whole) const;

 private:
  class OneField;

  bool Fail(std::string_view rule);
  bool In(std::string_view field, bool ok);
  bool InItem(std::size_t index, bool ok);

  std::string path_;
  std::string rule_;
};

template <typename Visit>
bool JsonWalk::Fields(Element element, Visit visit) {
  simdjson::dom::object object;
  if (element.get(object) != simdjson::SUCCESS) return Fail("must be a map");
  for (const auto field : object) {
    if (!In(field.key, visit(field.key, field.value))) return false;
  }
  return true;
}

template <typename T, typename Visit>
bool JsonWalk::Items(Element element, std::vector<T>& items, Visit visit) {
  simdjson::dom::array array;
  std::size_t count = 0;
  if (element.get(array) == simdjson::SUCCESS) {
    for (const Element item : array) {
      if (count == items.size()) items.emplace_back();
      if (!InItem(count, visit(item, items[count]))) return false;
      ++count;
    }
  } else if (!element.is_null()) {
    return Fail("must be a list");
  }
  items.resize(count);
  return true;
}

// Offers one field of a map to a list of fields.
class JsonWalk::OneField {
 public:
  OneField(JsonWalk& walk, std::string_view key, Element value)
      : walk_(walk), key_(key), value_(value) {}
  [[nodiscard]] bool ok() const { return ok_; }

  void operator()(std::string_view name, std::optional<Instant>& time) {
    if (name == key_) ok_ = walk_.Time(value_, time);
  }
  template <std::integral Number>
  void operator()(std::string_view name, std::optional<Number>& number) {
    if (name == key_) ok_ = walk_.Count(value_, number);
  }
  template <typename T>
  void operator()(std::string_view name, T& form) {
    if (name == key_) ok_ = value_.is_null() || walk_.Form(value_, form);
  }
  void Share(std::string_view name, std::optional<std::int32_t>& share) {
    if (name == key_) ok_ = walk_.Share(value_, share);
  }

 private:
  JsonWalk& walk_;
  std::string_view key_;
  Element value_;
  bool ok_ = true;
};

template <typename T>
bool JsonWalk::FieldOf(std::string_view key, Element value, T& into) {
  OneField field(*this, key, value);
  VisitFields(field, into);
  return field.ok();
}

template <typename T>
bool JsonWalk::Form(Element element, T& into) {
  return Fields(element,
                [&](std::string_view key, Element value) { return FieldOf(key, value, into); });
}

template <typename T>
bool JsonWalk::Form(Element element, std::optional<T>& into) {
  return element.is_null() || Form(element, into.emplace());
}

template <std::integral Number>
bool JsonWalk::Count(Element element, std::optional<Number>& number) {
  Number value = 0;
  if (element.get(value) == simdjson::SUCCESS) {
    number = value;
    return true;
  }
  if (element.is_null()) return true;
  return Fail(std::is_signed_v<Number> ? "must be a whole number"
                                       : "must be a whole number, 0 or more");
}

}  // namespace jettison
