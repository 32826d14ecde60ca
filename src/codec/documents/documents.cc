#include "codec/documents/documents.h"

#include "codec/documents/json.h"
#include "codec/documents/yaml.h"

namespace jettison {
namespace {

bool LooksLikeJson(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

Result<std::vector<Value>> ParseDocuments(std::string_view text, std::size_t most_memory) {
  return LooksLikeJson(text) ? ParseJsonDocuments(text, most_memory)
                             : ParseYamlDocuments(text, most_memory);
}

}  // namespace jettison
