#include "core/model/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/model/redaction.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

constexpr std::size_t kQuotedBytes = 256;
constexpr std::size_t kMessageBytes = 2048;

bool ContinuesCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

std::string AndMore(std::size_t others) {
  return fmt::format("and {} more", others);
}

}  // namespace

std::string Shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && ContinuesCharacter(text[end])) --end;
  return std::string(text.substr(0, end)) + "...";
}

void AddFault(Faults& faults, Fault fault) {
  if (faults.size() < kMostFaults) {
    fault.key = Shortened(fault.key, kQuotedBytes);
    fault.value = Shortened(WithRedactedUrls(fault.value), kQuotedBytes);
    fault.message = Shortened(fault.message, kMessageBytes);
    faults.push_back(std::move(fault));
    return;
  }
  if (faults.back().others == 0) {
    faults.push_back({.file = std::move(fault.file), .key = {}, .value = {}, .message = {}});
  }
  Fault& rest = faults.back();
  rest.others += std::max<std::size_t>(fault.others, 1);
  rest.message = AndMore(rest.others);
}

void AddLine(std::vector<std::string>& lines, std::size_t& left_out, const std::string& line) {
  if (lines.size() >= kMostFaults) {
    ++left_out;
  } else {
    lines.push_back(Shortened(line, kMessageBytes));
  }
}

void CloseLines(std::vector<std::string>& lines, std::size_t left_out) {
  if (left_out > 0) lines.push_back(AndMore(left_out));
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
