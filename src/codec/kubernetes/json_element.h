#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace jettison {

// How a visit of an element's fields or items ended.
enum class Visited : std::uint8_t {
  kAll,
  kStopped,    // the visitor answered false, or the text is no JSON
  kOtherKind,  // the element is no map, or no list
};

// A value of a JSON document that was parsed, and so checked, as a whole.
class ParsedElement {
 public:
  explicit ParsedElement(simdjson::dom::element element) : element_(element) {}

  [[nodiscard]] bool IsNull() { return element_.is_null(); }
  // Whether it is a T: std::string_view, std::uint64_t, std::int64_t or double.
  template <typename T>
  [[nodiscard]] bool Get(T& into) {
    return element_.get(into) == simdjson::SUCCESS;
  }
  // visit(key, ParsedElement&) -> bool
  template <typename Visit>
  [[nodiscard]] Visited EachField(Visit visit) {
    simdjson::dom::object object;
    if (element_.get(object) != simdjson::SUCCESS) return Visited::kOtherKind;
    for (const auto field : object) {
      ParsedElement value(field.value);
      if (!visit(field.key, value)) return Visited::kStopped;
    }
    return Visited::kAll;
  }
  // visit(ParsedElement&) -> bool
  template <typename Visit>
  [[nodiscard]] Visited EachItem(Visit visit) {
    simdjson::dom::array array;
    if (element_.get(array) != simdjson::SUCCESS) return Visited::kOtherKind;
    for (const auto item : array) {
      ParsedElement value(item);
      if (!visit(value)) return Visited::kStopped;
    }
    return Visited::kAll;
  }

 private:
  simdjson::dom::element element_;
};

// Finds escapes in the strings of a text. Strings that are asked for in their order cost one search
// of the text in all.
class EscapeSearch {
 public:
  explicit EscapeSearch(std::string_view text) : end_(text.data() + text.size()) {
    Find(text.data());
  }
  [[nodiscard]] bool Has(std::string_view string) {
    if (next_ < string.data()) Find(string.data());
    return next_ < string.data() + string.size();
  }

 private:
  void Find(const char* from) {
    const auto* found =
        static_cast<const char*>(std::memchr(from, '\\', static_cast<std::size_t>(end_ - from)));
    next_ = found == nullptr ? end_ : found;
  }

  const char* next_ = nullptr;  // the first escape behind the last string, or end_
  const char* end_;
};

// A value of a JSON document that is checked while it is visited, which costs a fraction of parsing
// the document first. What visits it to the end without a failure gets what it would get from a
// ParsedElement. After a failure nothing is known but that a ParsedElement must be asked: the text
// may be no JSON, or be written in a way that is not read here (a key with an escape, a nesting
// deeper than kMostLevels, a number with an exponent).
class StreamedElement {
 public:
  static constexpr int kMostLevels = 64;  // of what the visitors pass over

  StreamedElement(simdjson::ondemand::value value, EscapeSearch& escapes)
      : value_(value), escapes_(escapes) {}

  [[nodiscard]] bool IsNull() {
    bool is_null = false;
    return value_.is_null().get(is_null) == simdjson::SUCCESS && Take(is_null);
  }
  template <typename T>
  [[nodiscard]] bool Get(T& into) {
    return Take(value_.get(into) == simdjson::SUCCESS);
  }
  [[nodiscard]] bool Get(double& number);
  [[nodiscard]] bool Get(std::string_view& text) {
    simdjson::ondemand::raw_json_string raw;
    if (!Take(value_.get_raw_json_string().get(raw) == simdjson::SUCCESS)) return false;
    const std::string_view token = value_.raw_json_token();
    text = token.substr(1, token.rfind('"') - 1);
    return !escapes_.Has(text) || value_.get_string().get(text) == simdjson::SUCCESS;
  }
  // visit(key, StreamedElement&) -> bool. A field that the visitor has not taken is passed over.
  template <typename Visit>
  [[nodiscard]] Visited EachField(Visit visit);
  // visit(StreamedElement&) -> bool
  template <typename Visit>
  [[nodiscard]] Visited EachItem(Visit visit);

 private:
  // Whether it was taken before, or is JSON that can be passed over.
  [[nodiscard]] bool Finish(int levels = kMostLevels) { return taken_ || PassOver(levels); }
  bool PassOver(int levels);
  bool PassOverNumber();
  // The key that begins at `begin` and belongs to the value at `value`.
  static std::string_view Key(const char* begin, const char* value);
  bool Take(bool taken) {
    taken_ = taken_ || taken;
    return taken;
  }

  simdjson::ondemand::value value_;
  EscapeSearch& escapes_;
  bool taken_ = false;
};

// Nothing but blanks and a colon stand between a key's closing quote and the value.
inline std::string_view StreamedElement::Key(const char* begin, const char* value) {
  const char* end = value - 1;
  while (*end != '"') --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

template <typename Visit>
Visited StreamedElement::EachField(Visit visit) {
  simdjson::ondemand::object object;
  if (value_.get_object().get(object) != simdjson::SUCCESS) return Visited::kOtherKind;
  taken_ = true;
  for (auto step : object) {
    simdjson::ondemand::field field;
    if (std::move(step).get(field) != simdjson::SUCCESS) return Visited::kStopped;
    StreamedElement value(field.value(), escapes_);
    const std::string_view key = Key(field.key().raw(), field.value().raw_json_token().data());
    if (escapes_.Has(key)) return Visited::kStopped;
    if (!visit(key, value) || !value.Finish()) return Visited::kStopped;
  }
  return Visited::kAll;
}

template <typename Visit>
Visited StreamedElement::EachItem(Visit visit) {
  simdjson::ondemand::array array;
  if (value_.get_array().get(array) != simdjson::SUCCESS) return Visited::kOtherKind;
  taken_ = true;
  for (auto step : array) {
    simdjson::ondemand::value item;
    if (std::move(step).get(item) != simdjson::SUCCESS) return Visited::kStopped;
    StreamedElement value(item, escapes_);
    if (!visit(value) || !value.Finish()) return Visited::kStopped;
  }
  return Visited::kAll;
}

}  // namespace jettison
