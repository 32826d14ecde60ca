#include "kernel/fs_events/event_records.h"

#include <fcntl.h>
#include <linux/fanotify.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace jettison::fs_events {
namespace {

constexpr std::uint64_t kEntryChanged = FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM | FAN_MOVED_TO;

// The kernel's struct at the beginning of `bytes`; absent if there are too few bytes.
template <typename T>
std::optional<T> Head(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

bool NamesDirectory(unsigned char type) {
  return type == FAN_EVENT_INFO_TYPE_FID || type == FAN_EVENT_INFO_TYPE_DFID ||
         type == FAN_EVENT_INFO_TYPE_DFID_NAME;
}

struct HandleHead {  // struct file_handle before its bytes
  std::uint32_t handle_bytes;
  std::int32_t handle_type;
};

std::optional<FileHandle> HandleIn(std::span<const std::byte> info) {
  if (info.size() < sizeof(fanotify_event_info_fid)) return std::nullopt;
  const auto rest = info.subspan(sizeof(fanotify_event_info_fid));
  const auto head = Head<HandleHead>(rest);
  if (!head || head->handle_bytes > FileHandle::kMaxBytes) return std::nullopt;
  const auto bytes = rest.subspan(sizeof(HandleHead));
  if (bytes.size() < head->handle_bytes) return std::nullopt;
  FileHandle handle;
  handle.type = head->handle_type;
  handle.size = head->handle_bytes;
  std::memcpy(handle.bytes.data(), bytes.data(), head->handle_bytes);
  return handle;
}

// The directory that an event's information records name.
std::optional<FileHandle> DirectoryIn(std::span<const std::byte> infos) {
  while (const auto head = Head<fanotify_event_info_header>(infos)) {
    if (head->len < sizeof *head || head->len > infos.size()) return std::nullopt;
    if (NamesDirectory(head->info_type)) return HandleIn(infos.first(head->len));
    infos = infos.subspan(head->len);
  }
  return std::nullopt;
}

void AddChange(const DirectoryChange& change, EventRecords& records) {
  const auto [place, is_new] =
      records.places.try_emplace(KeyOf(change.directory), records.changes.size());
  if (is_new) {
    records.changes.push_back(change);
  } else if (change.subdirectories) {
    records.changes[place->second].subdirectories = true;
  }
}

}  // namespace

void ParseEvents(std::span<const std::byte> buffer, EventRecords& records) {
  while (!buffer.empty()) {
    const auto event = Head<fanotify_event_metadata>(buffer);
    const bool sound = event && event->vers == FANOTIFY_METADATA_VERSION &&
                       event->metadata_len >= sizeof *event &&
                       event->event_len >= event->metadata_len && event->event_len <= buffer.size();
    if (!sound) {
      records.lost = true;
      return;
    }
    ++records.events;
    const auto directory = DirectoryIn(buffer.first(event->event_len).subspan(event->metadata_len));
    if ((event->mask & FAN_Q_OVERFLOW) != 0 || !directory) {
      records.lost = true;
    } else {
      const bool entry = (event->mask & kEntryChanged) != 0;
      const bool subdirectories = entry && (event->mask & FAN_ONDIR) != 0;
      AddChange({.directory = *directory, .subdirectories = subdirectories}, records);
    }
    buffer = buffer.subspan(event->event_len);
  }
}

EventRecords TakeEvents(std::size_t queued, const ReadEvents& read) {
  std::vector<std::byte> buffer(std::size_t{64} * 1024);
  EventRecords records;
  while (records.events < queued && !records.lost) {
    const ssize_t size = read(buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      records.lost = size < 0 && errno != EAGAIN;
      break;
    }
    ParseEvents(std::span(buffer).first(static_cast<std::size_t>(size)), records);
  }
  return records;
}

}  // namespace jettison::fs_events
