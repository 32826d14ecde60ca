#include "core/thresholds/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/number.h"
#include "core/text/parts.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

// A hundred years, so that what ends that much later than now is still an instant.
constexpr Duration kLongestSpan = std::chrono::hours(100 * 365 * 24);
constexpr std::string_view kAnyDuration = "a duration such as 1m30s";

}  // namespace

std::string_view FaultOfAbsolutePath(std::string_view path) {
  if (!path.starts_with('/')) return "must be an absolute path";
  for (std::string_view rest = path; !rest.empty();) {
    if (TakePart(rest, '/') == "..") return "must not contain '..'";
  }
  if (path.find('\0') != std::string_view::npos) return "must not contain a NUL character";
  return {};
}

std::string PlainPath(std::string_view path) {
  std::string plain;
  while (!path.empty()) {
    const std::string_view part = TakePart(path, '/');
    if (!part.empty() && part != ".") plain.append("/").append(part);
  }
  return plain.empty() ? "/" : plain;
}

bool IsAtOrBelow(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder == "/" || path[folder.size()] == '/';
}

std::string Shown(const Value& value) {
  if (const auto* text = value.AsString()) return *text;
  if (const auto* number = value.AsNumber()) return number->text;
  if (const bool* flag = value.AsBool()) return *flag ? "true" : "false";
  return std::string(value.KindName());
}

const Value* Fields::Find(std::string_view key) const {
  const Value* value = map_.Find(key);
  return value == nullptr || value->IsNull() ? nullptr : value;
}

void Fields::Refuse(std::string_view key, std::string value, std::string message) const {
  AddFault(faults_, {file_, Key(key), std::move(value), std::move(message)});
}

void Fields::RefuseKind(std::string_view key, const Value& value, std::string_view wanted) const {
  Refuse(key, Shown(value), fmt::format("must be {}, not {}", wanted, value.KindName()));
}

std::optional<std::size_t> Fields::Word(std::string_view key,
                                        std::span<const std::string_view> words) const {
  const Value* value = Find(key);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string_view> named(words.begin(), words.end());
  std::erase(named, "");
  const auto* text = value->AsString();
  if (text == nullptr) {
    RefuseKind(key, *value, Alternatives(named));
    return std::nullopt;
  }
  const auto found = std::ranges::find(words, *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  Refuse(key, *text, fmt::format("must be {}{}", Alternatives(named), DidYouMean(*text, named)));
  return std::nullopt;
}

void Fields::RefuseOthers(std::span<const std::string_view> allowed) const {
  for (const auto& [key, value] : *map_.AsMap()) {
    if (std::ranges::find(allowed, key) != allowed.end()) continue;
    Refuse(key, Shown(value),
           fmt::format("there is no such field{}; allowed: {}", DidYouMean(key, allowed),
                       Alternatives(allowed)));
  }
}

std::optional<std::string> Fields::Text(std::string_view key) const {
  const Value* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* text = value->AsString()) return *text;
  const bool scalar = value->AsNumber() != nullptr || value->AsBool() != nullptr;
  RefuseKind(key, *value, scalar ? "text (put it in quotes)" : "text");
  return std::nullopt;
}

template <typename T>
const T* Fields::As(std::string_view key, const T* (Value::*as)() const,
                    std::string_view wanted) const {
  const Value* value = Find(key);
  const T* const typed = value == nullptr ? nullptr : (value->*as)();
  if (value != nullptr && typed == nullptr) RefuseKind(key, *value, wanted);
  return typed;
}

std::optional<bool> Fields::Flag(std::string_view key) const {
  const bool* flag = As(key, &Value::AsBool, "true or false");
  return flag == nullptr ? std::nullopt : std::optional(*flag);
}

std::optional<std::int64_t> Fields::Integer(std::string_view key, std::int64_t least,
                                            std::int64_t most) const {
  const auto* number = As(key, &Value::AsNumber, "a whole number");
  if (number == nullptr) return std::nullopt;
  const auto integer = ParseNumber<std::int64_t>(number->text);
  if (integer && *integer >= least && *integer <= most) return integer;
  Refuse(key, number->text, fmt::format("must be a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<Duration> Fields::Span(std::string_view key, Duration least, Duration most) const {
  const Value* value = Find(key);
  if (value != nullptr && value->AsNumber() != nullptr) {
    RefuseKind(key, *value, kAnyDuration);  // quotes alone would not make it one: it has no unit
    return std::nullopt;
  }
  const auto text = Text(key);
  if (!text) return std::nullopt;
  const auto span = ParseDuration(*text);
  if (!span) {
    Refuse(key, *text, fmt::format("must be {}, at most 292 years", kAnyDuration));
  } else if (*span < least && most == Duration::max()) {
    Refuse(key, *text, fmt::format("must be at least {}", FormatDuration(least)));
  } else if (*span < least || *span > most) {
    Refuse(key, *text,
           fmt::format("must be from {} to {}", FormatDuration(least), FormatDuration(most)));
  } else {
    return std::min(*span, kLongestSpan);
  }
  return std::nullopt;
}

std::optional<SignalSettings> Fields::TextMap(std::string_view key) const {
  const auto* map = As(key, &Value::AsMap, "a map");
  if (map == nullptr) return std::nullopt;
  SignalSettings settings;
  for (const auto& [name, entry] : *map) {
    if (const auto* text = entry.AsString()) {
      settings.emplace(name, *text);
    } else {
      RefuseKind(fmt::format("{}[{}]", key, name), entry, "text (put it in quotes)");
    }
  }
  return settings;
}

std::optional<std::vector<std::string>> Fields::TextList(std::string_view key) const {
  const auto* list = As(key, &Value::AsList, "a list");
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> items;
  for (const Value& item : *list) {
    if (const auto* text = item.AsString()) {
      items.push_back(*text);
    } else {
      RefuseKind(fmt::format("{}[{}]", key, items.size()), item, "text");
    }
  }
  return items;
}

std::optional<std::string> Fields::AbsolutePath(std::string_view key) const {
  const auto text = Text(key);
  if (!text || text->empty()) return std::nullopt;
  if (const auto fault = FaultOfAbsolutePath(*text); !fault.empty()) {
    Refuse(key, *text, std::string(fault));
    return std::nullopt;
  }
  return PlainPath(*text);
}

std::optional<std::string> Fields::PathFromFile(std::string_view key) const {
  const auto text = Text(key);
  if (!text || text->empty()) return std::nullopt;
  if (text->find('\0') != std::string::npos) {
    Refuse(key, *text, "must not contain a NUL character");
    return std::nullopt;
  }
  std::string path = text->starts_with('/') ? "" : file_.substr(0, file_.rfind('/') + 1);
  path += *text;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool Fields::IsRefused(std::string_view key) const {
  return std::ranges::any_of(faults_, [name = Key(key), this](const Fault& fault) {
    return fault.key == name && fault.file == file_;
  });
}

std::optional<Fields> Fields::Inside(std::string_view key) const {
  if (As(key, &Value::AsMap, "a map") == nullptr) return std::nullopt;
  return Fields(*Find(key), file_, faults_, Key(key) + ".");
}

std::vector<Fields> Fields::ListOfMaps(std::string_view key) const {
  std::vector<Fields> maps;
  const auto* list = As(key, &Value::AsList, "a list");
  if (list == nullptr) return maps;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string place = fmt::format("{}[{}]", key, i);
    if ((*list)[i].AsMap() == nullptr) {
      RefuseKind(place, (*list)[i], "a map");
    } else {
      maps.emplace_back((*list)[i], file_, faults_, Key(place) + ".");
    }
  }
  return maps;
}

}  // namespace jettison
