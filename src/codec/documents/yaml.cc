#include "codec/documents/yaml.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <sstream>
#include <string>
#include <utility>

#include "codec/documents/room.h"
#include "codec/documents/yaml_builder.h"

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

Result<Value> ParseChunk(const Chunk& chunk, documents::Room& room, Keys keys) {
  try {
    std::istringstream stream{std::string(chunk.text)};
    YAML::Parser parser(stream);
    documents::YamlBuilder builder(chunk.lines_before, room, keys);
    if (!parser.HandleNextDocument(builder)) return Value();
    documents::YamlBuilder rest(chunk.lines_before, room, keys);
    if (parser.HandleNextDocument(rest)) {
      return Fail(Invalid(
          fmt::format("line {}: there is more text after the end of the document that begins here; "
                      "check the indentation, or separate documents with a line of ---",
                      chunk.lines_before + 1)));
    }
    return builder.TakeRoot();
  } catch (const documents::YamlRefusal& refusal) {
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

Result<std::vector<Value>> ParseYamlDocuments(std::string_view text, std::size_t most_memory,
                                              Keys keys) {
  if (auto checked = CheckBytes(text); !checked) return Fail(std::move(checked.error()));
  if (auto few = CheckBrackets(text, most_memory); !few) return Fail(std::move(few.error()));
  if (text.starts_with(documents::kByteOrderMark))
    text.remove_prefix(documents::kByteOrderMark.size());
  documents::Room room(most_memory);
  std::vector<Value> values;
  for (const Chunk& chunk : Chunks(text)) {
    Result<Value> value = ParseChunk(chunk, room, keys);
    if (!value) return Fail(std::move(value.error()));
    if (!value->IsNull()) values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace jettison
