#include "cli/ask/config_files.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "codec/documents/documents.h"

namespace jettison {
namespace {

Result<std::string> ReadWhole(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    return Fail(ErrorCode::kNotFound, "cannot be read: " + std::generic_category().message(errno));
  }
  return text;
}

Result<std::vector<Value>> DocumentsOf(const std::string& file) {
  const auto text = ReadWhole(file);
  if (!text) return Fail(text.error());
  return ParseDocuments(*text);
}

// What becomes of a file that holds nothing.
enum class Empty : bool { kAllowed, kFault };

ConfigReading ReadAll(const std::vector<std::string>& files, Empty empty) {
  std::vector<ConfigDocument> documents;
  Faults unreadable;
  for (const std::string& file : files) {
    auto parsed = DocumentsOf(file);
    if (!parsed) {
      unreadable.push_back(
          {.file = file, .key = "", .value = "", .message = parsed.error().message});
      continue;
    }
    if (parsed->empty() && empty == Empty::kFault) {
      unreadable.push_back({.file = file, .key = "", .value = "", .message = "it is empty"});
    }
    for (Value& document : *parsed) documents.push_back({file, std::move(document)});
  }
  ConfigReading reading = ReadConfig(documents);
  reading.faults.insert(reading.faults.begin(), unreadable.begin(), unreadable.end());
  return reading;
}

}  // namespace

ConfigReading ReadConfigFiles(const std::vector<std::string>& files) {
  return ReadAll(files, Empty::kAllowed);
}

ConfigReading ReadConfigFilesAgain(const std::vector<std::string>& files) {
  return ReadAll(files, Empty::kFault);
}

}  // namespace jettison
