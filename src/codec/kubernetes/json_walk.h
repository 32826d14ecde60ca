#pragma once

#include <simdjson.h>

#include <cmath>
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

// Walks a parsed JSON document, field by field. Every step answers whether it succeeded; each level
// on the way back puts its name in front of the path of what went wrong, so success costs nothing.
// Null is absence everywhere.
class JsonWalk {
 public:
  using Element = simdjson::dom::element;

  // Visits the fields of a map: visit(key, Element) -> bool.
  template <typename Visit>
  bool Fields(Element element, Visit visit) {
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) return Refuse("must be a map");
    for (const auto field : object) {
      if (!visit(field.key, Element(field.value))) return Prefix(field.key);
    }
    return true;
  }
  // Visits a list: visit(Element) -> bool.
  template <typename Visit>
  bool Items(Element element, Visit visit) {
    simdjson::dom::array array;
    if (element.get(array) != simdjson::SUCCESS) {
      return element.is_null() || Refuse("must be a list");
    }
    std::size_t index = 0;
    for (const auto item : array) {
      if (!visit(Element(item))) return Prefix(index);
      ++index;
    }
    return true;
  }
  // Visits a list as `items`: visit(Element, item) -> bool.
  template <typename T, typename Visit>
  bool Items(Element element, std::vector<T>& items, Visit visit) {
    items.clear();
    return Items(element, [&](Element item) { return visit(item, items.emplace_back()); });
  }

  // Reads a form of which there is a list of fields (core/json/field_writer.h).
  template <typename T>
  bool Form(Element element, T& into) {
    return Fields(element,
                  [&](std::string_view key, Element value) { return FieldOf(key, value, into); });
  }
  template <typename T>
  bool Form(Element element, std::optional<T>& into) {
    return element.is_null() || Form(element, into.emplace());
  }
  // One field of a form; one that its list does not have is passed over.
  template <typename T>
  bool FieldOf(std::string_view key, Element value, T& into) {
    OneField field{*this, key, value};
    VisitFields(field, into);
    return field.ok;
  }

  bool Text(Element element, std::string& text);
  bool Time(Element element, std::optional<Instant>& time);
  template <std::integral Number>
  bool Count(Element element, std::optional<Number>& number) {
    Number value = 0;
    if (element.get(value) == simdjson::SUCCESS) {
      number = value;
      return true;
    }
    return element.is_null() ||
           Refuse(std::is_signed_v<Number> ? "must be a whole number"
                                           : "must be a whole number, 0 or more");
  }
  // A percentage as a number, 12.34, in hundredths of a percent.
  bool Share(Element element, std::optional<std::int32_t>& share);

  // What went wrong, once a step has failed: "path.to[3].it: must be a map". `whole` names the
  // document.
  [[nodiscard]] Error TakeError(std::string_view whole) const;

 private:
  // Offers one field of a map to a list of fields.
  struct OneField {
    JsonWalk& walk;
    std::string_view key;
    Element value;
    bool ok = true;

    void operator()(std::string_view name, std::optional<Instant>& time) {
      if (key == name) ok = walk.Time(value, time);
    }
    template <std::integral Number>
    void operator()(std::string_view name, std::optional<Number>& number) {
      if (key == name) ok = walk.Count(value, number);
    }
    template <typename T>
    void operator()(std::string_view name, T& form) {
      if (key == name) ok = value.is_null() || walk.Form(value, form);
    }
    void Share(std::string_view name, std::optional<std::int32_t>& share) {
      if (key == name) ok = walk.Share(value, share);
    }
  };

  bool Refuse(std::string_view rule);
  bool Prefix(std::string_view field);
  bool Prefix(std::size_t index);

  std::string path_;
  std::string rule_;
};

}  // namespace jettison
