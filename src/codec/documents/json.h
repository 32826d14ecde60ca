#pragma once

#include <string_view>

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
[[nodiscard]] Result<Value> ParseJson(std::string_view text, int first_line, documents::Room& room);

}  // namespace jettison
