#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/documents/documents.h"
#include "codec/documents/room.h"
#include "core/model/value.h"
#include "core/units/result.h"

namespace jettison {

// Reads one JSON text whose top is an object or a list. Strict: RFC 8259, valid UTF-8, nothing
// behind the text but blanks, no key twice, at most kMaxDocumentDepth levels. Numbers keep their
// text, whatever their size.
//
// Fails with kInvalidArgument and "line N: ...".
[[nodiscard]] Result<Value> ParseJson(std::string_view text);

// The message of such a failure without its line, for texts that are one line of a file.
[[nodiscard]] std::string WithoutLine(std::string_view message);

// Reads texts that follow one another: NDJSON, or `cat a.json b.json`. Lines count from the start
// of `text`, and all of them together may take `most_memory`.
[[nodiscard]] Result<std::vector<Value>> ParseJsonDocuments(
    std::string_view text, std::size_t most_memory = kUnlimitedMemory, Keys keys = Keys::kUnique);

// ParseJson for many texts one after another (a stream of records): keeps its buffers between
// calls. Not for two threads at once.
class JsonReader {
 public:
  JsonReader();
  ~JsonReader();
  JsonReader(JsonReader&&) noexcept;
  JsonReader& operator=(JsonReader&&) noexcept;

  // As ParseJson; `first_line` is the number of the text's first line in its file.
  [[nodiscard]] Result<Value> Parse(std::string_view text, int first_line = 1);
  // As Parse, its values taking their memory out of `room`.
  [[nodiscard]] Result<Value> Parse(std::string_view text, int first_line, documents::Room& room,
                                    Keys keys = Keys::kUnique);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace jettison
