// The library reports failures by code here; nothing in this file can throw but bad_alloc.
#define SIMDJSON_EXCEPTIONS 0
#include "codec/documents/json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace jettison {
namespace {

namespace ondemand = simdjson::ondemand;

using documents::TakeDigits;

// RFC 8259, section 6. The on-demand parser leaves numbers that nobody converts unchecked.
bool IsJsonNumber(std::string_view rest) {
  if (rest.starts_with('-')) rest.remove_prefix(1);
  if (rest.starts_with('0')) {
    rest.remove_prefix(1);
  } else if (TakeDigits(rest).empty()) {
    return false;
  }
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (TakeDigits(rest).empty()) return false;
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
    if (TakeDigits(rest).empty()) return false;
  }
  return rest.empty();
}

std::string_view TrimRight(std::string_view text) {
  const auto last = text.find_last_not_of(documents::kBlanks);
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

// Walks one parsed text from its first token to its last, copying as it goes. Where a step answers
// false, `error()` says why.
class Walk {
 public:
  Walk(std::string_view text, int first_line, documents::Room& room)
      : newline_(text.data()), end_(text.data() + text.size()), line_(first_line), room_(room) {
    FindNewline();
  }

  [[nodiscard]] Error& error() { return error_; }

  bool CopyDocument(ondemand::document& document, Value& into) {
    ondemand::json_type type{};
    if (const auto code = document.type().get(type)) return Refuse(code);
    std::string_view top;
    if (const auto code = document.raw_json_token().get(top)) return Refuse(code);
    AdvanceTo(top.data());
    if (type == ondemand::json_type::object) return CopyObject(document, 1, into);
    if (type == ondemand::json_type::array) return CopyArray(document, 1, into);
    return Refuse("a document must be an object or a list");
  }

  // Nothing but blanks may follow what was copied.
  bool CheckEnd(ondemand::document& document) {
    const char* behind = nullptr;
    if (document.current_location().get(behind) != simdjson::SUCCESS) return true;
    AdvanceTo(behind);
    return Refuse("there is more text after the end of the JSON document");
  }

  bool Refuse(std::string_view what) {
    error_ = {ErrorCode::kInvalidArgument,
              line_ == 0 ? std::string(what) : fmt::format("line {}: {}", line_, what)};
    return false;
  }
  bool Refuse(simdjson::error_code code) {
    return Refuse(fmt::format("this is not valid JSON: {}", simdjson::error_message(code)));
  }

 private:
  void FindNewline() {
    newline_ = static_cast<const char*>(
        std::memchr(newline_, '\n', static_cast<std::size_t>(end_ - newline_)));
    if (newline_ == nullptr) newline_ = end_;
  }

  // Moves the line counter on to a token further down.
  void AdvanceTo(const char* token) {
    while (newline_ < token && newline_ < end_) {
      ++line_;
      ++newline_;
      FindNewline();
    }
  }

  bool Copy(ondemand::value value, int depth, Value& into) {
    const std::string_view token = value.raw_json_token();
    AdvanceTo(token.data());
    if (!room_.Take(documents::Room::kValue)) return TooLarge();
    ondemand::json_type type{};
    if (const auto code = value.type().get(type)) return Refuse(code);
    switch (type) {
      case ondemand::json_type::object: return CopyObject(value, depth + 1, into);
      case ondemand::json_type::array: return CopyArray(value, depth + 1, into);
      case ondemand::json_type::string: {
        std::string_view text;
        if (const auto code = value.get_string().get(text)) return Refuse(code);
        if (!room_.Take(documents::Room::OfText(text))) return TooLarge();
        into = Value(std::string(text), line_);
        return true;
      }
      case ondemand::json_type::boolean: {
        bool flag = false;
        if (const auto code = value.get_bool().get(flag)) return Refuse(code);
        into = Value(flag, line_);
        return true;
      }
      case ondemand::json_type::null: {
        bool is_null = false;
        if (const auto code = value.is_null().get(is_null)) return Refuse(code);
        if (!is_null) return Refuse("this is not valid JSON: did you mean null?");
        into = Value(Value::Null{}, line_);
        return true;
      }
      case ondemand::json_type::number: return CopyNumber(TrimRight(token), into);
    }
    return Refuse("this is not a JSON value");
  }

  // `From` is a document or a value that begins with '{'.
  template <typename From>
  bool CopyObject(From& from, int depth, Value& into) {
    if (depth > kMaxDocumentDepth) return TooDeep();
    const int line = line_;
    Value::Map members;
    ondemand::object object;
    if (const auto code = from.get_object().get(object)) return Refuse(code);
    for (auto step : object) {
      ondemand::field field;
      if (const auto code = std::move(step).get(field)) return Refuse(code);
      std::string_view key;
      if (const auto code = field.unescaped_key().get(key)) return Refuse(code);
      if (!room_.Take(documents::Room::kMember + documents::Room::OfText(key))) return TooLarge();
      Value::Member& member = members.emplace_back(std::string(key), Value());
      if (!Copy(field.value(), depth, member.second)) return false;
    }
    if (const std::string* twice = room_.RepeatedKey(members, line)) {
      line_ = line;
      return Refuse(fmt::format("the object that begins here has the key \"{}\" twice", *twice));
    }
    members.shrink_to_fit();
    into = Value(std::move(members), line);
    return true;
  }

  // `From` is a document or a value that begins with '['.
  template <typename From>
  bool CopyArray(From& from, int depth, Value& into) {
    if (depth > kMaxDocumentDepth) return TooDeep();
    const int line = line_;
    Value::List items;
    ondemand::array array;
    if (const auto code = from.get_array().get(array)) return Refuse(code);
    for (auto step : array) {
      ondemand::value value;
      if (const auto code = std::move(step).get(value)) return Refuse(code);
      if (!Copy(value, depth, items.emplace_back())) return false;
    }
    items.shrink_to_fit();
    into = Value(std::move(items), line);
    return true;
  }

  bool TooDeep() { return Refuse(fmt::format("nested deeper than {} levels", kMaxDocumentDepth)); }

  bool TooLarge() { return Refuse("the document up to here takes more memory than is allowed"); }

  // The token is left unread: the library steps over it, and only its text is wanted.
  bool CopyNumber(std::string_view token, Value& into) {
    if (!room_.Take(documents::Room::OfText(token))) return TooLarge();
    // Not quoted: it may be a secret whose quotes were forgotten.
    if (!IsJsonNumber(token)) return Refuse("this is not a JSON number");
    into = Value(Value::Number{std::string(token)}, line_);
    return true;
  }

  const char* newline_;  // the next one that is not counted yet, or end_
  const char* end_;
  int line_;
  documents::Room& room_;
  Error error_;
};

// The first text of several: up to the bracket that closes its first one. All of `text` where
// none does; the parser then says what is wrong.
std::string_view FirstText(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth <= 0) {
      return text.substr(0, i + 1);
    }
  }
  return text;
}

}  // namespace

Result<Value> ParseJson(std::string_view text, int first_line) {
  documents::Room room(kUnlimitedMemory);
  return ParseJson(text, first_line, room);
}

Result<Value> ParseJson(std::string_view text, int first_line, documents::Room& room) {
  if (text.starts_with(documents::kByteOrderMark))
    text.remove_prefix(documents::kByteOrderMark.size());
  const simdjson::padded_string padded(text);
  Walk walk({padded.data(), padded.size()}, first_line, room);
  ondemand::parser parser;
  ondemand::document document;
  const auto code = parser.iterate(padded).get(document);
  Value value;
  const bool read = code == simdjson::SUCCESS
                        ? walk.CopyDocument(document, value) && walk.CheckEnd(document)
                        : walk.Refuse(code);
  if (!read) return Fail(std::move(walk.error()));
  return value;
}

Result<std::vector<Value>> documents::ParseJsonInARow(std::string_view text, Room& room) {
  std::vector<Value> documents;
  int line = 1;
  while (true) {
    const std::size_t begin = std::min(text.find_first_not_of(documents::kBlanks), text.size());
    line += static_cast<int>(std::ranges::count(text.substr(0, begin), '\n'));
    text.remove_prefix(begin);
    if (text.empty()) return documents;
    const std::string_view first = FirstText(text);
    Result<Value> document = ParseJson(first, line, room);
    if (!document) return tl::unexpected(std::move(document.error()));
    if (!room.Take(documents::Room::kValue)) {
      return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("line {}: the documents up to here take more memory than is allowed", line));
    }
    documents.push_back(*std::move(document));
    line += static_cast<int>(std::ranges::count(first, '\n'));
    text.remove_prefix(first.size());
  }
}

}  // namespace jettison
