#include <gtest/gtest.h>
#include <linux/fanotify.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "kernel/fs_events/filesystem_events.h"

namespace jettison::fs_events {
namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
void Append(Bytes& bytes, const T& value) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

struct Record {
  std::uint64_t mask = FAN_MODIFY;
  unsigned char type = FAN_EVENT_INFO_TYPE_DFID;
  std::string handle = "12345678";
};

// An event as the kernel writes it: metadata, then one record with fsid and handle.
Bytes Event(const Record& record) {
  Bytes info;
  fanotify_event_info_header header{};
  header.info_type = record.type;
  header.len = static_cast<unsigned short>(sizeof header + 8 + 8 + record.handle.size());
  Append(info, header);
  Append(info, std::uint64_t{7});
  Append(info, static_cast<std::uint32_t>(record.handle.size()));
  Append(info, std::int32_t{1});
  for (const char c : record.handle) info.push_back(static_cast<std::byte>(c));
  fanotify_event_metadata metadata{};
  metadata.vers = FANOTIFY_METADATA_VERSION;
  metadata.metadata_len = sizeof metadata;
  metadata.mask = record.mask;
  metadata.fd = FAN_NOFD;
  metadata.event_len = static_cast<std::uint32_t>(sizeof metadata + info.size());
  Bytes event;
  Append(event, metadata);
  event.insert(event.end(), info.begin(), info.end());
  return event;
}

Bytes Overflow() {
  fanotify_event_metadata metadata{};
  metadata.vers = FANOTIFY_METADATA_VERSION;
  metadata.metadata_len = sizeof metadata;
  metadata.mask = FAN_Q_OVERFLOW;
  metadata.fd = FAN_NOFD;
  metadata.event_len = sizeof metadata;
  Bytes event;
  Append(event, metadata);
  return event;
}

EventRecords Parsed(const Bytes& bytes) {
  EventRecords records;
  ParseEvents(bytes, records);
  return records;
}

TEST(EventRecords, EachEventNamesItsDirectory) {
  Bytes bytes = Event({.handle = "directory one"});
  const Bytes second = Event({.type = FAN_EVENT_INFO_TYPE_FID, .handle = "two"});
  bytes.insert(bytes.end(), second.begin(), second.end());
  const EventRecords records = Parsed(bytes);
  ASSERT_EQ(records.changes.size(), 2U);
  EXPECT_FALSE(records.lost);
  EXPECT_EQ(records.changes[0].directory.size, 13U);
  EXPECT_EQ(records.changes[0].directory.type, 1);
  EXPECT_EQ(std::memcmp(records.changes[0].directory.bytes.data(), "directory one", 13), 0);
  EXPECT_EQ(records.changes[1].directory.size, 3U);
}

TEST(EventRecords, OnlyAnEntryThatIsADirectoryChangesSubdirectories) {
  EXPECT_TRUE(Parsed(Event({.mask = FAN_CREATE | FAN_ONDIR})).changes.at(0).subdirectories);
  EXPECT_TRUE(Parsed(Event({.mask = FAN_MOVED_FROM | FAN_ONDIR})).changes.at(0).subdirectories);
  EXPECT_FALSE(Parsed(Event({.mask = FAN_CREATE})).changes.at(0).subdirectories);
  EXPECT_FALSE(Parsed(Event({.mask = FAN_ATTRIB | FAN_ONDIR})).changes.at(0).subdirectories)
      << "the owner of the directory itself changed";
}

TEST(EventRecords, AnOverflowMeansThatEventsAreLost) {
  Bytes bytes = Event({});
  const Bytes overflow = Overflow();
  bytes.insert(bytes.end(), overflow.begin(), overflow.end());
  const EventRecords records = Parsed(bytes);
  EXPECT_TRUE(records.lost);
  EXPECT_EQ(records.changes.size(), 1U);
}

TEST(EventRecords, ADirectoryIsToldOnceHoweverManyBuffersNameIt) {
  EventRecords records;
  for (int i = 0; i < 1000; ++i) {
    ParseEvents(Event({.handle = i % 2 == 0 ? "one" : "two"}), records);
  }
  ParseEvents(Event({.mask = FAN_CREATE | FAN_ONDIR, .handle = "two"}), records);
  ParseEvents(Event({.handle = "two"}), records);
  ASSERT_EQ(records.changes.size(), 2U);
  EXPECT_EQ(records.events, 1002U);
  EXPECT_FALSE(records.changes[0].subdirectories);
  EXPECT_TRUE(records.changes[1].subdirectories) << "whichever of its events said so";
}

// A queue to which programs add an event whenever one is read.
class NeverEmptyQueue {
 public:
  ssize_t Read(std::span<std::byte> buffer) {
    if (++reads_ > 1000) return errno = EAGAIN, -1;  // only so that the test ends
    const Bytes event =
        reads_ == overflow_at_ ? Overflow() : Event({.handle = "d" + std::to_string(reads_)});
    std::ranges::copy(event, buffer.begin());
    return static_cast<ssize_t>(event.size());
  }
  void OverflowAt(int read) { overflow_at_ = read; }
  [[nodiscard]] int reads() const { return reads_; }

 private:
  int reads_ = 0;
  std::optional<int> overflow_at_;
};

TEST(TakeEvents, EndsWithTheEventsThatWereQueuedHoweverManyAreAddedMeanwhile) {
  NeverEmptyQueue queue;
  const EventRecords records = TakeEvents(5, [&](auto buffer) { return queue.Read(buffer); });
  EXPECT_EQ(records.changes.size(), 5U);
  EXPECT_FALSE(records.lost) << "the rest is for the next call";
  EXPECT_EQ(queue.reads(), 5);
  EXPECT_TRUE(TakeEvents(0, [&](auto buffer) { return queue.Read(buffer); }).changes.empty());
  EXPECT_EQ(queue.reads(), 5);
}

TEST(TakeEvents, EndsWhereEventsWereLost) {
  NeverEmptyQueue queue;
  queue.OverflowAt(3);
  EXPECT_TRUE(TakeEvents(100, [&](auto buffer) { return queue.Read(buffer); }).lost);
  EXPECT_EQ(queue.reads(), 3) << "nothing may be concluded from the others";
}

TEST(TakeEvents, EndsWithTheQueueAndWithAFailure) {
  const auto fails_with = [](int error) {
    return TakeEvents(100, [error](auto) { return errno = error, ssize_t{-1}; }).lost;
  };
  EXPECT_FALSE(fails_with(EAGAIN)) << "the queue is empty";
  EXPECT_TRUE(fails_with(EIO));
  int reads = 0;
  const auto interrupted = TakeEvents(100, [&](std::span<std::byte> buffer) -> ssize_t {
    if (++reads == 1) return errno = EINTR, -1;
    if (reads > 2) return errno = EAGAIN, -1;
    std::ranges::copy(Event({}), buffer.begin());
    return static_cast<ssize_t>(Event({}).size());
  });
  EXPECT_EQ(interrupted.changes.size(), 1U);
}

TEST(EventRecords, NothingIsNothing) {
  EXPECT_TRUE(Parsed({}).changes.empty());
  EXPECT_FALSE(Parsed({}).lost);
}

TEST(EventRecords, WhatCannotBeUnderstoodCountsAsLost) {
  const Bytes event = Event({});
  for (std::size_t size = 1; size < event.size(); ++size) {
    const EventRecords records = Parsed({event.begin(), event.begin() + static_cast<long>(size)});
    EXPECT_TRUE(records.lost) << size;
    EXPECT_TRUE(records.changes.empty()) << size;
  }
  Bytes junk = event;
  junk.insert(junk.end(), 5, std::byte{0xff});
  EXPECT_TRUE(Parsed(junk).lost);
  EXPECT_EQ(Parsed(junk).changes.size(), 1U);
  Bytes long_handle = event;  // the handle says that it is longer than its record
  long_handle[sizeof(fanotify_event_metadata) + 12] = std::byte{0xff};
  EXPECT_TRUE(Parsed(long_handle).lost);
  EXPECT_TRUE(Parsed(Bytes(200, std::byte{0xff})).lost);
  EXPECT_TRUE(Parsed(Bytes(200, std::byte{0})).lost);
}

TEST(FileHandleKey, DiffersByTypeSizeAndBytesAndIsNeverZero) {
  FileHandle handle;
  const std::uint64_t empty = KeyOf(handle);
  EXPECT_NE(empty, 0U);
  handle.size = 8;
  const std::uint64_t zeros = KeyOf(handle);
  EXPECT_NE(zeros, empty);
  handle.bytes[7] = std::byte{1};
  EXPECT_NE(KeyOf(handle), zeros);
  handle.bytes[7] = std::byte{0};
  handle.type = 1;
  EXPECT_NE(KeyOf(handle), zeros);
}

}  // namespace
}  // namespace jettison::fs_events
