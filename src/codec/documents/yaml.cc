#include <fmt/format.h>
#include <simdjson.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>

#include "codec/documents/documents.h"
#include "codec/documents/room.h"

namespace jettison {
namespace {

constexpr std::size_t kMaxYamlBytes = std::size_t{16} << 20;

Error Invalid(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

int LinesIn(std::string_view text) {
  return static_cast<int>(std::ranges::count(text, '\n'));
}

bool IsForbidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

Result<void> CheckBytes(std::string_view text) {
  if (text.size() > kMaxYamlBytes) return Fail(Invalid("this YAML text is larger than 16 MiB"));
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return Fail(Invalid("this text is not valid UTF-8"));
  }
  const auto bad = std::ranges::find_if(text, IsForbidden);
  if (bad == text.end()) return {};
  const auto offset = static_cast<std::size_t>(bad - text.begin());
  return Fail(
      Invalid(fmt::format("line {}: the control character 0x{:02x} is not allowed",
                          LinesIn(text.substr(0, offset)) + 1, static_cast<unsigned char>(*bad))));
}

// The first line of `text` with its newline.
std::string_view FirstLine(std::string_view text) {
  const std::size_t newline = text.find('\n');
  return newline == std::string_view::npos ? text : text.substr(0, newline + 1);
}

// Whether the line begins with a document marker: one that a blank or nothing follows.
bool HasMarker(std::string_view line, std::string_view marker) {
  if (!line.starts_with(marker)) return false;
  return line.size() == marker.size() ||
         documents::kBlanks.find(line[marker.size()]) != documents::kBlanks.npos;
}

// Whether the line can be left out of a document that has not begun yet.
bool SaysNothing(std::string_view line) {
  const std::size_t first = line.find_first_not_of(documents::kBlanks);
  return first == std::string_view::npos || line[first] == '#' || line[0] == '%';
}

// One document's own text and the lines of the file above it.
struct Chunk {
  std::string_view text;
  int lines_before = 0;
};

// Cuts a file at its document markers. YAML forbids them inside a document, so this is exact. The
// line "---" stays with the document that it opens, "..." with none.
std::vector<Chunk> Chunks(std::string_view text) {
  std::vector<Chunk> chunks;
  int line_number = 0;
  bool inside = false;
  while (!text.empty()) {
    const std::string_view line = FirstLine(text);
    text.remove_prefix(line.size());
    if (HasMarker(line, "...")) {
      inside = false;
    } else if (HasMarker(line, "---") || (!inside && !SaysNothing(line))) {
      chunks.push_back({line, line_number});
      inside = true;
    } else if (inside) {
      Chunk& chunk = chunks.back();
      chunk.text = {chunk.text.data(), chunk.text.size() + line.size()};
    }
    ++line_number;
  }
  return chunks;
}

// What yaml-cpp holds for each bracket, comma or colon of a list or map in brackets; measured.
constexpr std::size_t kBytesOfToken = 256;

// Brackets are counted wherever they stand: within a text they are counted in vain.
Result<void> CheckBrackets(std::string_view text, std::size_t most_memory) {
  const auto is_token = [](char c) {
    return c == '[' || c == ']' || c == '{' || c == '}' || c == ',';
  };
  const auto opens = [](char c) { return c == '[' || c == '{'; };
  if (std::ranges::none_of(text, opens)) return {};
  const auto tokens = static_cast<std::size_t>(std::ranges::count_if(text, is_token));
  if (tokens <= most_memory / kBytesOfToken) return {};
  return Fail(Invalid(
      fmt::format("{} brackets and commas would take more memory than is allowed to be read; write "
                  "lists and maps a line each, or the whole as JSON",
                  tokens)));
}

// What aliases and merge keys may add to a document: far more than any real file uses, far less
// than a "billion laughs" file asks for.
constexpr std::size_t kMaxCopiedBytes = std::size_t{16} << 20;

constexpr std::string_view kPlain = "?";
constexpr std::string_view kCoreTags = "tag:yaml.org,2002:";

// A fault of a document that is found while the parser runs, and leaves it as an exception.
struct YamlRefusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void RefuseYaml(int line, std::string_view what) {
  throw YamlRefusal(fmt::format("line {}: {}", line, what));
}

std::size_t BytesOf(const Value& value) {
  std::size_t bytes = documents::Room::kValue;
  if (const auto* text = value.AsString()) bytes += documents::Room::OfText(*text);
  if (const auto* number = value.AsNumber()) bytes += documents::Room::OfText(number->text);
  if (const auto* list = value.AsList()) {
    for (const Value& item : *list) bytes += BytesOf(item);
  }
  if (const auto* map = value.AsMap()) {
    for (const auto& [key, member] : *map)
      bytes += documents::Room::kMember + documents::Room::OfText(key) + BytesOf(member);
  }
  return bytes;
}

Value Plain(const std::string& text, int line) {
  Result<Value> value = documents::ResolvePlainScalar(text, line);
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
    RefuseYaml(line, fmt::format("\"{}\" is no !!{}", text, kind));
  }
  if (kind == "timestamp") return Value(text, line);
  RefuseYaml(line, fmt::format("the tag !!{} is not supported; write the value without it", kind));
}

Value Scalar(std::string_view tag, const std::string& text, int line) {
  if (tag == kPlain) return Plain(text, line);
  if (tag.starts_with(kCoreTags)) return Tagged(tag.substr(kCoreTags.size()), text, line);
  return Value(text, line);  // quoted, or tagged with a word of the author's own
}

// Builds one document's tree from the parser's events.
class YamlBuilder final : public YAML::EventHandler {
 public:
  // `lines_before` is how many lines of the file stand above this document. Values take their
  // memory out of `room`, which must outlive this.
  YamlBuilder(int lines_before, documents::Room& room) : lines_before_(lines_before), room_(room) {}

  // The finished document.
  [[nodiscard]] Value TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Take(documents::Room::kValue, LineOf(mark));
    Finish(Value(Value::Null{}, LineOf(mark)), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = anchors_.find(anchor);
    if (named == anchors_.end())
      RefuseYaml(LineOf(mark), "this alias stands inside its own anchor");
    Charge(named->second, LineOf(mark));
    Finish(named->second, 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const int line = LineOf(mark);
    Take(documents::Room::kValue + documents::Room::OfText(text), line);
    Finish(Scalar(tag, text, line), anchor, tag == kPlain && text == "<<");
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Begin(mark, anchor, false);
  }
  void OnSequenceEnd() override {
    Open open = std::move(open_.back());
    open_.pop_back();
    Finish(Value(std::move(open.items), open.line), open.anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Begin(mark, anchor, true);
  }
  void OnMapEnd() override {
    Open open = std::move(open_.back());
    open_.pop_back();
    if (const std::string* const key = room_.RepeatedKey(open.members, open.line)) {
      RefuseYaml(open.line, fmt::format("the map that begins here has the key \"{}\" twice", *key));
    }
    Merge(open);
    Finish(Value(std::move(open.members), open.line), open.anchor);
  }

 private:
  // A list or map whose end has not come yet.
  struct Open {
    bool is_map = false;
    int line = 0;
    YAML::anchor_t anchor = 0;
    Value::List items = {};
    Value::Map members = {};
    std::vector<Value> merged = {};  // what `<<` named, in order
    bool has_key = false;            // a key was read, its value comes next
    bool key_is_merge = false;
    std::string key = {};
  };

  [[nodiscard]] int LineOf(const YAML::Mark& mark) const { return lines_before_ + mark.line + 1; }

  void Begin(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map) {
    const int line = LineOf(mark);
    if (open_.size() >= kMaxDocumentDepth) {
      RefuseYaml(line, fmt::format("nested deeper than {} levels", kMaxDocumentDepth));
    }
    if (!open_.empty() && open_.back().is_map && !open_.back().has_key) {
      RefuseYaml(line, "a key must be a plain word, not a list or a map");
    }
    Take(documents::Room::kValue, line);
    open_.push_back({.is_map = is_map, .line = line, .anchor = anchor});
  }

  // Stores a finished value in its list or map, and under its anchor.
  void Finish(Value value, YAML::anchor_t anchor, bool plain_merge_key = false) {
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

  void TakeKey(Open& open, const Value& value, bool plain_merge_key) {
    Take(documents::Room::kMember, value.line());
    open.has_key = true;
    open.key_is_merge = plain_merge_key;
    if (const auto* text = value.AsString()) {
      open.key = *text;
    } else if (const auto* number = value.AsNumber()) {
      open.key = number->text;
    } else if (const bool* flag = value.AsBool()) {
      open.key = *flag ? "true" : "false";
    } else {
      RefuseYaml(value.line(), fmt::format("a key must be a plain word, not {}", value.KindName()));
    }
  }

  // Adds the members of merged maps that the map does not name itself.
  void Merge(Open& open) {
    if (open.merged.empty()) return;
    std::unordered_set<std::string> named;
    for (const auto& member : open.members) named.insert(member.first);
    const auto add = [&](const Value& source) {
      if (source.AsMap() == nullptr) {
        RefuseYaml(open.line,
                   fmt::format("<< needs a map or a list of maps, not {}", source.KindName()));
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

  void Take(std::size_t bytes, int line) {
    if (!room_.Take(bytes)) {
      RefuseYaml(line, "the document up to here takes more memory than is allowed");
    }
  }

  // Counts what an alias or a merge copies, and refuses documents that explode.
  void Charge(const Value& copied, int line) {
    const std::size_t bytes = BytesOf(copied);
    Take(bytes, line);
    copied_bytes_ += bytes;
    if (copied_bytes_ > kMaxCopiedBytes) {
      RefuseYaml(line, "anchors and aliases expand to more than 16 MiB");
    }
  }

  int lines_before_;
  documents::Room& room_;
  Value root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Value> anchors_;
  std::size_t copied_bytes_ = 0;
};

Result<Value> ParseChunk(const Chunk& chunk, documents::Room& room) {
  try {
    std::istringstream stream{std::string(chunk.text)};
    YAML::Parser parser(stream);
    YamlBuilder builder(chunk.lines_before, room);
    if (!parser.HandleNextDocument(builder)) return Value();
    YamlBuilder rest(chunk.lines_before, room);
    if (parser.HandleNextDocument(rest)) {
      return Fail(Invalid(
          fmt::format("line {}: there is more text after the end of the document that begins here; "
                      "check the indentation, or separate documents with a line of ---",
                      chunk.lines_before + 1)));
    }
    return builder.TakeRoot();
  } catch (const YamlRefusal& refusal) {
    return Fail(Invalid(refusal.what()));
  } catch (const YAML::Exception& error) {
    const int line = chunk.lines_before + std::max(error.mark.line, 0) + 1;
    return Fail(Invalid(fmt::format("line {}: this is not valid YAML: {}", line, error.msg)));
  } catch (const std::exception& error) {
    return Fail(Invalid(fmt::format("line {}: this document cannot be read: {}",
                                    chunk.lines_before + 1, error.what())));
  }
}

}  // namespace

Result<std::vector<Value>> documents::ParseYaml(std::string_view text, Room& room) {
  if (auto checked = CheckBytes(text); !checked) return Fail(std::move(checked.error()));
  if (auto few = CheckBrackets(text, room.left()); !few) return Fail(std::move(few.error()));
  std::vector<Value> values;
  for (const Chunk& chunk : Chunks(text)) {
    Result<Value> value = ParseChunk(chunk, room);
    if (!value) return Fail(std::move(value.error()));
    if (!value->IsNull()) values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace jettison
