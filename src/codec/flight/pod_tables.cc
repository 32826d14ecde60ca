#include "codec/flight/pod_tables.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "codec/flight/values/pod_entry.h"

namespace jettison {
namespace {

// Of a pod that ended, about.
constexpr std::size_t kFactsBytes = std::size_t{4} << 10;

std::string BytesOfEntry(const PodFacts& facts) {
  std::string bytes;
  ByteWriter out(bytes);
  WriteEntry(EntryOf(facts), out);
  return bytes;
}

}  // namespace

std::uint32_t ListTable::PlaceOf(const Places& list) {
  const auto [at, is_new] = places_.try_emplace(list, static_cast<std::uint32_t>(lists_.size()));
  if (is_new) {
    lists_.push_back(&at->first);
    bytes_ += sizeof(std::uint32_t) * list.size() + 64;
  }
  return at->second;
}

void ListTable::Write(ByteWriter& out) const {
  out.Number(lists_.size());
  for (const Places* list : lists_) {
    out.Number(list->size());
    std::int64_t last = -1;
    for (const std::uint32_t place : *list) {
      out.Signed(std::int64_t{place} - last - 1);
      last = place;
    }
  }
}

std::uint32_t FactsTable::PlaceOf(const std::vector<std::shared_ptr<const PodFacts>>& pods) {
  list_.clear();
  for (const auto& facts : pods) list_.push_back(PlaceOf(facts));
  return lists_.PlaceOf(list_);
}

std::uint32_t FactsTable::PlaceOf(const std::shared_ptr<const PodFacts>& facts) {
  const auto known = by_address_.find(facts.get());
  if (known != by_address_.end()) return known->second;
  const std::uint32_t place = Take(facts);
  by_address_.emplace(facts.get(), place);
  return place;
}

// What is at an address may be another pod once nobody holds it there: so it is held.
std::uint32_t FactsTable::Take(const std::shared_ptr<const PodFacts>& facts) {
  const std::string bytes = BytesOfEntry(*facts);
  const std::size_t hash = std::hash<std::string>{}(bytes);
  const auto [from, to] = by_hash_.equal_range(hash);
  for (auto at = from; at != to; ++at) {
    Entry& entry = entries_[at->second];
    if (BytesOfEntry(*entry.facts) != bytes) continue;
    by_address_.erase(entry.alike.get());
    entry.alike = facts;
    return at->second;
  }
  const auto place = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({facts, nullptr});
  by_hash_.emplace(hash, place);
  has_storage_limits_ = has_storage_limits_ || facts->has_storage_limits;
  return place;
}

std::size_t FactsTable::WriteEntries(ZstdWriter& out) const {
  std::string piece;
  ByteWriter(piece).Number(entries_.size());
  std::size_t bytes = piece.size();
  out.Add(piece);
  for (const Entry& entry : entries_) {
    piece = BytesOfEntry(*entry.facts);
    bytes += piece.size();
    out.Add(piece);
  }
  return bytes;
}

std::size_t FactsTable::WriteLists(ZstdWriter& out) const {
  std::string piece;
  ByteWriter to(piece);
  lists_.Write(to);
  out.Add(piece);
  return piece.size();
}

std::size_t FactsTable::bytes() const {
  const auto ours = std::ranges::count_if(
      entries_, [](const Entry& entry) { return entry.facts.use_count() == 1; });
  return lists_.bytes() + kFactsBytes * static_cast<std::size_t>(ours);
}

std::uint32_t FiguresTable::Put(const std::vector<PodStats>& pods) {
  ++passes_;
  list_.resize(pods.size(), ~std::uint32_t{0});
  for (std::size_t i = 0; i < pods.size(); ++i) {
    list_[i] = PlaceOf(pods[i], i);
    Stream& stream = streams_[list_[i]];
    stream.used = passes_;
    ColumnWriter& columns = stream.columns;
    row_.resize(columns.width());
    PutPod(pods[i], row_);
    for (std::size_t slot = 0; slot < row_.size(); ++slot) columns.Put(slot, row_[slot]);
  }
  return lists_.PlaceOf(list_);
}

std::uint32_t FiguresTable::PlaceOf(const PodStats& pod, std::size_t index) {
  const std::uint32_t before = list_[index];
  if (before < streams_.size() && streams_[before].Takes(pod, passes_)) return before;
  const auto [from, to] = by_uid_.equal_range(pod.uid);
  for (auto at = from; at != to; ++at) {
    if (streams_[at->second].Takes(pod, passes_)) return at->second;
  }
  const auto place = static_cast<std::uint32_t>(streams_.size());
  PodShape shape = ShapeOf(pod);
  const std::size_t width = shape.Width();
  streams_.push_back({std::move(shape), ColumnWriter(width)});
  by_uid_.emplace(pod.uid, place);
  return place;
}

// Pod by pod, so that no more than one is held as text.
std::size_t FiguresTable::Write(ZstdWriter& out) const {
  std::string piece;
  ByteWriter to(piece);
  std::size_t bytes = 0;
  const auto flush = [&] {
    out.Add(piece);
    bytes += piece.size();
    piece.clear();
  };
  lists_.Write(to);
  to.Number(streams_.size());
  for (const Stream& stream : streams_) WriteShape(stream.shape, to);
  flush();
  for (const Stream& stream : streams_) {
    stream.columns.Write(to);
    flush();
  }
  return bytes;
}

std::size_t FiguresTable::bytes() const {
  std::size_t bytes = lists_.bytes();
  for (const Stream& stream : streams_) {
    bytes += 256 + 16 * stream.columns.width() + stream.columns.bytes();
  }
  return bytes;
}

}  // namespace jettison
