#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/model/signal.h"
#include "core/thresholds/fields.h"
#include "core/units/duration.h"

namespace jettison {

// Reads the fields of a form (core/json/field_writer.h) out of a map. What is wrong is a fault of
// the map; a field that is absent or faulty keeps its value.
class CheckedMembers {
 public:
  explicit CheckedMembers(const Fields& map) : map_(map) {}

  void operator()(std::string_view key, bool& into);
  void operator()(std::string_view key, std::int64_t& into);
  void operator()(std::string_view key, std::string& into);
  void operator()(std::string_view key, std::optional<std::int64_t>& into);
  void operator()(std::string_view key, Instant& into);  // its absence is a fault
  void operator()(std::string_view key, std::optional<Instant>& into);
  void operator()(std::string_view key, Signal& into);
  void operator()(std::string_view key, NodeConditionType& into);
  void operator()(std::string_view key, PaceReason& into);
  template <typename T>
  void operator()(std::string_view key, std::vector<T>& into) {
    for (const Fields& item : map_.ListOfMaps(key)) {
      CheckedMembers members(item);
      VisitFields(members, into.emplace_back());
    }
  }
  template <typename T>
  void operator()(std::string_view key, std::optional<T>& into) {
    const auto inside = map_.Inside(key);
    if (!inside) return;
    CheckedMembers members(*inside);
    VisitFields(members, into.emplace());
  }
  void Within(std::string_view key, std::optional<std::int64_t>& into, std::int64_t least,
              std::int64_t most);
  template <typename Flag>
  void OneOf(std::string_view key, Flag& into, std::string_view yes, std::string_view no) {
    const auto is = map_.OneOf<bool>(key, {{yes, true}, {no, false}});
    if (is) into = *is;  // NOLINT(bugprone-optional-value-conversion): Flag may be bool
  }

 private:
  const Fields& map_;
};

}  // namespace jettison
