// The library reports failures by code here; nothing in this file can throw but bad_alloc.
#define SIMDJSON_EXCEPTIONS 0
#include "platform/documents/json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "platform/documents/documents.h"
#include "platform/documents/unique_keys.h"

namespace jettison {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

Result<Value> FailAt(int line, std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("line {}: {}", line, what));
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Moves past digits; false where there are none.
bool SkipDigits(std::string_view& rest) {
  const auto end = std::ranges::find_if_not(rest, IsDigit);
  const auto count = static_cast<std::size_t>(end - rest.begin());
  rest.remove_prefix(count);
  return count > 0;
}

// RFC 8259, section 6. The on-demand parser leaves numbers that nobody converts unchecked.
bool IsJsonNumber(std::string_view rest) {
  if (rest.starts_with('-')) rest.remove_prefix(1);
  if (rest.starts_with('0')) {
    rest.remove_prefix(1);
  } else if (!SkipDigits(rest)) {
    return false;
  }
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (!SkipDigits(rest)) return false;
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
    if (!SkipDigits(rest)) return false;
  }
  return rest.empty();
}

std::string_view TrimRight(std::string_view text) {
  const auto last = text.find_last_not_of(kBlanks);
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

// Walks one parsed text from its first token to its last, copying as it goes.
class Walk {
 public:
  Walk(const char* start, int first_line) : position_(start), line_(first_line) {}

  [[nodiscard]] int line() const { return line_; }

  // Moves the line counter on to a token further down.
  void AdvanceTo(const char* token) {
    if (token <= position_) return;
    line_ += static_cast<int>(std::count(position_, token, '\n'));
    position_ = token;
  }

  Result<Value> Copy(ondemand::value value, int depth) {
    const std::string_view token = value.raw_json_token();
    AdvanceTo(token.data());
    ondemand::json_type type{};
    if (const auto error = value.type().get(type)) return Refuse(error);
    switch (type) {
      case ondemand::json_type::object: {
        ondemand::object object;
        if (const auto error = value.get_object().get(object)) return Refuse(error);
        return CopyObject(object, depth + 1);
      }
      case ondemand::json_type::array: {
        ondemand::array array;
        if (const auto error = value.get_array().get(array)) return Refuse(error);
        return CopyArray(array, depth + 1);
      }
      case ondemand::json_type::string: return CopyString(value);
      case ondemand::json_type::boolean: return CopyBool(value);
      case ondemand::json_type::null: return CopyNull(value);
      case ondemand::json_type::number: return CopyNumber(TrimRight(token));
    }
    return FailAt(line_, "this is no JSON value");
  }

  Result<Value> CopyObject(ondemand::object object, int depth) {
    if (depth > kMaxDocumentDepth) return TooDeep();
    const int line = line_;
    Value::Map members;
    for (auto step : object) {
      ondemand::field field;
      if (const auto error = std::move(step).get(field)) return Refuse(error);
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) return Refuse(error);
      std::string name(key);
      Result<Value> value = Copy(field.value(), depth);
      if (!value) return value;
      members.emplace_back(std::move(name), *std::move(value));
    }
    if (const std::string* key = documents::RepeatedKey(members)) {
      return FailAt(line,
                    fmt::format("the object that begins here has the key \"{}\" twice", *key));
    }
    return Value(std::move(members), line);
  }

  Result<Value> CopyArray(ondemand::array array, int depth) {
    if (depth > kMaxDocumentDepth) return TooDeep();
    const int line = line_;
    Value::List items;
    for (auto step : array) {
      ondemand::value item;
      if (const auto error = std::move(step).get(item)) return Refuse(error);
      Result<Value> value = Copy(item, depth);
      if (!value) return value;
      items.push_back(*std::move(value));
    }
    return Value(std::move(items), line);
  }

  Result<Value> Refuse(simdjson::error_code error) const {
    return FailAt(line_, fmt::format("this is not valid JSON: {}", simdjson::error_message(error)));
  }

 private:
  Result<Value> TooDeep() const {
    return FailAt(line_, fmt::format("nested deeper than {} levels", kMaxDocumentDepth));
  }

  Result<Value> CopyString(ondemand::value& value) const {
    std::string_view text;
    if (const auto error = value.get_string().get(text)) return Refuse(error);
    return Value(std::string(text), line_);
  }

  Result<Value> CopyBool(ondemand::value& value) const {
    bool flag = false;
    if (const auto error = value.get_bool().get(flag)) return Refuse(error);
    return Value(flag, line_);
  }

  Result<Value> CopyNull(ondemand::value& value) const {
    bool is_null = false;
    if (const auto error = value.is_null().get(is_null)) return Refuse(error);
    if (!is_null) return FailAt(line_, "this is not valid JSON: did you mean null?");
    return Value(Value::Null{}, line_);
  }

  // The token is left unread: the library steps over it, and only its text is wanted.
  Result<Value> CopyNumber(std::string_view token) const {
    if (!IsJsonNumber(token)) return FailAt(line_, fmt::format("\"{}\" is no JSON number", token));
    return Value(Value::Number{std::string(token)}, line_);
  }

  const char* position_;
  int line_;
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

Result<Value> CopyDocument(ondemand::document& document, Walk& walk) {
  ondemand::json_type type{};
  if (const auto error = document.type().get(type)) return walk.Refuse(error);
  std::string_view top;
  if (const auto error = document.raw_json_token().get(top)) return walk.Refuse(error);
  walk.AdvanceTo(top.data());
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return walk.Refuse(error);
    return walk.CopyObject(object, 1);
  }
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (const auto error = document.get_array().get(array)) return walk.Refuse(error);
    return walk.CopyArray(array, 1);
  }
  return FailAt(walk.line(), "a document must be an object or a list");
}

}  // namespace

struct JsonReader::Buffers {
  ondemand::parser parser;
  std::string padded;  // the text and the bytes that the library may read behind it
};

JsonReader::JsonReader() : buffers_(std::make_unique<Buffers>()) {}
JsonReader::~JsonReader() = default;
JsonReader::JsonReader(JsonReader&&) noexcept = default;
JsonReader& JsonReader::operator=(JsonReader&&) noexcept = default;

Result<Value> JsonReader::Parse(std::string_view text, int first_line) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string& padded = buffers_->padded;
  padded.assign(text);
  padded.append(simdjson::SIMDJSON_PADDING, ' ');
  Walk walk(padded.data(), first_line);

  ondemand::document document;
  if (const auto error =
          buffers_->parser.iterate(padded.data(), text.size(), padded.size()).get(document)) {
    return walk.Refuse(error);
  }
  Result<Value> value = CopyDocument(document, walk);
  if (!value) return value;
  const char* behind = nullptr;
  if (document.current_location().get(behind) == simdjson::SUCCESS) {
    walk.AdvanceTo(behind);
    return FailAt(walk.line(), "there is more text behind the end of the JSON document");
  }
  return value;
}

Result<Value> ParseJson(std::string_view text) {
  return JsonReader().Parse(text);
}

Result<std::vector<Value>> ParseJsonDocuments(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  JsonReader reader;
  std::vector<Value> documents;
  int line = 1;
  while (true) {
    const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
    line += static_cast<int>(std::ranges::count(text.substr(0, begin), '\n'));
    text.remove_prefix(begin);
    if (text.empty()) return documents;
    const std::string_view first = FirstText(text);
    Result<Value> document = reader.Parse(first, line);
    if (!document) return tl::unexpected(std::move(document.error()));
    documents.push_back(*std::move(document));
    line += static_cast<int>(std::ranges::count(first, '\n'));
    text.remove_prefix(first.size());
  }
}

}  // namespace jettison
