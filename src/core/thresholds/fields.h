#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/fault.h"
#include "core/model/pod.h"
#include "core/model/value.h"
#include "core/text/enum_names.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"

namespace jettison {

// Paths as text; nothing here looks at a file system.

// What is wrong with an absolute path, empty where nothing is: it must begin with '/', have no
// part ".." and no NUL character.
[[nodiscard]] std::string_view FaultOfAbsolutePath(std::string_view path);

// An absolute path without what says nothing: "/a//b/./c/" -> "/a/b/c".
[[nodiscard]] std::string PlainPath(std::string_view path);

// Whether `path` is `folder` or lies below it; both are plain.
[[nodiscard]] bool IsAtOrBelow(std::string_view path, std::string_view folder);

// Reads the members of one map of a configuration, each with its expected type. A member that is
// missing or null is absent. A member of another type, or out of range, is noted as a fault and is
// absent, too, so that reading continues and every fault is found.
class Fields {
 public:
  // `map` must outlive this; `path` stands before each key in faults ("evictionBackoff.").
  Fields(const Value& map, std::string file, Faults& faults, std::string path = "")
      : map_(map), file_(std::move(file)), faults_(faults), path_(std::move(path)) {}

  [[nodiscard]] std::optional<std::string> Text(std::string_view key) const;
  [[nodiscard]] std::optional<bool> Flag(std::string_view key) const;
  // A whole number within [least, most].
  [[nodiscard]] std::optional<std::int64_t> Integer(std::string_view key, std::int64_t least,
                                                    std::int64_t most) const;
  // A Go duration ("1m30s") within [least, most]; without `most`, one of more than a hundred years
  // counts as a hundred years.
  [[nodiscard]] std::optional<Duration> Span(std::string_view key, Duration least,
                                             Duration most = Duration::max()) const;
  // Which of the words a member is. A word that is empty is allowed, and messages do not name it.
  [[nodiscard]] std::optional<std::size_t> Word(std::string_view key,
                                                std::span<const std::string_view> words) const;
  // One of the enumerators, by its name.
  template <NamedEnum Enum>
  [[nodiscard]] std::optional<Enum> Enumerator(std::string_view key) const {
    const auto place = Word(key, kNamesOf<Enum>);
    return place ? std::optional(static_cast<Enum>(*place)) : std::nullopt;
  }
  // A map whose values are all text.
  [[nodiscard]] std::optional<SignalSettings> TextMap(std::string_view key) const;
  // A list whose items are all text.
  [[nodiscard]] std::optional<std::vector<std::string>> TextList(std::string_view key) const;
  // A clean absolute path; empty text counts as absent.
  [[nodiscard]] std::optional<std::string> AbsolutePath(std::string_view key) const;
  // The same, but a relative path counts from the directory of the file.
  [[nodiscard]] std::optional<std::string> PathFromFile(std::string_view key) const;
  // The members of a map inside.
  [[nodiscard]] std::optional<Fields> Inside(std::string_view key) const;

  // The maps that a list is made of, in its order; "hooks[1]." stands before the keys of the
  // second.
  [[nodiscard]] std::vector<Fields> ListOfMaps(std::string_view key) const;

  [[nodiscard]] const Value& map() const { return map_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::string Key(std::string_view key) const { return path_ + std::string(key); }
  // The member, null where it is absent or null.
  [[nodiscard]] const Value* Find(std::string_view key) const;
  // Whether a fault of the member is noted already.
  [[nodiscard]] bool IsRefused(std::string_view key) const;
  // Notes a fault of each member that has none of these names.
  void RefuseOthers(std::span<const std::string_view> allowed) const;
  // Notes a fault of a member.
  void Refuse(std::string_view key, std::string value, std::string message) const;

 private:
  // The member as that type; null where it is absent. One of another type is noted as a fault.
  template <typename T>
  [[nodiscard]] const T* As(std::string_view key, const T* (Value::*as)() const,
                            std::string_view wanted) const;
  void RefuseKind(std::string_view key, const Value& value, std::string_view wanted) const;

  const Value& map_;
  std::string file_;
  Faults& faults_;
  std::string path_;
};

// Assigns a value if it is present. Its reader has checked that it fits the type.
template <typename T, typename U>
void Take(const std::optional<T>& value, U& into) {
  if (value) into = static_cast<U>(*value);
}

// A value as a fault shows it: a scalar's text, else what kind it is.
[[nodiscard]] std::string Shown(const Value& value);

}  // namespace jettison
