#include "codec/documents/documents.h"

#include "codec/documents/json.h"
#include "codec/documents/text_parts.h"
#include "codec/documents/yaml.h"

namespace jettison {
namespace {

bool LooksLikeJson(std::string_view text) {
  if (text.starts_with(documents::kByteOrderMark))
    text.remove_prefix(documents::kByteOrderMark.size());
  const auto first = text.find_first_not_of(documents::kBlanks);
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

Result<std::vector<Value>> ParseDocuments(std::string_view text, std::size_t most_memory) {
  return LooksLikeJson(text) ? ParseJsonDocuments(text, most_memory)
                             : ParseYamlDocuments(text, most_memory);
}

}  // namespace jettison
