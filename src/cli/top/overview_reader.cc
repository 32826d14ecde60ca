#include "cli/top/overview_reader.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <concepts>
#include <system_error>

#include "api/overview/overview_fields.h"
#include "codec/documents/json.h"
#include "core/model/value.h"

namespace jettison {
namespace {

// Whether the value is of the field's kind; the field keeps what it has where not.
bool Read(const Value& value, std::string& into) {
  if (value.AsString() == nullptr) return false;
  into = *value.AsString();
  return true;
}

bool Read(const Value& value, bool& into) {
  if (value.AsBool() == nullptr) return false;
  into = *value.AsBool();
  return true;
}

template <typename Number>
requires std::integral<Number> || std::floating_point<Number>
bool Read(const Value& value, Number& into) {
  if (value.AsNumber() == nullptr) return false;
  const std::string& text = value.AsNumber()->text;
  return std::from_chars(text.data(), text.data() + text.size(), into).ec == std::errc();
}

bool Read(const Value& value, Instant& into) {
  std::string text;
  if (!Read(value, text)) return false;
  const auto at = ParseInstant(text);
  if (at) into = *at;
  return at.has_value();
}

bool Read(const Value& value, Duration& into) {
  constexpr double kMost = 9e9;  // seconds; 64 bits hold a little more of their billionths
  double seconds = 0;
  if (!Read(value, seconds)) return false;
  into = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::clamp(seconds, -kMost, kMost)));
  return true;
}

bool Read(const Value& value, Signal& into) {
  std::string name;
  const auto signal = Read(value, name) ? SignalNamed(name) : std::nullopt;
  into = signal.value_or(into);
  return signal.has_value();
}

// The members of one map, each read into a field that keeps its value where the member is missing
// or of another kind.
class Members {
 public:
  explicit Members(const Value& map) : map_(map) {}

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
  void Told(std::string_view /*key*/, std::string_view /*text*/) {}

 private:
  template <typename T>
  static bool Take(const Value& value, T& into) {
    if constexpr (requires { Read(value, into); }) {
      return Read(value, into);
    } else {
      Members members(value);
      VisitFields(members, into);
      return true;
    }
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

  const Value& map_;
};

}  // namespace

Result<Overview> ReadOverview(std::string_view json) {
  const auto document = ParseJson(json);
  if (!document) return Fail(document.error().In("the agent's overview"));
  if (document->Find("signals") == nullptr || document->Find("at") == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "the agent's overview has no signals");
  }
  Members members(*document);
  Overview overview;
  VisitFields(members, overview);
  return overview;
}

}  // namespace jettison
