#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "codec/kubernetes/json_element.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// The length of the name is known when this is compiled, so that its bytes are compared in place.
template <std::size_t kSize>
[[nodiscard]] inline bool IsNamed(std::string_view key, const char (&name)[kSize]) {
  return key.size() == kSize - 1 && std::memcmp(key.data(), name, kSize - 1) == 0;
}

// What went wrong in a walk, and the path that led there. Each level on the way back puts its name
// in front, so success costs nothing.
class WalkFault {
 public:
  bool Fail(std::string_view rule);
  bool In(std::string_view field, bool ok) { return ok || Prefix(field); }
  bool InItem(std::size_t index, bool ok) { return ok || Prefix(index); }
  // "path.to[3].it: must be a map". `whole` names the document.
  [[nodiscard]] Error TakeError(std::string_view whole) const;

 private:
  bool Prefix(std::string_view field);
  bool Prefix(std::size_t index);

  std::string path_;
  std::string rule_;
};

// Walks a JSON document once, field by field, into memory that is used again. Every step answers
// whether it succeeded. Null is absence everywhere. `Element` is ParsedElement or StreamedElement.
template <typename Element>
class JsonWalk {
 public:
  // Visits the fields of a map: visit(key, Element&) -> bool.
  template <typename Visit>
  bool Fields(Element& element, Visit visit);
  // Visits a list as `items`, which is made as long as the list: visit(Element&, item) -> bool.
  // Items are used again with what they hold, for `visit` to empty.
  template <typename T, typename Visit>
  bool Items(Element& element, std::vector<T>& items, Visit visit);
  // Visits a list: visit(Element&) -> bool.
  template <typename Visit>
  bool Items(Element& element, Visit visit);

  // Reads a form of which there is a list of fields (core/json/field_writer.h).
  template <typename T>
  bool Form(Element& element, T& into);
  template <typename T>
  bool Form(Element& element, std::optional<T>& into);
  // One field of a form; one that its list does not have is passed over.
  template <typename T>
  bool FieldOf(std::string_view key, Element& value, T& into);

  bool Text(Element& element, std::string& text);
  bool Time(Element& element, std::optional<Instant>& time);
  template <std::integral Number>
  bool Count(Element& element, std::optional<Number>& number);
  // A percentage as a number, 12.34, in hundredths of a percent.
  bool Share(Element& element, std::optional<std::int32_t>& share);

  // What went wrong, once a step has failed.
  [[nodiscard]] const WalkFault& fault() const { return fault_; }

 private:
  class OneField;

  WalkFault fault_;
};

template <typename Element>
template <typename Visit>
bool JsonWalk<Element>::Fields(Element& element, Visit visit) {
  const Visited visited = element.EachField(
      [&](std::string_view key, Element& value) { return fault_.In(key, visit(key, value)); });
  if (visited == Visited::kOtherKind) return fault_.Fail("must be a map");
  return visited == Visited::kAll;
}

template <typename Element>
template <typename Visit>
bool JsonWalk<Element>::Items(Element& element, Visit visit) {
  std::size_t index = 0;
  const Visited visited = element.EachItem([&](Element& item) {
    const bool ok = fault_.InItem(index, visit(item));
    ++index;
    return ok;
  });
  if (visited == Visited::kOtherKind) return element.IsNull() || fault_.Fail("must be a list");
  return visited == Visited::kAll;
}

template <typename Element>
template <typename T, typename Visit>
bool JsonWalk<Element>::Items(Element& element, std::vector<T>& items, Visit visit) {
  std::size_t count = 0;
  const bool ok = Items(element, [&](Element& item) {
    if (count == items.size()) items.emplace_back();
    return visit(item, items[count++]);
  });
  if (ok) items.resize(count);
  return ok;
}

// Offers one field of a map to a list of fields.
template <typename Element>
class JsonWalk<Element>::OneField {
 public:
  OneField(JsonWalk& walk, std::string_view key, Element& value)
      : walk_(walk), key_(key), value_(value) {}
  [[nodiscard]] bool ok() const { return ok_; }

  template <std::size_t kSize>
  void operator()(const char (&name)[kSize], std::optional<Instant>& time) {
    if (IsNamed(key_, name)) ok_ = walk_.Time(value_, time);
  }
  template <std::size_t kSize, std::integral Number>
  void operator()(const char (&name)[kSize], std::optional<Number>& number) {
    if (IsNamed(key_, name)) ok_ = walk_.Count(value_, number);
  }
  template <std::size_t kSize, typename T>
  void operator()(const char (&name)[kSize], T& form) {
    if (IsNamed(key_, name)) ok_ = value_.IsNull() || walk_.Form(value_, form);
  }
  template <std::size_t kSize>
  void Share(const char (&name)[kSize], std::optional<std::int32_t>& share) {
    if (IsNamed(key_, name)) ok_ = walk_.Share(value_, share);
  }

 private:
  JsonWalk& walk_;
  std::string_view key_;
  Element& value_;
  bool ok_ = true;
};

template <typename Element>
template <typename T>
bool JsonWalk<Element>::FieldOf(std::string_view key, Element& value, T& into) {
  OneField field(*this, key, value);
  VisitFields(field, into);
  return field.ok();
}

template <typename Element>
template <typename T>
bool JsonWalk<Element>::Form(Element& element, T& into) {
  return Fields(element,
                [&](std::string_view key, Element& value) { return FieldOf(key, value, into); });
}

template <typename Element>
template <typename T>
bool JsonWalk<Element>::Form(Element& element, std::optional<T>& into) {
  return element.IsNull() || Form(element, into.emplace());
}

template <typename Element>
template <std::integral Number>
bool JsonWalk<Element>::Count(Element& element, std::optional<Number>& number) {
  Number value = 0;
  if (element.Get(value)) {
    number = value;
    return true;
  }
  if (element.IsNull()) return true;
  return fault_.Fail(std::is_signed_v<Number> ? "must be a whole number"
                                              : "must be a whole number, 0 or more");
}

template <typename Element>
bool JsonWalk<Element>::Text(Element& element, std::string& text) {
  std::string_view view;
  if (element.Get(view)) {
    text.assign(view);
    return true;
  }
  text.clear();
  return element.IsNull() || fault_.Fail("must be a string");
}

template <typename Element>
bool JsonWalk<Element>::Time(Element& element, std::optional<Instant>& time) {
  if (element.IsNull()) return true;
  std::string_view text;
  if (!element.Get(text)) return fault_.Fail("must be a time such as 2026-01-01T00:00:00Z");
  const Result<Instant> instant = ParseInstant(text);
  if (!instant) return fault_.Fail(instant.error().message);
  time = *instant;
  return true;
}

template <typename Element>
bool JsonWalk<Element>::Share(Element& element, std::optional<std::int32_t>& share) {
  constexpr double kMost = 100;
  if (element.IsNull()) return true;
  double percent = 0;
  if (!element.Get(percent) || !(percent >= 0 && percent <= kMost)) {
    return fault_.Fail("must be a number from 0 to 100");
  }
  share = static_cast<std::int32_t>(std::lround(percent * kMost));
  return true;
}

}  // namespace jettison
