#include "codec/documents/yaml_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "codec/documents/documents.h"
#include "codec/documents/room.h"
#include "core/text/number.h"

namespace jettison::documents {
namespace {

template <std::size_t kSize>
bool IsOneOf(std::string_view text, const std::array<std::string_view, kSize>& words) {
  return std::ranges::find(words, text) != words.end();
}

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNoJsonNumber = {".nan",  ".NaN",  ".NAN",  ".inf",
                                                            ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                            "+.INF", "-.inf", "-.Inf", "-.INF"};

// The digits at the front of `rest`, which moves on behind them.
std::string_view TakeDigits(std::string_view& rest) {
  const auto end = std::ranges::find_if_not(rest, IsDigit);
  const auto digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(digits.size());
  return digits;
}

std::string_view WithoutLeadingZeros(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits.empty() ? "0" : digits;
}

// "0x1f", "0b101", "0o17", "017": the digits behind the prefix and their base.
std::optional<std::pair<std::string_view, int>> BasedDigits(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return std::nullopt;
  switch (text[1]) {
    case 'x':
    case 'X': return std::pair(text.substr(2), 16);
    case 'b':
    case 'B': return std::pair(text.substr(2), 2);
    case 'o':
    case 'O': return std::pair(text.substr(2), 8);
    default: return std::pair(text.substr(1), 8);
  }
}

// An integer written in another base than ten, as decimal text; at most 64 bits wide.
std::optional<std::string> BasedInteger(std::string_view sign, std::string_view text) {
  const auto based = BasedDigits(text);
  if (!based || based->first.empty()) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = based->first.data() + based->first.size();
  const auto [stop, error] = std::from_chars(based->first.data(), end, number, based->second);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return fmt::format("{}{}", number == 0 ? "" : sign, number);
}

// [0-9]+(.[0-9]*)? or .[0-9]+, then ([eE][-+]?[0-9]+)?, rewritten the way JSON writes it.
std::optional<std::string> DecimalNumber(std::string_view sign, std::string_view rest) {
  const std::string_view whole = TakeDigits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = TakeDigits(rest);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  std::string number = fmt::format("{}{}", sign, WithoutLeadingZeros(whole));
  if (!fraction.empty()) number += fmt::format(".{}", fraction);
  if (rest.empty()) return number;
  if (rest[0] != 'e' && rest[0] != 'E') return std::nullopt;
  rest.remove_prefix(1);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const std::string_view exponent = TakeDigits(rest);
  if (exponent.empty() || !rest.empty()) return std::nullopt;
  return number + fmt::format("e{}{}", negative ? "-" : "", exponent);
}

std::optional<std::string> NumberOf(std::string_view text) {
  const bool may_be_number =
      !text.empty() && (IsDigit(text[0]) || text[0] == '+' || text[0] == '-' || text[0] == '.');
  if (!may_be_number) return std::nullopt;
  std::string digits(text);
  if (text[0] != '.') std::erase(digits, '_');
  std::string_view rest = digits;
  const std::string_view sign = rest.starts_with('-') ? "-" : "";
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  if (auto integer = BasedInteger(sign, rest)) return integer;
  return DecimalNumber(sign, rest);
}

// What aliases and merge keys may add to a document: far more than any real file uses, far less
// than a "billion laughs" file asks for.
constexpr std::size_t kMaxCopiedBytes = std::size_t{16} << 20;

constexpr std::string_view kPlain = "?";
constexpr std::string_view kCoreTags = "tag:yaml.org,2002:";

[[noreturn]] void Refuse(int line, std::string_view what) {
  throw YamlRefusal(fmt::format("line {}: {}", line, what));
}

std::size_t BytesOf(const Value& value) {
  std::size_t bytes = Room::kValue;
  if (const auto* text = value.AsString()) bytes += Room::OfText(*text);
  if (const auto* number = value.AsNumber()) bytes += Room::OfText(number->text);
  if (const auto* list = value.AsList()) {
    for (const Value& item : *list) bytes += BytesOf(item);
  }
  if (const auto* map = value.AsMap()) {
    for (const auto& [key, member] : *map)
      bytes += Room::kMember + Room::OfText(key) + BytesOf(member);
  }
  return bytes;
}

Value Plain(const std::string& text, int line) {
  Result<Value> value = ResolvePlainScalar(text, line);
  if (!value) throw YamlRefusal(value.error().message);
  return *std::move(value);
}

// "!!int 5" and its like: the text must mean what the tag says.
Value Tagged(std::string_view kind, const std::string& text, int line) {
  if (kind == "str") return Value(text, line);
  if (kind == "bool" || kind == "int" || kind == "float" || kind == "null") {
    Value value = Plain(text, line);
    const bool agrees = (kind == "bool" && value.AsBool() != nullptr) ||
                        (kind == "null" && value.IsNull()) ||
                        (kind != "bool" && kind != "null" && value.AsNumber() != nullptr);
    if (agrees) return value;
    Refuse(line, fmt::format("\"{}\" is no !!{}", text, kind));
  }
  if (kind == "timestamp") return Value(text, line);
  Refuse(line, fmt::format("the tag !!{} is not supported; write the value without it", kind));
}

Value Scalar(std::string_view tag, const std::string& text, int line) {
  if (tag == kPlain) return Plain(text, line);
  if (tag.starts_with(kCoreTags)) return Tagged(tag.substr(kCoreTags.size()), text, line);
  return Value(text, line);  // quoted, or tagged with a word of the author's own
}

}  // namespace

Result<Value> ResolvePlainScalar(std::string_view text, int line) {
  if (IsOneOf(text, kNull)) return Value(Value::Null{}, line);
  if (IsOneOf(text, kTrue)) return Value(true, line);
  if (IsOneOf(text, kFalse)) return Value(false, line);
  if (IsOneOf(text, kNoJsonNumber)) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "line {}: {} is not a number that Kubernetes can hold; put it in quotes if it is text",
            line, text));
  }
  if (auto number = NumberOf(text)) return Value(Value::Number{*std::move(number)}, line);
  return Value(std::string(text), line);
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Take(Room::kValue, LineOf(mark));
  Finish(Value(Value::Null{}, LineOf(mark)), anchor, false);
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& text) {
  const int line = LineOf(mark);
  Take(Room::kValue + Room::OfText(text), line);
  Finish(Scalar(tag, text, line), anchor, tag == kPlain && text == "<<");
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto named = anchors_.find(anchor);
  if (named == anchors_.end()) Refuse(LineOf(mark), "this alias stands inside its own anchor");
  Charge(named->second, LineOf(mark));
  Finish(named->second, 0, false);
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value) {
  Begin(mark, anchor, false);
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  Begin(mark, anchor, true);
}

void YamlBuilder::OnSequenceEnd() {
  Open open = std::move(open_.back());
  open_.pop_back();
  Finish(Value(std::move(open.items), open.line), open.anchor, false);
}

void YamlBuilder::OnMapEnd() {
  Open open = std::move(open_.back());
  open_.pop_back();
  const std::string* const key = keys_ == Keys::kUnique ? RepeatedKey(open.members) : nullptr;
  if (key != nullptr) {
    Refuse(open.line, fmt::format("the map that begins here has the key \"{}\" twice", *key));
  }
  Merge(open);
  Finish(Value(std::move(open.members), open.line), open.anchor, false);
}

void YamlBuilder::Begin(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map) {
  const int line = LineOf(mark);
  if (open_.size() >= kMaxDocumentDepth) {
    Refuse(line, fmt::format("nested deeper than {} levels", kMaxDocumentDepth));
  }
  if (!open_.empty() && open_.back().is_map && !open_.back().has_key) {
    Refuse(line, "a key must be a plain word, not a list or a map");
  }
  Take(Room::kValue, line);
  Open open;
  open.is_map = is_map;
  open.line = line;
  open.anchor = anchor;
  open_.push_back(std::move(open));
}

void YamlBuilder::Finish(Value value, YAML::anchor_t anchor, bool plain_merge_key) {
  if (anchor != 0) {
    Charge(value, value.line());
    anchors_.insert_or_assign(anchor, value);
  }
  if (open_.empty()) {
    root_ = std::move(value);
    return;
  }
  Open& open = open_.back();
  if (!open.is_map) {
    open.items.push_back(std::move(value));
  } else if (!open.has_key) {
    TakeKey(open, value, plain_merge_key);
  } else {
    open.has_key = false;
    if (open.key_is_merge) {
      open.merged.push_back(std::move(value));
    } else {
      open.members.emplace_back(std::move(open.key), std::move(value));
    }
  }
}

void YamlBuilder::TakeKey(Open& open, const Value& value, bool plain_merge_key) {
  Take(Room::kMember, value.line());
  open.has_key = true;
  open.key_is_merge = plain_merge_key;
  if (const auto* text = value.AsString()) {
    open.key = *text;
  } else if (const auto* number = value.AsNumber()) {
    open.key = number->text;
  } else if (const bool* flag = value.AsBool()) {
    open.key = *flag ? "true" : "false";
  } else {
    Refuse(value.line(), fmt::format("a key must be a plain word, not {}", value.KindName()));
  }
}

void YamlBuilder::Merge(Open& open) {
  if (open.merged.empty()) return;
  std::unordered_set<std::string> named;
  for (const auto& member : open.members) named.insert(member.first);
  const auto add = [&](const Value& source) {
    if (source.AsMap() == nullptr) {
      Refuse(open.line, fmt::format("<< needs a map or a list of maps, not {}", source.KindName()));
    }
    Charge(source, open.line);
    for (const Value::Member& member : *source.AsMap()) {
      if (named.insert(member.first).second) open.members.push_back(member);
    }
  };
  for (const Value& source : open.merged) {
    if (const auto* list = source.AsList()) {
      std::ranges::for_each(*list, add);
    } else {
      add(source);
    }
  }
}

void YamlBuilder::Take(std::size_t bytes, int line) {
  if (!room_.Take(bytes)) {
    Refuse(line, "the document up to here takes more memory than is allowed");
  }
}

void YamlBuilder::Charge(const Value& copied, int line) {
  const std::size_t bytes = BytesOf(copied);
  Take(bytes, line);
  copied_bytes_ += bytes;
  if (copied_bytes_ > kMaxCopiedBytes) {
    Refuse(line, "anchors and aliases expand to more than 16 MiB");
  }
}

}  // namespace jettison::documents
