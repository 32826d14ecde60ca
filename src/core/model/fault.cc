#include "core/model/fault.h"

#include <utility>

#include "core/model/redaction.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

constexpr std::size_t kQuotedBytes = 256;
constexpr std::size_t kMessageBytes = 2048;

constexpr const char* kAndMore = "and more";

}  // namespace

std::string Shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

void AddFault(Faults& faults, Fault fault) {
  if (faults.size() > kMostFaults) return;
  if (faults.size() == kMostFaults) {
    fault = {.file = std::move(fault.file), .key = {}, .value = {}, .message = kAndMore};
  }
  fault.key = Shortened(fault.key, kQuotedBytes);
  fault.value = Shortened(WithRedactedUrls(fault.value), kQuotedBytes);
  fault.message = Shortened(fault.message, kMessageBytes);
  faults.push_back(std::move(fault));
}

void AddFaults(Faults& faults, Faults&& part, const std::string& file) {
  for (Fault& fault : part) {
    fault.file = file;
    AddFault(faults, std::move(fault));
  }
}

void AddLine(std::vector<std::string>& lines, const std::string& line) {
  if (lines.size() > kMostFaults) return;
  lines.push_back(lines.size() == kMostFaults ? kAndMore : Shortened(line, kMessageBytes));
}

std::string Describe(const Fault& fault) {
  std::string line;
  if (!fault.file.empty()) line += fault.file + ": ";
  if (!fault.key.empty()) line += fault.key + ": ";
  if (!fault.value.empty()) line += "\"" + fault.value + "\": ";
  return Printable(line + fault.message);
}

std::string DescribeAll(const Faults& faults) {
  std::string line;
  for (const Fault& fault : faults) {
    if (!line.empty()) line += "; ";
    line += Describe(fault);
  }
  return line;
}

}  // namespace jettison
