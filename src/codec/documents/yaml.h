#pragma once

#include <string_view>
#include <vector>

#include "codec/documents/documents.h"
#include "core/model/value.h"
#include "core/units/result.h"

namespace jettison {

// Reads the YAML documents of a file, with the meaning that Kubernetes gives to plain scalars
// (sigs.k8s.io/yaml: YAML 1.1). Empty documents are left out. Lines count from the start of
// `text`.
//
// Fails with kInvalidArgument and "line N: ..." on syntax errors, text that is not UTF-8, control
// characters, with Keys::kUnique a key that stands twice in a map, more than kMaxDocumentDepth
// levels, more than 16 MiB of text, aliases that expand to more than 16 MiB, and scalars that JSON
// has no form for. Values of all documents, and what is copied of them, may take `most_memory`; so
// may what the parser needs for lists and maps written in brackets, of which it holds every word
// until they end.
[[nodiscard]] Result<std::vector<Value>> ParseYamlDocuments(
    std::string_view text, std::size_t most_memory = kUnlimitedMemory, Keys keys = Keys::kUnique);

}  // namespace jettison
