#include "cli/ask/read_documents.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "codec/documents/documents.h"

namespace jettison {

Result<std::string> TextOf(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    return Fail(ErrorCode::kNotFound, "cannot be read: " + std::generic_category().message(errno));
  }
  return text;
}

namespace {

Result<std::vector<Value>> DocumentsOf(const std::string& file) {
  const auto text = TextOf(file);
  if (!text) return Fail(text.error());
  return ParseDocuments(*text);
}

}  // namespace

DocumentsReading ReadDocuments(const std::vector<std::string>& files, Empty empty) {
  DocumentsReading reading;
  const auto refuse = [&reading](const std::string& file, std::string message) {
    reading.faults.push_back({.file = file, .key = "", .value = "", .message = std::move(message)});
  };
  for (const std::string& file : files) {
    auto parsed = DocumentsOf(file);
    if (!parsed) {
      refuse(file, parsed.error().message);
      continue;
    }
    if (parsed->empty() && empty == Empty::kFault) refuse(file, "it is empty");
    for (Value& document : *parsed) reading.documents.push_back({file, std::move(document)});
  }
  return reading;
}

}  // namespace jettison
