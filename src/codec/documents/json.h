#pragma once

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
// `first_line` is the number of the text's first line in its file; 0: the text is one line, and
// what is wrong is told without it. Fails with kInvalidArgument and "line N: ...".
[[nodiscard]] Result<Value> ParseJson(std::string_view text, int first_line = 1);
// The same, its values taking their memory out of `room`.
[[nodiscard]] Result<Value> ParseJson(std::string_view text, int first_line, documents::Room& room,
                                      Keys keys = Keys::kUnique);

// Reads texts that follow one another: NDJSON, or `cat a.json b.json`. Lines count from the start
// of `text`, and all of them together may take `most_memory`.
[[nodiscard]] Result<std::vector<Value>> ParseJsonDocuments(
    std::string_view text, std::size_t most_memory = kUnlimitedMemory, Keys keys = Keys::kUnique);

}  // namespace jettison
