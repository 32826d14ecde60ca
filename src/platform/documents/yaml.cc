#include "platform/documents/yaml.h"

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

#include "platform/documents/yaml_builder.h"

namespace jettison {
namespace {

constexpr std::size_t kMaxYamlBytes = std::size_t{16} << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kBlanks = " \t\r\n";

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
  return line.size() == marker.size() || kBlanks.find(line[marker.size()]) != kBlanks.npos;
}

// Whether the line can be left out of a document that has not begun yet.
bool SaysNothing(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kBlanks);
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

Result<Value> ParseChunk(const Chunk& chunk) {
  try {
    std::istringstream stream{std::string(chunk.text)};
    YAML::Parser parser(stream);
    documents::YamlBuilder builder(chunk.lines_before);
    if (!parser.HandleNextDocument(builder)) return Value();
    documents::YamlBuilder rest(chunk.lines_before);
    if (parser.HandleNextDocument(rest)) {
      return Fail(Invalid(fmt::format(
          "line {}: the document that begins here goes on after its end; check the indentation, "
          "or part documents with a line of ---",
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

Result<std::vector<Value>> ParseYamlDocuments(std::string_view text) {
  if (auto checked = CheckBytes(text); !checked) return Fail(std::move(checked.error()));
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<Value> values;
  for (const Chunk& chunk : Chunks(text)) {
    Result<Value> value = ParseChunk(chunk);
    if (!value) return Fail(std::move(value.error()));
    if (!value->IsNull()) values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace jettison
