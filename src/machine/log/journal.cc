// All lines are sent from the same place in the source, so that place is left out.
#define SD_JOURNAL_SUPPRESS_LOCATION

#include "machine/log/journal.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "ports/late_library.h"

namespace jettison {
namespace {

int PriorityOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return LOG_DEBUG;
    case LogLevel::kInfo: return LOG_INFO;
    case LogLevel::kWarning: return LOG_WARNING;
    case LogLevel::kError: return LOG_ERR;
  }
  __builtin_unreachable();
}

using Sendv = decltype(&::sd_journal_sendv);

// Null: there is no libsystemd.
Sendv LoadedSendv() {
  static const Sendv kSendv = []() -> Sendv {
    Sendv sendv = nullptr;
    const auto library = LateLibrary::Load({"libsystemd.so.0"});
    return library && library->Find("sd_journal_sendv", sendv) ? sendv : nullptr;
  }();
  return kSendv;
}

}  // namespace

LogLine JournalEntries(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  LogLine entries = {
      "MESSAGE=" + FormatMessage(message, fields),
      fmt::format("PRIORITY={}", PriorityOf(level)),
      "SYSLOG_IDENTIFIER=jettison",
  };
  for (const LogField& field : fields) {
    entries.push_back(fmt::format("{}={}", JournalNameOf(field.key), field.value));
  }
  return entries;
}

bool SendToJournal(const LogLine& entries) {
  std::vector<iovec> parts;
  for (const std::string& entry : entries) {
    parts.push_back({const_cast<char*>(entry.data()), entry.size()});  // sendv only reads it
  }
  const Sendv sendv = LoadedSendv();
  return sendv != nullptr && sendv(parts.data(), static_cast<int>(parts.size())) >= 0;
}

bool StandardErrorIsJournal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || fstat(STDERR_FILENO, &status) != 0) return false;
  return fmt::format("{}:{}", status.st_dev, status.st_ino) == stream && LoadedSendv() != nullptr;
}

std::string JournalNameOf(std::string_view key) {
  std::string name = "JETTISON_";
  for (const char c : key) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    if (upper) name.push_back('_');
    if (lower) {
      name.push_back(static_cast<char>(c - 'a' + 'A'));
    } else {
      name.push_back(upper || digit ? c : '_');
    }
  }
  return name;
}

}  // namespace jettison
